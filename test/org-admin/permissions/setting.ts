import type { Role } from '@octavo/schema';
import { json } from '../../support/content.ts';
import { queryDatabase } from '../../support/database.ts';
import type { Server, TestOrganization, TestUser } from '../../support/platform.ts';
import { platform } from '../../support/platform.ts';

export type Kind = 'space' | 'collection';
export type Subject = 'user' | 'team';
export const subjects: Subject[] = ['user', 'team'];

interface GrantRow {
  permission: Role | null;
  user?: { id: string; email?: string };
  team?: { id: string };
}

/** A space or collection in a new organization, with helpers for its permissions. */
export interface Setting {
  server: Server;
  organization: TestOrganization;
  id: string;
  /** The API path of the content's permissions. */
  path: string;
  member(role: Role | null): Promise<TestUser>;
  team(...members: TestUser[]): Promise<string>;
  /** Creates a user, or a team with one user. `id` is the subject of grants, `user` the user who gets the role. */
  subject(kind: Subject, role?: Role | null): Promise<{ id: string; user: TestUser }>;
  /** Creates a member with a direct grant of the role `create`. */
  creator(role?: Role | null): Promise<TestUser>;
  give(kind: Subject, id: string, role: Role | null, token?: string): Promise<Response>;
  /** Returns the effective role according to the list of everyone with access. */
  readRole(user: TestUser): Promise<Role | undefined>;
  /** Returns the roles in the list of direct grants, by id. */
  readDirectGrants(kind: Subject): Promise<Record<string, Role | null>>;
  /** Returns the data of the permission events in order. */
  events(): { object: string; subjects: string[] }[];
}

const makers = {
  async space({ server, organization }: Pick<Setting, 'server' | 'organization'>) {
    return (await server.makeSpace({ organization })).id;
  },
  async collection({ server, organization }: Pick<Setting, 'server' | 'organization'>) {
    const options = { token: organization.token, body: { title: 'A collection' } };
    return (await json<{ id: string }>(`/v1/orgs/${organization.id}/collections`, options, server)).id;
  },
};

async function makeTeam({ server, organization }: Pick<Setting, 'server' | 'organization'>, members: TestUser[]) {
  const users = members.map(({ user }) => user);
  const options = { token: organization.token, method: 'PUT', body: { title: 'A team', members: users } };
  return (await json<{ id: string }>(`/v1/orgs/${organization.id}/teams`, options, server)).id;
}

/** Returns a function that creates a setting for one test. */
export function createSettings(kind: Kind): () => Promise<Setting> {
  const server = platform();
  return async () => {
    const organization = await server.makeOrganization();
    const place = { server, organization };
    return getSetting(kind, await makers[kind](place), place);
  };
}

function getSetting(kind: Kind, id: string, place: Pick<Setting, 'server' | 'organization'>): Setting {
  const { server, organization } = place;
  const { token: admin } = organization;
  const path = `/v1/${kind}s/${id}/permissions`;
  const member: Setting['member'] = (role) => server.makeUser({ organization: organization.id, role: role as string });
  const team: Setting['team'] = (...members) => makeTeam(place, members);
  const give: Setting['give'] = (to, subject, role, token = admin) =>
    server.request(path, { token, body: { [`${to}s`]: [subject], role } });
  return {
    ...{ ...place, id, path, member, team, give },
    async subject(to, role = 'read') {
      const user = await member(role);
      return { id: to === 'user' ? user.user : await team(user), user };
    },
    async creator(role = 'read') {
      const user = await member(role);
      await give('user', user.user, 'create');
      return user;
    },
    async readRole({ user }) {
      const { items } = await json<{ items: GrantRow[] }>(`${path}/aggregate`, { token: admin }, server);
      return items.find((each) => each.user?.id === user)?.permission ?? undefined;
    },
    async readDirectGrants(to) {
      const { items } = await json<{ items: GrantRow[] }>(`${path}/${to}s`, { token: admin }, server);
      return Object.fromEntries(items.map((each) => [each[to]?.id, each.permission]));
    },
    events: () =>
      queryDatabase<{ data: string }>(
        server.dataDir,
        "SELECT data FROM outbox WHERE organization = ? AND type = 'permissions.changed' ORDER BY created_at, id",
        organization.id,
      ).map(({ data }) => JSON.parse(data)),
  };
}
