import type { MemberRecord } from '@octavo/db';
import type { Urls, UserView } from '@octavo/runtime';
import { presentUser } from '@octavo/runtime';
import type { Member } from '@octavo/schema';
import { timestamp } from '@octavo/schema';

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
});
