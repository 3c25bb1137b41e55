import type { RevisionId, UserId } from '@octavo/schema';
import { and, eq, isNull, sql } from 'drizzle-orm';
import type { Database } from '../connect.ts';
import type { Statement } from '../query.ts';
import { comments } from '../tables/collaboration.ts';

interface AppliedSuggestion {
  comment: string;
  /** The revision that contains the suggested text. */
  revision: RevisionId;
  user: UserId;
  time: number;
}

/** Resolves an open comment whose suggestion was applied. */
export function resolveSuggestion(db: Database, { comment, revision, user, time }: AppliedSuggestion): Statement {
  const isOpen = and(eq(comments.id, comment), isNull(comments.resolvedAt));
  const suggestion = sql`json_set(${comments.suggestion}, '$.revision', ${revision})`;
  return db.update(comments).set({ resolvedAt: time, resolvedBy: user, suggestion }).where(isOpen);
}
