import {
  decodeCursor,
  isAfterCursor,
  limitRole,
  maxRowsScanned,
  paginateMatches,
  runBatch,
  scanRows,
  selectSpaceRank,
  toListingMember,
} from '@octavo/db';
import type { HandlerInput } from '@octavo/runtime';
import type { CommentTarget, collaboration, OrganizationComment, OrganizationId } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import { addReactions, getCursor, selectWeight } from '../discussion/discussion.ts';
import { readReactions } from '../discussion/reactions.ts';
import { handler } from '../handler.ts';
import { presentWithState } from './presenter.ts';
import { selectOrganizationComments } from './queries.ts';

type Query = HandlerInput<typeof collaboration.listCommentsInOrganization>['query'];

/** Lists the comments in spaces that the caller may open. One round trip. */
export const listCommentsInOrganization = handler(
  'listCommentsInOrganization',
  async ({ query }, { db, organization, membership, actor, urls }) => {
    const member = toListingMember(actor.id, membership.role);
    const rank = selectSpaceRank(member);
    const listing = { selection: selectKeys(query, organization.id, rank), order: query.order, viewer: actor.id, rank };
    const { rows, reactions } = await runBatch(db, selectOrganizationComments(listing));
    const reacted = readReactions(reactions);
    return paginateMatches(rows, query.limit, {
      getCursor,
      item: (row): OrganizationComment => {
        const { space, changeRequest } = row;
        if (space === null) throw new TypeError('The row contains no comment.');
        const posted = addReactions(row, reacted);
        const state = posted.about === null ? undefined : { page: posted.about.page, outdated: false };
        const role = limitRole(actor, row.role);
        const context = {
          actor,
          isGuest: member.isGuest,
          role,
          urls,
          space,
          changeRequest: changeRequest ?? undefined,
        };
        const { target, ...comment } = presentWithState(posted, state, { format: query.format, context });
        return {
          ...comment,
          target: omitState(target),
          space,
          ...(changeRequest === null ? {} : { changeRequest }),
        };
      },
    });
  },
);

/** Omits whether the page still exists, because the list does not read it. */
function omitState({ page, ...target }: CommentTarget): OrganizationComment['target'] {
  if (page === undefined) return target;
  const { outdated: _, ...postedPage } = page;
  return { ...target, page: postedPage };
}

/** Returns the keys of the comments that the caller may see and that pass the filters. */
function selectKeys(query: Query, organization: OrganizationId, rank: SQL): SQL {
  const { status, order, authors, mention } = query;
  const isAfter = isAfterCursor(decodeCursor(query.page, ['number', 'string']), sql`c.created_at`, sql`c.id`, order);
  const timeOrder = order === 'desc' ? sql`created_at DESC, id DESC` : sql`created_at, id`;
  const selectByStatus = (isOpen: boolean): SQL => sql`
    SELECT c.id, c.created_at FROM comments c INDEXED BY comments_of_organization
    WHERE c.organization = ${organization} AND (c.resolved_at IS NULL) = ${sql.raw(isOpen ? '1' : '0')} AND ${isAfter}`;
  const candidates = {
    open: selectByStatus(true),
    resolved: selectByStatus(false),
    all: sql`${selectByStatus(true)} UNION ALL ${selectByStatus(false)} ORDER BY ${timeOrder} LIMIT ${maxRowsScanned}`,
  };
  const conditions = [
    sql`s.organization = ${organization} AND s.deleted_at IS NULL AND ${rank} > 0`,
    ...(authors === undefined ? [] : [sql`c.author IN (SELECT value FROM json_each(${JSON.stringify(authors)}))`]),
    ...(mention === undefined ? [] : [sql`instr(c.body, ${`@${mention}`}) > 0`]),
  ];
  return scanRows({
    columns: sql`k.id, k.id AS listed, k.created_at, ${selectWeight(query.format)}`,
    from: sql`FROM (${candidates[status]}) k`,
    order: order === 'desc' ? sql`k.created_at DESC, k.id DESC` : sql`k.created_at, k.id`,
    matches: sql`EXISTS (SELECT 1 FROM comments c CROSS JOIN spaces s ON s.id = c.space
      WHERE c.id = listed AND ${sql.join(conditions, sql` AND `)})`,
    limit: query.limit,
  });
}
