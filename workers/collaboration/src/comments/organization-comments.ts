import type { ListingMember } from '@octavo/db';
import {
  decodeCursor,
  isAfterCursor,
  limitRole,
  listSource,
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
    const selection = selectKeys({ query, organization: organization.id, member });
    const listing = { selection, order: query.order, viewer: actor.id, rank: selectSpaceRank(member) };
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

interface Source {
  query: Query;
  organization: OrganizationId;
  member: ListingMember;
}

/**
 * Returns the keys of the comments that the caller may see and that pass the filters. Usually the next comments of the
 * organization fill the page. If they do not, because most of them are in spaces that the caller may not open, the
 * comments of each space that the caller may open are merged by time. So the rows read do not depend on the number of
 * comments in other spaces.
 */
function selectKeys({ query, organization, member }: Source): SQL {
  const { limit } = query;
  const filters = createFilters(query);
  const nextCount = 2 * (limit + 1);
  const isVisible = sql`s.organization = ${organization} AND s.deleted_at IS NULL AND ${selectSpaceRank(member)} > 0`;
  const isFilled = sql`(SELECT COUNT(*) < ${nextCount} OR COALESCE(SUM(visible), 0) > ${limit} FROM next)`;
  // The condition is in a subquery, so that SQLite checks it before it reads spaces.
  const spaces = sql`SELECT s.id FROM (SELECT 1 WHERE NOT ${isFilled})
    CROSS JOIN ${listSource('spaces', sql`${organization}`, member)} WHERE ${isVisible}`;
  const candidates = sql`
    WITH next AS MATERIALIZED (
      SELECT k.id, k.created_at, EXISTS (SELECT 1 FROM comments c CROSS JOIN spaces s ON s.id = c.space
        WHERE c.id = k.id AND ${sql.join([isVisible, ...filters], sql` AND `)}) AS visible
      FROM (${selectNext(query, organization, nextCount)}) k)
    SELECT id, created_at FROM next WHERE visible AND ${isFilled}
    UNION ALL
    SELECT * FROM (${selectByTime(query, spaces, filters.length === 0 ? limit + 1 : maxRowsScanned)})`;
  return scanRows({
    columns: sql`k.id, k.id AS listed, k.created_at, ${selectWeight(query.format)}`,
    from: sql`FROM (${candidates}) k`,
    order: orderByTime(query),
    matches:
      filters.length === 0
        ? undefined
        : sql`EXISTS (SELECT 1 FROM comments c WHERE c.id = listed AND ${sql.join(filters, sql` AND `)})`,
    limit,
  });
}

const createFilters = ({ authors, mention }: Query): SQL[] => [
  ...(authors === undefined ? [] : [sql`c.author IN (SELECT value FROM json_each(${JSON.stringify(authors)}))`]),
  ...(mention === undefined ? [] : [sql`instr(c.body, ${`@${mention}`}) > 0`]),
];

const openValues: Record<Query['status'], number[]> = { open: [1], resolved: [0], all: [1, 0] };

const orderByTime = ({ order }: Query): SQL => (order === 'desc' ? sql`created_at DESC, id DESC` : sql`created_at, id`);

const isAfterPage = ({ page, order }: Query): SQL =>
  isAfterCursor(decodeCursor(page, ['number', 'string']), sql`c.created_at`, sql`c.id`, order);

/** Selects the next comments of the organization, in all its spaces. */
function selectNext(query: Query, organization: OrganizationId, count: number): SQL {
  const parts = openValues[query.status].map(
    (isOpen) => sql`SELECT c.id, c.created_at FROM comments c INDEXED BY comments_of_organization
      WHERE c.organization = ${organization} AND (c.resolved_at IS NULL) = ${sql.raw(String(isOpen))}
        AND ${isAfterPage(query)}`,
  );
  return sql`${sql.join(parts, sql` UNION ALL `)} ORDER BY ${orderByTime(query)} LIMIT ${count}`;
}

/**
 * Merges the comments of spaces by time, and reads one row more for each space than it returns. The queue contains the
 * next comment of each space and status. SQLite takes the first of them, which adds the comment that follows it.
 */
function selectByTime(query: Query, spaces: SQL, count: number): SQL {
  const selectFirst = (space: SQL, isOpen: SQL, isAfter: SQL): SQL => sql`(
    SELECT c.rowid FROM comments c INDEXED BY comments_of_space
    WHERE c.space = ${space} AND (c.resolved_at IS NULL) = ${isOpen} AND ${isAfter}
    ORDER BY ${orderByTime(query)} LIMIT 1)`;
  const isLater = isAfterCursor([sql`queue.created_at`, sql`queue.id`], sql`c.created_at`, sql`c.id`, query.order);
  const statuses = sql`SELECT value FROM json_each(${JSON.stringify(openValues[query.status])})`;
  return sql`
    WITH RECURSIVE queue(id, created_at, space, is_open) AS (
      SELECT f.id AS id, f.created_at AS created_at, f.space, status.value
        FROM (${spaces}) s CROSS JOIN (${statuses}) status
        CROSS JOIN comments f ON f.rowid = ${selectFirst(sql`s.id`, sql`status.value`, isAfterPage(query))}
      UNION ALL
      SELECT f.id, f.created_at, f.space, queue.is_open FROM queue
        CROSS JOIN comments f ON f.rowid = ${selectFirst(sql`queue.space`, sql`queue.is_open`, isLater)}
      ORDER BY ${orderByTime(query)} LIMIT ${count})
    SELECT id, created_at FROM queue`;
}
