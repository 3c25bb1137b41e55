import { randomInt } from 'node:crypto';
import { callOperator } from '@octavo/platform';
import { json } from './content.ts';
import type { Server, TestOrganization, TestUser } from './platform.ts';
import { platform } from './platform.ts';

/** A member as returned by the API. */
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

/** The role of a guest, as the operator socket expects it. */
export const guest = null as unknown as string;

export const makeMember = ({ id }: Owner, role: string = 'read', server: Server = platform()): Promise<TestUser> =>
  server.makeUser({ organization: id, role });

export const getMember = ({ id, token }: Owner, user: string): Promise<ShownMember> =>
  json(`/v1/orgs/${id}/members/${user}`, { token });

export const makeTeam = (
  { id, token }: Owner,
  { title = 'A team', members = [] }: { title?: string; members?: string[] } = {},
  server: Server = platform(),
): Promise<{ id: string }> => json(`/v1/orgs/${id}/teams`, { token, method: 'PUT', body: { title, members } }, server);

/** Adds a user to a team or changes the user's role there. Returns the response status. */
export const putInTeam = async ({ id, token }: Owner, team: string, user: string, role?: string): Promise<number> => {
  const path = `/v1/orgs/${id}/teams/${team}/members/${user}`;
  return (await platform().request(path, { token, method: 'PUT', body: role === undefined ? {} : { role } })).status;
};

/** Returns the team roles of all members of a team, by user id. */
export async function readTeamRoles({ id, token }: Owner, team: string): Promise<Record<string, string>> {
  const path = `/v1/orgs/${id}/teams/${team}/members?limit=1000`;
  const { items } = await json<{ items: { organization: ShownMember; team: { role: string } }[] }>(path, { token });
  return Object.fromEntries(items.map(({ organization, team: { role } }) => [organization.id, role]));
}

/** Creates a member with a display name and an email address that is unique to the test. */
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
