import type { UserRecord } from '@octavo/db';
import type { User } from '@octavo/schema';
import type { Urls } from './urls.ts';

export const presentUser = (user: UserRecord, urls: Urls): User => ({
  object: 'user',
  id: user.id,
  displayName: user.displayName,
  email: user.email,
  ...(user.photoUrl === null ? {} : { photoURL: user.photoUrl }),
  urls: { location: urls.location(`/users/${user.id}`) },
});

/** A user as guests of an organization see the others there. */
export function presentUserWithoutEmail(user: UserRecord, urls: Urls): User {
  const { email: _, ...rest } = presentUser(user, urls);
  return rest;
}
