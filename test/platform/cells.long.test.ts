import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { DirectoryResponse } from '@octavo/schema';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { testEveryWrite } from '../flows/every-write.ts';
import { testPartsOneAndTwo } from '../flows/parts-one-and-two.ts';
import { reviewTogether } from '../flows/two-people.ts';
import { json } from '../support/content.ts';
import { writeDatabase } from '../support/database.ts';
import { pickFreePort } from '../support/free-port.ts';
import { signIn, waitForMail } from '../support/mail.ts';
import { type OwnPlatform, startOwnPlatform, startScript, until } from '../support/own-platform.ts';
import { createServerClient, replacePlatform, type Server } from '../support/platform.ts';
import { createSession, makeSso } from '../support/sign-in.ts';
import { createRandomWorld } from '../support/world.ts';
import { createMixedWorld } from './mixed-world.ts';

const key = 'a-key-of-the-directory';
const names = ['eu', 'us'] as const;
type Name = (typeof names)[number];

const installations: Record<string, OwnPlatform> = {};
/** A client for each cell. It sends requests to the directory, and operator calls to the socket of the cell. */
const cells: Record<string, Server> = {};
let directory: ReturnType<typeof startScript>;
let folder: string;
let url: string;

function requireStarted<Started>(started: Record<string, Started>, name: Name): Started {
  const cell = started[name];
  if (cell === undefined) throw new Error(`The cell ${name} was not started.`);
  return cell;
}
const getInstallation = (name: Name) => requireStarted(installations, name);
const getCell = (name: Name) => requireStarted(cells, name);

async function startDirectory(): Promise<void> {
  directory = startScript(['scripts/directory.ts'], {
    PORT: new URL(url).port,
    OCTAVO_DATA: folder,
    OCTAVO_PUBLIC_URL: url,
    OCTAVO_DIRECTORY_KEY: key,
    OCTAVO_CELLS: names.map((name) => `${name}=127.0.0.1:${getInstallation(name).port}`).join(' '),
  });
  await until(() => directory.printed().stdout.includes('The directory is ready') || undefined);
}

async function stopDirectory(): Promise<void> {
  directory.child.kill('SIGTERM');
  await directory.finished;
}

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'octavo-directory-'));
  url = `http://127.0.0.1:${await pickFreePort()}`;
  for (const name of names) {
    const cell = await startOwnPlatform({
      allowsPrivate: true,
      addressHeader: 'x-real-ip',
      publicUrl: url,
      testKey: process.env.OCTAVO_TEST_KEY ?? '',
      env: { OCTAVO_CHECK_RESPONSES: '1', OCTAVO_DIRECTORY_KEY: key },
    });
    installations[name] = cell;
    cells[name] = createServerClient(url, cell.dataDir);
  }
  await startDirectory();
});

afterAll(async () => {
  await stopDirectory();
  for (const installation of Object.values(installations)) await installation.remove();
  await rm(folder, { recursive: true, force: true });
});

describe.each(names)('an organization in the cell %s behind the directory', (name) => {
  beforeAll(() => replacePlatform(getCell(name)));
  afterAll(() => replacePlatform());

  test('can be used by two people who propose, discuss and merge', reviewTogether);
  testPartsOneAndTwo();
  testEveryWrite();
});

const getOrganizations = async ({ token }: { token: string }, server: Server) =>
  (await json<{ items: { id: string }[] }>('/v1/orgs', { token }, server)).items.map(({ id }) => id);

test('a person with an account in each of two cells sees the organizations of one cell with each token', async () => {
  const first = await getCell('eu').makeOrganization();
  const second = await getCell('us').makeOrganization();
  const server = getCell('eu');

  expect(await getOrganizations(first, server)).toEqual([first.id]);
  expect(await getOrganizations(second, server)).toEqual([second.id]);
  const { status } = await server.request(`/v1/orgs/${second.id}`, { token: first.token });
  expect(status).toBe(404);
});

