import type { Membership } from '@octavo/db';
import type { Urls } from '@octavo/runtime';
import { presentCollection, presentSpace } from '@octavo/runtime';
import type { Invite } from '@octavo/schema';
import { isAtLeast } from '@octavo/schema';
import type { InviteRecord } from './invite-record.ts';

/** A link as an admin of its organization sees it: admins hold their role on all that it contains. */
export function presentInvite(invite: InviteRecord, { role }: Membership, urls: Urls): Invite {
  const { id, space, collection } = invite;
  const redundant = invite.role === null || isAtLeast(role, invite.role);
  const base = { object: 'invite', id, redundant } as const;
  if (space !== undefined) return { ...base, level: invite.role, space: presentSpace(space, role, urls) };
  if (collection !== undefined) return { ...base, level: invite.role, collection: presentCollection(collection, urls) };
  return { ...base, role: invite.role };
}
