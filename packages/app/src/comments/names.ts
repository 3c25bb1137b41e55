import type { List, Member, User } from '@octavo/schema';
import { get } from '../api.ts';
import { type LoadedValue, useLoaded } from '../use-api.ts';
import type { Person } from './mentions.ts';

/** Returns the name to show for a user. */
export const getUserName = ({ displayName, email, id }: User): string => displayName || email || id;

const names = new Map<string, string>();

/** Remembers the names of users that other responses contain. */
export function rememberNames(users: User[]): void {
  for (const user of users) names.set(user.id, getUserName(user));
}

/** Number of unknown members whose names are read for one list of comments. */
const maxRead = 50;

/** Returns the names of members by their ids. Names that no other response contained are read from the API. */
export function useNames(organization: string | undefined, ids: string[]): ReadonlyMap<string, string> {
  const unknown = ids.filter((id) => !names.has(id)).slice(0, maxRead);
  const key = organization === undefined || unknown.length === 0 ? undefined : `names ${unknown.join()}`;
  useLoaded(key, async (options) => {
    const read = unknown.map((id) => get<Member>(`/orgs/${organization}/members/${id}`, {}, options));
    for (const result of await Promise.allSettled(read))
      if (result.status === 'fulfilled') rememberNames([result.value.user]);
    return unknown;
  });
  return names;
}

/** Number of members that are suggested. */
const maxSuggested = 6;

/**
 * Searches the members of an organization by name or email. With a `subject`, the former results are returned until the
 * next ones are loaded.
 */
export const useMemberSearch = (
  organization: string | undefined,
  words: string | undefined,
  subject?: string,
): LoadedValue<Person[]> =>
  useLoaded(
    organization === undefined || words === undefined ? undefined : `members ${organization} ${words}`,
    async (options) => {
      const query = { limit: maxSuggested, ...(words === '' ? {} : { search: words }) };
      const { items } = await get<List<Member>>(`/orgs/${organization}/members`, query, options);
      return items.filter(({ disabled }) => !disabled).map(({ user }) => ({ id: user.id, name: getUserName(user) }));
    },
    { subject },
  );
