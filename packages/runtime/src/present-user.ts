import type { UserRecord } from '@octavo/db';
import type { User } from '@octavo/schema';
import type { Urls } from './urls.ts';

/** How much of a user is shown: guests are not shown the addresses of others. */
export interface UserView {
  /** Left out: true. */
  email?: boolean;
}

export const presentUser = (user: UserRecord, urls: Urls, { email = true }: UserView = {}): User => ({
  object: 'user',
  id: user.id,
  displayName: user.displayName,
  ...(email ? { email: user.email } : {}),
  ...(user.photoUrl === null ? {} : { photoURL: user.photoUrl }),
  urls: { location: urls.location(`/users/${user.id}`) },
});
