import { randomInt } from 'node:crypto';
import { callOperator } from '@octavo/platform';
import { json } from './content.ts';
import type { Server, TestOrganization, TestUser } from './platform.ts';
import { platform } from './platform.ts';

/** A member as the API shows one. */
export interface ShownMember {
  id: string;
  role: string | null;
  user: { id: string; email?: string };
  disabled: boolean;
  joinedAt: string;
  lastSeenAt?: string;
  sso: boolean;
  spaces: number;
  teams: number;
}

type Owner = Pick<TestOrganization, 'id' | 'token'>;

/** The role of a guest, as the operator takes it. */
export const guest = null as unknown as string;

export const makeMember = ({ id }: Owner, role: string = 'read', server: Server = platform()): Promise<TestUser> =>
  server.makeUser({ organization: id, role });

export const memberOf = ({ id, token }: Owner, user: string): Promise<ShownMember> =>
  json(`/v1/orgs/${id}/members/${user}`, { token });

export const makeTeam = (
  { id, token }: Owner,
  { title = 'A team', members = [] }: { title?: string; members?: string[] } = {},
  server: Server = platform(),
): Promise<{ id: string }> => json(`/v1/orgs/${id}/teams`, { token, method: 'PUT', body: { title, members } }, server);

/** Puts a user into a team, or gives another role there. The status of the answer. */
export const putInTeam = async ({ id, token }: Owner, team: string, user: string, role?: string): Promise<number> => {
  const path = `/v1/orgs/${id}/teams/${team}/members/${user}`;
  return (await platform().request(path, { token, method: 'PUT', body: role === undefined ? {} : { role } })).status;
};

/** What the users of a team are in it, by their ids. */
export async function rolesIn({ id, token }: Owner, team: string): Promise<Record<string, string>> {
  const path = `/v1/orgs/${id}/teams/${team}/members?limit=1000`;
  const { items } = await json<{ items: { organization: ShownMember; team: { role: string } }[] }>(path, { token });
  return Object.fromEntries(items.map(({ organization, team: { role } }) => [organization.id, role]));
}

/** A member with a name and an address of the test's own; the address gets an ending that no other test has. */
export async function makeNamedMember({ id }: Owner, displayName: string, address = 'user'): Promise<string> {
  const email = `${address}@${randomInt(2 ** 47)}.test`;
  const { user } = await callOperator(platform().dataDir, '/token', {
    email,
    displayName,
    organization: id,
    role: 'read',
  });
  return user;
}
