import type { Member, User } from '@octavo/schema';

/** The end of the addresses of service accounts, which sign in with tokens. */
const serviceAddressEnd = '@service.invalid';

/** Whether a user is a person. Members who cannot see the address of a user cannot distinguish service accounts. */
export const isPerson = ({ email }: Pick<User, 'email'>): boolean =>
  email !== undefined && !email.endsWith(serviceAddressEnd);

type SignedInMember = Pick<Member, 'role' | 'sso' | 'disabled'> & { user: Pick<User, 'email'> };

/** Whether a member cannot use an organization any more when it requires single sign-on. */
export const losesAccess = ({ role, sso, disabled, user }: SignedInMember): boolean =>
  role !== 'admin' && !sso && !disabled && isPerson(user);
