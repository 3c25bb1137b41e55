import type { Member } from '@octavo/schema';

/** The end of the addresses of service accounts, which are not invited. */
const serviceAddressEnd = '@service.invalid';

/** Whether a member was invited and has not opened the organization yet. */
export const isInvited = ({
  lastSeenAt,
  disabled,
  user: { email },
}: Pick<Member, 'lastSeenAt' | 'disabled'> & { user: Pick<Member['user'], 'email'> }): boolean =>
  lastSeenAt === undefined && !disabled && email !== undefined && !email.endsWith(serviceAddressEnd);
