import { randomInt } from 'node:crypto';
import { createId } from '@octavo/schema';
import { json } from '../../support/content.ts';
import { query, writeDatabase } from '../../support/database.ts';
import type { Server, TestOrganization } from '../../support/platform.ts';
import { platform } from '../../support/platform.ts';

/** An integration as returned by the API. */
export interface ShownIntegration {
  object: string;
  name: string;
  version: number;
  title: string;
  visibility: string;
  previewImages: string[];
  owner: { id: string; title: string; emailDomains: string[]; permissions: Record<string, boolean> };
  urls: Record<string, string>;
  permissions: { admin: boolean; install: boolean };
  [field: string]: unknown;
}

/** Returns a name that no other test uses. */
export const createUniqueName = (base = 'tool'): string => `${base}-${randomInt(2 ** 47)}`;

/** The minimal body for publishing. */
export const createMinimalBody = ({ id }: { id: string }) => ({
  title: 'A tool',
  description: 'Does something.',
  scopes: [],
  organization: id,
  script: 'export default { fetch: () => new Response() };',
});

export const sendPublish = (
  owner: TestOrganization,
  name: string,
  more: object = {},
  { token = owner.token, server = platform() }: { token?: string; server?: Server } = {},
): Promise<Response> =>
  server.request(`/v1/integrations/${name}`, { token, body: { ...createMinimalBody(owner), ...more } });

/** Publishes a version and returns the response. */
export async function publish(
  owner: TestOrganization,
  more: { name?: string } & Record<string, unknown> = {},
  server: Server = platform(),
): Promise<ShownIntegration> {
  const { name = createUniqueName(), ...body } = more;
  return json<ShownIntegration>(
    `/v1/integrations/${name}`,
    { token: owner.token, body: { ...createMinimalBody(owner), ...body } },
    server,
  );
}

export const getIntegration = (name: string, token: string): Promise<Response> =>
  platform().request(`/v1/integrations/${name}`, { token });

export const readIntegration = (name: string, token: string): Promise<ShownIntegration> =>
  json(`/v1/integrations/${name}`, { token });

export async function listNames(path: string, token: string): Promise<string[]> {
  const { items } = await json<{ items: ShownIntegration[] }>(path, { token });
  return items.map(({ name }) => name);
}

/** Inserts an installation on a space or a site directly in the database. */
export async function insertInstallation(
  { id: organization, user }: Pick<TestOrganization, 'id' | 'user'>,
  name: string,
  on: { space: string } | { site: string },
  status = 'active',
): Promise<void> {
  const server = platform();
  const installation = createId('installation');
  await writeDatabase(
    server,
    `INSERT OR IGNORE INTO installations (id, integration, organization, account, status, configuration, signing_secret,
      created_by, created_at, updated_at) VALUES (?, ?, ?, ?, 'active', '', '', ?, 1, 1)`,
    ...[installation, name, organization, user, user],
  );
  const [{ id = '' } = {}] = query<{ id: string }>(
    'SELECT id FROM installations WHERE integration = ? AND organization = ?',
    ...[name, organization],
  );
  const [[kind, place] = ['', '']] = Object.entries(on);
  await writeDatabase(
    server,
    `INSERT INTO ${kind}_installations (installation, ${kind}, integration, organization, status, configuration,
      created_at, updated_at) VALUES (?, ?, ?, ?, ?, '', ?, 1)`,
    ...[id, place, name, organization, status, Date.now()],
  );
}
