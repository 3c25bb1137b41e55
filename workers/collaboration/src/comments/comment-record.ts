import type { Database, Row, RowsOf, UserRecord } from '@octavo/db';
import { number, optionalNumber, optionalText, readUser, runBatch, text, userColumns } from '@octavo/db';
import type { CommentSubject } from '@octavo/schema';
import { notFound } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import type { BranchContext } from '../discussion/branch.ts';
import { branchOf } from '../discussion/branch.ts';
import type { PostedRecord } from '../discussion/posted.ts';
import { byTime, fitted, readPosted, weightIn } from '../discussion/posted.ts';
import { readReactions, selectReactions } from '../discussion/reactions.ts';

export interface CommentRecord extends PostedRecord {
  page: string | null;
  node: string | null;
  /** The hash of the page's document when the comment was posted. */
  document: string | null;
  about: CommentSubject | null;
  review: string | null;
  revision: string;
  resolvedAt: number | null;
  resolvedBy: UserRecord | null;
  replies: number;
}

interface Found {
  /** Gives the `id`, `created_at`, `matches` and `weight` of comments. */
  found: SQL;
  order: 'asc' | 'desc';
  viewer: string;
}

/** Two statements that read comments; what does not fit one answer comes without its columns. */
export function selectComments(db: Database, { found, order, viewer }: Found) {
  const keys = fitted('comments', found, byTime(order));
  return {
    rows: db.all(sql`
      SELECT f.*, c.page, c.node, c.document, c.about, c.review, c.revision, c.body, c.edited_at, c.resolved_at,
        c.replies, ${userColumns('author')}, ${userColumns('resolver', 'resolver')}
      FROM (${keys}) f LEFT JOIN comments c ON c.id = f.id AND f.matches AND f.fits
      LEFT JOIN users author ON author.id = c.author LEFT JOIN users resolver ON resolver.id = c.resolved_by
      ORDER BY ${byTime(order)}`),
    reactions: db.all(selectReactions(sql`SELECT f.id FROM (${keys}) f WHERE f.matches AND f.fits`, viewer)),
  };
}

/** `selectComments` of one on the branch. */
export function selectComment(id: string, context: BranchContext) {
  const { db, space, actor } = context;
  const found = sql`SELECT id, created_at, 1 AS matches, ${weightIn('markdown')} FROM comments
    WHERE id = ${id} AND branch = ${branchOf(context)} AND space = ${space.id}`;
  return selectComments(db, { found, order: 'desc', viewer: actor.id });
}

/** Of the rows of `selectComments`, and those of the reactions. */
export function readComment(row: Row, reactions: ReturnType<typeof readReactions>): CommentRecord {
  const about = optionalText(row, 'about');
  return {
    ...readPosted(row, reactions),
    page: optionalText(row, 'page'),
    node: optionalText(row, 'node'),
    document: optionalText(row, 'document'),
    about: about === null ? null : (JSON.parse(about) as CommentSubject),
    review: optionalText(row, 'review'),
    revision: text(row, 'revision'),
    resolvedAt: optionalNumber(row, 'resolved_at'),
    resolvedBy: optionalText(row, 'resolver_id') === null ? null : readUser(row, 'resolver'),
    replies: number(row, 'replies'),
  };
}

/** From the rows of `selectComment`. @throws ApiError not_found */
export function readFound({ rows: [row], reactions }: RowsOf<ReturnType<typeof selectComment>>): CommentRecord {
  if (row === undefined) throw notFound('comment');
  return readComment(row, readReactions(reactions));
}

/** @throws ApiError not_found */
export const findComment = async (id: string, context: BranchContext): Promise<CommentRecord> =>
  readFound(await runBatch(context.db, selectComment(id, context)));
