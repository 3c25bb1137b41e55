import type { Member, User } from '@octavo/schema';

/** The suffix of the email addresses of service accounts, which sign in with tokens. */
const serviceAddressEnd = '@service.invalid';

/** Whether a user is known to be a person. False if the email address of the user is not visible to the caller. */
export const isPerson = ({ email }: Pick<User, 'email'>): boolean =>
  email !== undefined && !email.endsWith(serviceAddressEnd);

type SignedInMember = Pick<Member, 'role' | 'sso' | 'disabled'> & { user: Pick<User, 'email'> };

/** Whether a member cannot use an organization any more when it requires single sign-on. */
export const losesAccess = ({ role, sso, disabled, user }: SignedInMember): boolean =>
  role !== 'admin' && !sso && !disabled && isPerson(user);
