import type { MemberRecord } from '@octavo/db';
import type { Member } from '@octavo/schema';
import { timestamp } from '@octavo/schema';
import type { UserView } from './present-user.ts';
import { presentUser } from './present-user.ts';
import type { Urls } from './urls.ts';

export const presentMember = (member: MemberRecord, urls: Urls, view?: UserView): Member => ({
  object: 'member',
  id: member.user.id,
  role: member.role,
  user: presentUser(member.user, urls, view),
  disabled: member.disabled,
  joinedAt: timestamp(member.joinedAt),
  ...(member.lastSeenAt === null ? {} : { lastSeenAt: timestamp(member.lastSeenAt) }),
  sso: member.sso,
  spaces: member.spaces,
  teams: member.teams,
  sites: 0,
});
