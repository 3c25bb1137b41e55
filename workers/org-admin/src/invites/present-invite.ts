import type { Urls } from '@octavo/runtime';
import { presentCollection, presentSpace } from '@octavo/runtime';
import type { Invite } from '@octavo/schema';
import { isAtLeast } from '@octavo/schema';
import type { InviteRecord } from './invite-record.ts';

/** A link as its reader sees it, who holds `held` on what it leads onto. */
export function presentInvite(invite: Omit<InviteRecord, 'createdAt'>, urls: Urls): Invite {
  const { id, role, held, space, collection } = invite;
  const redundant = role === null || isAtLeast(held, role);
  const base = { object: 'invite', id, redundant } as const;
  if (space != null) return { ...base, level: role, space: presentSpace(space, held, urls) };
  if (collection != null) return { ...base, level: role, collection: presentCollection(collection, urls) };
  return { ...base, role };
}
