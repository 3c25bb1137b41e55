import type { ChangeRequestRecord, Check } from '@octavo/db';
import { isListedUser, spaceRank } from '@octavo/db';
import { conflict, forbidden, invalid, notFound } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { BranchContext } from './branch.ts';
import { branchOf } from './branch.ts';
import type { PostedRecord } from './posted.ts';
import { permissionsOn } from './posted.ts';

/** The space, and the change request if there is one, still exist. */
export function branchExists({ space, changeRequest }: Pick<BranchContext, 'space' | 'changeRequest'>): Check[] {
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

/** The comment exists on the branch. */
export const commentExists = (id: string, context: BranchContext): Check => ({
  condition: sql`EXISTS (SELECT 1 FROM comments
    WHERE id = ${id} AND branch = ${branchOf(context)} AND space = ${context.space.id})`,
  createError: () => notFound('comment'),
});

/** @throws ApiError forbidden unless the caller may edit the post */
export function requireAuthor({ author }: PostedRecord, context: BranchContext): void {
  if (!permissionsOn(author.id, context).edit) throw forbidden('Only the author can edit this.');
}

/** @throws ApiError forbidden unless the caller may delete the post */
export function requireDelete({ author }: PostedRecord, context: BranchContext): void {
  if (!permissionsOn(author.id, context).delete)
    throw forbidden('Only the author and people who manage the space can delete this.');
}

/**
 * All mentioned users are active members who may open the space. Guests, who cannot list members, may only mention
 * themselves. @throws ApiError invalid
 */
export function mayMention(mentions: string[], { space, actor, isGuest }: BranchContext, place = 'body.body'): Check[] {
  const others = mentions.filter((user) => user !== actor.id);
  if (others.length === 0) return [];
  if (isGuest) throw cannotMention(place, others.join(', '));
  const member = { user: sql`m.user`, role: sql`m.role`, active: sql`NOT m.disabled` };
  const strangers = sql`FROM json_each(${JSON.stringify(others)}) mentioned WHERE NOT EXISTS (
    SELECT 1 FROM spaces s CROSS JOIN members m ON m.organization = s.organization AND m.user = mentioned.value
      AND ${isListedUser(sql`m.user`)}
    WHERE s.id = ${space.id} AND ${spaceRank(member)} > 0)`;
  return [
    {
      condition: sql`NOT EXISTS (SELECT 1 ${strangers})`,
      culprit: sql`(SELECT group_concat(mentioned.value, ', ') ${strangers})`,
      createError: (ids) => cannotMention(place, ids ?? ''),
    },
  ];
}

const cannotMention = (place: string, ids: string) =>
  invalid([{ path: `${place}.markdown`, message: `must not mention users without access to the space: ${ids}` }]);

/** The change request is neither merged nor archived, now and when the write happens. @throws ApiError conflict */
export function isUndecided({ id, space, status }: ChangeRequestRecord, done: string): Check {
  const refusal = (now: string | null) =>
    now === null ? notFound('change request') : conflict(`The change request is ${now} and cannot be ${done}.`);
  if (status === 'merged' || status === 'archived') throw refusal(status);
  const row = sql`FROM change_requests WHERE id = ${id} AND space = ${space}`;
  return {
    condition: sql`EXISTS (SELECT 1 ${row} AND status IN ('draft', 'open'))`,
    culprit: sql`(SELECT status ${row})`,
    createError: refusal,
  };
}
