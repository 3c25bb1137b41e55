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
