import type { Member, User } from '@octavo/schema';
import { isPerson } from './sso-members.ts';

type InvitedMember = Pick<Member, 'lastSeenAt' | 'disabled'> & { user: Pick<User, 'email'> };

/** Whether a member was invited and has not opened the organization yet. */
export const isInvited = ({ lastSeenAt, disabled, user }: InvitedMember): boolean =>
  lastSeenAt === undefined && !disabled && isPerson(user);
