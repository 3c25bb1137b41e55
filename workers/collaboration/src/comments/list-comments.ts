import { after, decodeCursor, lookThrough, paginateMatches, runBatch } from '@octavo/db';
import type { Handler, HandlerInput } from '@octavo/runtime';
import type { collaboration, Served } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import type { BranchContext } from '../discussion/branch.ts';
import { branchOf } from '../discussion/branch.ts';
import { endOf, weightIn, withReactions } from '../discussion/posted.ts';
import { readReactions } from '../discussion/reactions.ts';
import type { CollaborationEnvironment } from '../environment.ts';
import { selectComments } from './comment-record.ts';
import { presentComments } from './present-comment.ts';

type Query = HandlerInput<typeof collaboration.listCommentsInSpace>['query'];

export const listComments: Handler<Served<typeof collaboration, 'listComments'>, CollaborationEnvironment> = async (
  { query },
  context,
) => {
  const { rows, reactions } = await runBatch(
    context.db,
    selectComments({ found: keysOf(query, context), order: query.order, viewer: context.actor.id }),
  );
  const reacted = readReactions(reactions);
  const { items, ...page } = paginateMatches(rows, query.limit, {
    item: (row) => withReactions(row, reacted),
    cursorOf: endOf,
  });
  return { ...page, items: await presentComments(items, query.format, context) };
};

/** The index is fixed, so that the planner never reads another one and sorts; what it does not tell is looked through. */
function keysOf(query: Query, context: BranchContext): SQL {
  const { index, where, left } = planOf(query);
  const cursor = decodeCursor(query.page, ['number', 'string']);
  const { order } = query;
  return lookThrough({
    columns: sql`c.id, c.created_at, c.author, c.resolved_at AS closed_at, ${weightIn(query.format)}`,
    from: sql`FROM comments c INDEXED BY ${sql.raw(index)}
      WHERE c.branch = ${branchOf(context)} AND c.space = ${context.space.id} AND ${where}
        AND ${after(cursor, sql`c.created_at`, sql`c.id`, order)}`,
    order: order === 'desc' ? sql`c.created_at DESC, c.id DESC` : sql`c.created_at, c.id`,
    matches: left.length === 0 ? undefined : sql`(${sql.join(left, sql` AND `)})`,
    limit: query.limit,
  });
}

interface Plan {
  index: string;
  where: SQL;
  /** The filters that the index does not tell. */
  left: SQL[];
}

function planOf({ status, targetPage, authors }: Query): Plan {
  const [author] = authors ?? [];
  const byStatus = status === 'all' ? [] : [status === 'open' ? sql`closed_at IS NULL` : sql`closed_at IS NOT NULL`];
  const byAuthor =
    authors === undefined ? [] : [sql`author IN (SELECT value FROM json_each(${JSON.stringify(authors)}))`];
  if (targetPage !== undefined)
    return { index: 'comments_by_page', where: sql`c.page = ${targetPage}`, left: [...byStatus, ...byAuthor] };
  if (author !== undefined && authors?.length === 1)
    return { index: 'comments_by_author', where: sql`c.author = ${author}`, left: byStatus };
  if (status === 'open') return { index: 'comments_open', where: sql`c.resolved_at IS NULL`, left: byAuthor };
  if (status === 'resolved')
    return { index: 'comments_resolved', where: sql`c.resolved_at IS NOT NULL`, left: byAuthor };
  return { index: 'comments_by_time', where: sql`1`, left: byAuthor };
}
