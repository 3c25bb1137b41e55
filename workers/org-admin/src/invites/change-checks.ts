import type { Check } from '@octavo/db';
import { rankOf } from '@octavo/db';
import type { Role } from '@octavo/schema';
import { notFound } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import { tooHigh } from '../permissions/checks.ts';
import type { InviteKey } from './invite-record.ts';
import { managedInvite } from './invite-record.ts';

/** The link is there for its actor, and gives no more than the actor holds with its new role either. */
export const mayChange = (key: InviteKey, role: Role | null = null): Check[] => [
  { holds: sql`EXISTS (${managedInvite(key)})`, otherwise: () => notFound('invite') },
  {
    holds: sql`EXISTS (SELECT 1 FROM (${managedInvite(key)})
      WHERE COALESCE(${rankOf(sql`${role}`)}, 0) <= held)`,
    otherwise: tooHigh,
  },
];
