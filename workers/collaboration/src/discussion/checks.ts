import type { ChangeRequestRecord, Check } from '@octavo/db';
import { isListedUser, selectSpaceRank } from '@octavo/db';
import { conflict, forbidden, invalid, notFound } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { BranchContext } from './branch.ts';
import { getBranch } from './branch.ts';
import type { PostedRecord } from './posted.ts';
import { getPermissions } from './posted.ts';

/** Returns checks that the space still exists, and the change request if there is one. */
export function createBranchChecks({ space, changeRequest }: Pick<BranchContext, 'space' | 'changeRequest'>): Check[] {
  const inSpace: Check = {
    condition: sql`EXISTS (SELECT 1 FROM spaces WHERE id = ${space.id} AND organization = ${space.organization} AND deleted_at IS NULL)`,
    createError: () => notFound('space'),
  };
  if (changeRequest === undefined) return [inSpace];
  const inChangeRequest: Check = {
    condition: sql`EXISTS (SELECT 1 FROM change_requests WHERE id = ${changeRequest.id} AND space = ${space.id})`,
    createError: () => notFound('change request'),
  };
  return [inSpace, inChangeRequest];
}

/** Checks that the comment exists on the branch. */
export const createCommentCheck = (id: string, context: BranchContext): Check => ({
  condition: sql`EXISTS (SELECT 1 FROM comments
    WHERE id = ${id} AND branch = ${getBranch(context)} AND space = ${context.space.id})`,
  createError: () => notFound('comment'),
});

/** @throws ApiError forbidden unless the caller may edit the post */
export function requireAuthor({ author }: PostedRecord, context: BranchContext): void {
  if (!getPermissions(author.id, context).edit) throw forbidden('Only the author can edit this.');
}

/** @throws ApiError forbidden unless the caller may delete the post */
export function requireDelete({ author }: PostedRecord, context: BranchContext): void {
  if (!getPermissions(author.id, context).delete)
    throw forbidden('Only the author and people who manage the space can delete this.');
}

/**
 * Checks that all mentioned users are active members who may open the space. Guests, who cannot list members, may only
 * mention themselves. @throws ApiError invalid
 */
export function createMentionChecks(
  mentions: string[],
  { space, actor, isGuest }: BranchContext,
  path = 'body.body',
): Check[] {
  const mentioned = mentions.filter((user) => user !== actor.id);
  if (mentioned.length === 0) return [];
  if (isGuest) throw createMentionError(path, mentioned.join(', '));
  const member = { user: sql`m.user`, role: sql`m.role`, active: sql`NOT m.disabled` };
  const strangers = sql`FROM json_each(${JSON.stringify(mentioned)}) mentioned WHERE NOT EXISTS (
    SELECT 1 FROM spaces s CROSS JOIN members m ON m.organization = s.organization AND m.user = mentioned.value
      AND ${isListedUser(sql`m.user`)}
    WHERE s.id = ${space.id} AND ${selectSpaceRank(member)} > 0)`;
  return [
    {
      condition: sql`NOT EXISTS (SELECT 1 ${strangers})`,
      failingValue: sql`(SELECT group_concat(mentioned.value, ', ') ${strangers})`,
      createError: (ids) => createMentionError(path, ids ?? ''),
    },
  ];
}

const createMentionError = (path: string, ids: string) =>
  invalid([{ path: `${path}.markdown`, message: `must not mention users without access to the space: ${ids}` }]);

/**
 * Checks that the change request is neither merged nor archived, now and again when the write happens. @throws ApiError
 * conflict
 */
export function createOpenCheck({ id, space, status }: ChangeRequestRecord, action: string): Check {
  const createRefusal = (now: string | null) =>
    now === null ? notFound('change request') : conflict(`The change request is ${now} and cannot be ${action}.`);
  if (status === 'merged' || status === 'archived') throw createRefusal(status);
  const row = sql`FROM change_requests WHERE id = ${id} AND space = ${space}`;
  return {
    condition: sql`EXISTS (SELECT 1 ${row} AND status IN ('draft', 'open'))`,
    failingValue: sql`(SELECT status ${row})`,
    createError: createRefusal,
  };
}