test('a cell other than the first one serves its site, PDF, mails and sign-ins without tokens', async () => {
  const server = getCell('us');
  const world = await createMixedWorld(server);
  const { organization, site } = world;
  const mail = await waitForMail(`${organization.id}@example.test`, { server });

  expect(await getOrganizations({ token: await signIn(mail, server) }, server)).toEqual([organization.id]);
  const sso = await makeSso({ organization }, server);
  expect(await getOrganizations(await createSession(sso), server)).toEqual([organization.id]);
  const { status } = await server.request('/v1/urls/published', { body: { url: `${site}/walrus` } });
  expect(status).toBe(200);
});

/** Asks a cell directly, as the directory does. */
async function askFully(name: Name, question: string): Promise<DirectoryResponse> {
  const response = await getInstallation(name).request(`/directory/keys/${question}`, { token: key });
  return (await response.json()) as DirectoryResponse;
}
const ask = async (name: Name, question: string) => (await askFully(name, question)).claim;

test('a cell claims its own objects, and no other cell claims them', async () => {
  const server = getCell('us');
  const { organization, space, ids } = await createRandomWorld(server);
  const { id, token } = organization;
  const patch = (path: string, body: object) => json(path, { token, method: 'PATCH', body }, server);
  await patch(`/v1/orgs/${id}`, { hostname: 'acme-us' });
  await patch(`/v1/orgs/${id}/sites/${ids.siteId}`, { hostname: 'docs.acme.test' });
  const hash = createHash('sha256').update(token).digest('hex');
  const insertSpec =
    'INSERT INTO openapi_specs (id, organization, slug, created_at, updated_at) VALUES (?, ?, ?, 1, 1)';
  await writeDatabase(server, insertSpec, 'oas_1', id, 'an-api');
  const questions = [
    ...[`organization/${id}`, `organization/${id.toLowerCase()}`, 'organization/acme-us', `token/${hash}`],
    ...[`space/${space.id}`, `collection/${ids.collectionId}`, `saml-provider/${ids.samlProviderId}`],
    ...[`integration/${ids.integrationName}`, `installation/${ids.installationId}`, 'openapi-spec/oas_1'],
    'site/docs.acme.test',
  ];
  const readClaims = (name: Name) => Promise.all(questions.map((question) => ask(name, question)));

  expect(await readClaims('us')).toEqual(questions.map(() => 'current'));
  expect(await readClaims('eu')).toEqual(questions.map(() => null));
  await patch(`/v1/orgs/${id}/sites/${ids.siteId}`, { hostname: null, proxy: 'www.acme.test/docs' });
  const askSites = (...sites: string[]) =>
    Promise.all(sites.map((site) => askFully('us', `site/${encodeURIComponent(site)}`)));
  expect(
    await askSites(
      'docs.acme.test',
      'www.acme.test/docs',
      'www.acme.test/docs/a/b',
      'www.acme.test',
      'www.acme.test/d',
    ),
  ).toEqual([
    { claim: 'former', address: 'docs.acme.test' },
    { claim: 'current', address: 'www.acme.test/docs' },
    { claim: 'current', address: 'www.acme.test/docs' },
    { claim: null },
    { claim: null },
  ]);
});

test('a cell responds only to queries that have the key', async () => {
  const cell = getInstallation('us');
  const statuses = [undefined, 'another-key'].map(
    async (token) => (await cell.request('/directory/keys/space/a', { token }))?.status,
  );

  expect(await Promise.all(statuses)).toEqual([401, 401]);
});

test('while a cell is stopped, requests to other cells are served, even after a restart of the directory', async () => {
  const server = getCell('eu');
  const there = await getCell('us').makeOrganization();
  const here = await server.makeOrganization();
  const read = async (token: string) => (await server.request('/v1/user', { token })).status;
  const page = `/-/${here.id}/no-such-site`;
  const before = [await read(there.token), await read(here.token), (await server.request(page)).status];
  await getInstallation('us').kill('SIGTERM');
  await stopDirectory();
  await startDirectory();

  expect(before).toEqual([200, 200, 404]);
  expect([await read(there.token), await read('unknown'), await read(here.token)]).toEqual([503, 503, 200]);
  // The stopped cell could have an organization with this name. Only the table of the directory says that no cell has
  // it.
  expect((await server.request(page)).status).toBe(404);
  await getInstallation('us').restart();
  expect([await read(there.token), await read('unknown')]).toEqual([200, 401]);
});
