import { hashToken } from '@octavo/db';
import { createId, createRandomString } from '@octavo/schema';
import { json } from './content.ts';
import { queryDatabase, writeDatabase } from './database.ts';
import type { Server, TestOrganization } from './platform.ts';
import { platform } from './platform.ts';

export interface TestIntegration {
  name: string;
  /** The organization that owns the integration. */
  owner: TestOrganization;
  /** A token of the integration itself, as opposed to an installation. */
  token: string;
}

export interface TestInstallation {
  id: string;
  status: string;
  scopes: string[];
  requestedScopes: string[];
  space_selection: string;
  site_selection: string;
  spaces: number;
  configuration: Record<string, unknown>;
  externalIds: string[];
  urls: { location: string };
  target: { organization: string };
}

/** Creates a token for an integration like the one that its script receives. */
async function getToken(name: string, { dataDir }: Pick<Server, 'dataDir'>): Promise<string> {
  const [row] = queryDatabase<{ account: string }>(dataDir, 'SELECT account FROM integrations WHERE name = ?', name);
  const token = `octavo_${createRandomString(40)}`;
  const insert = `INSERT INTO tokens (id, user, label, hash, scopes, created_at, expires_at, integration)
    VALUES (?, ?, 'test', ?, '[]', ?, ?, ?)`;
  const [now, hash] = [Date.now(), await hashToken(token)];
  await writeDatabase({ dataDir }, insert, createId('token'), row?.account ?? '', hash, now, now + 3_600_000, name);
  return token;
}

/** Publishes an integration for an organization. It is public by default. */
export async function makeIntegration(
  owner: TestOrganization,
  described: Record<string, unknown> = {},
  server: Server = platform(),
): Promise<TestIntegration> {
  const name = String(described.name ?? `integration-${createRandomString(12)}`);
  await publishVersion({ name, owner }, described, server);
  return { name, owner, token: await getToken(name, server) };
}

export async function publishVersion(
  { name, owner }: Pick<TestIntegration, 'name' | 'owner'>,
  described: Record<string, unknown>,
  server: Server = platform(),
): Promise<void> {
  const body = {
    title: 'An integration',
    description: 'For a test.',
    visibility: 'public',
    script: 'export default {}',
    organization: owner.id,
    ...described,
  };
  const { name: _, ...published } = { name, ...body };
  await json(`/v1/integrations/${name}`, { token: owner.token, body: published }, server);
}

/** Installs an integration in an organization, as an admin of the organization. */
export const install = (
  { name }: Pick<TestIntegration, 'name'>,
  { id, token }: Pick<TestOrganization, 'id' | 'token'>,
  server: Server = platform(),
): Promise<TestInstallation> =>
  json(`/v1/integrations/${name}/installations`, { token, body: { organization: id } }, server);

export const getPath = ({ name }: Pick<TestIntegration, 'name'>, { id }: Pick<TestInstallation, 'id'>): string =>
  `/v1/integrations/${name}/installations/${id}`;

/** Creates a token with which the integration acts as the installation. */
export async function actAs(
  integration: TestIntegration,
  installation: Pick<TestInstallation, 'id'>,
  server: Server = platform(),
): Promise<string> {
  const path = `${getPath(integration, installation)}/tokens`;
  const { token } = await json<{ token: string }>(path, { token: integration.token, method: 'POST' }, server);
  return token;
}

/** Changes an installation, or its settings on a space or a site, as an admin. */
export const change = (path: string, token: string, body: object, server: Server = platform()) =>
  json<TestInstallation>(path, { token, method: 'PATCH', body }, server);

export async function installOn(
  path: string,
  { token }: Pick<TestOrganization, 'token'>,
  place: { space: string } | { site: string },
  server: Server = platform(),
): Promise<void> {
  const [kind, body] = 'space' in place ? ['spaces', place] : ['sites', { siteId: place.site }];
  await json(`${path}/${kind}`, { token, body }, server);
}
