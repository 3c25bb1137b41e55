import { json } from '../../support/content.ts';
import { writeDatabase } from '../../support/database.ts';
import { guest } from '../../support/people.ts';
import type { Server, TestOrganization, TestUser } from '../../support/platform.ts';
import { platform } from '../../support/platform.ts';

export interface Link {
  object: 'invite';
  id: string;
  redundant: boolean;
  role?: string | null;
  level?: string | null;
  space?: { id: string };
  collection?: { id: string };
}

export const readLinks = ({ id }: { id: string }) => `/v1/orgs/${id}/link-invites`;

export const makeLink = (organization: TestOrganization, body: object, server: Server = platform()) =>
  json<Link>(readLinks(organization), { token: organization.token, body }, server);

export const join = ({ id }: { id: string }, invite: string, token: string, server: Server = platform()) =>
  server.request(`/v1/orgs/${id}/invites/${invite}`, { token, method: 'POST' });

/** Creates a collection of an organization on a separate platform. */
export async function makeCollection({ dataDir }: Server, organization: string, id: string): Promise<string> {
  await writeDatabase(
    { dataDir },
    "INSERT INTO collections (id, organization, title, created_by, created_at) VALUES (?, ?, 'A collection', '', 1)",
    id,
    organization,
  );
  return id;
}

export const send = (organization: { id: string }, token: string, body: object) =>
  platform().request(readLinks(organization), { token, body });

/** Gives a user a role on a space or a collection. */
export async function grantRole({ token }: TestOrganization, path: string, user: string, role: string | null) {
  const response = await platform().request(`/v1/${path}/permissions`, { token, body: { users: [user], role } });
  if (response.status !== 204) throw new Error(`${path} answered ${response.status} ${await response.text()}`);
}

export interface Managed {
  organization: TestOrganization;
  /** A user with the role `create` on the space and the collection, but with lower roles elsewhere. */
  manager: TestUser;
  space: string;
  collection: string;
  /** A space that the manager can only read. */
  other: string;
  /** Returns the request bodies of two invite links: one to the space and one to the collection. */
  onto: (level: string | null) => object[];
}

/** Creates an organization with content and a user who manages it. */
export async function makeManagedContent(role: 'read' | null = 'read'): Promise<Managed> {
  const { makeOrganization, makeSpace, makeUser } = platform();
  const organization = await makeOrganization();
  const [{ id: space }, { id: other }] = [await makeSpace({ organization }), await makeSpace({ organization })];
  const { id: collection } = await json<{ id: string }>(`/v1/orgs/${organization.id}/collections`, {
    token: organization.token,
    body: { title: 'A collection' },
  });
  const manager = await makeUser({ organization: organization.id, role: role ?? guest });
  await grantRole(organization, `spaces/${space}`, manager.user, 'create');
  await grantRole(organization, `collections/${collection}`, manager.user, 'create');
  await grantRole(organization, `spaces/${other}`, manager.user, 'read');
  const createTargetBodies = (level: string | null) => [
    { level, space },
    { level, collection },
  ];
  return { organization, manager, space, collection, other, onto: createTargetBodies };
}
