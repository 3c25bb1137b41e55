import { readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Site } from '@octavo/schema';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { waitForAllJobs } from '../../content/retention/trash.ts';
import { getClient, insertPage, type SpaceClient, writePage } from '../../content/space-client.ts';
import { json } from '../../support/content.ts';
import { type OwnPlatform, startOwnPlatform, until } from '../../support/own-platform.ts';
import { getObjects } from '../pdf/rendered.ts';
import { measure } from './reads.ts';

const createLongText = (word: string): string =>
  Array.from({ length: 800 }, (_, row) => `**${word}** in row ${row}.\n`).join('\n');

let server: OwnPlatform;
let client: SpaceClient;
let address: string;
let page: string;

beforeAll(async () => {
  server = await startOwnPlatform();
  const organization = await server.makeOrganization();
  const space = await server.makeSpace({ organization });
  client = getClient(server, space);
  [, page = ''] = await client.change([
    insertPage('Start'),
    insertPage('Long', { document: { markdown: createLongText('First') } }),
    insertPage('Short', { document: { markdown: 'Words.\n' } }),
  ]);
  const sites = `/v1/orgs/${organization.id}/sites`;
  const post = (path: string, body?: object) =>
    json<Site>(path, { token: space.token, method: 'POST', ...(body && { body }) }, server);
  const { id } = await post(sites, { spaces: [space.id], visibility: 'public' });
  address = (await post(`${sites}/${id}/publish`)).urls.published ?? '';
}, 120_000);

afterAll(() => server?.remove());

const read = (name: string) => measure(server, `${address}${name}`, {});
const findStored = () => getObjects(server, 'documents/').objects;
const waitForStored = () => until(() => findStored()[0]);

/** Restarts the server when it has no jobs left, and views a page, so that the tree is cached for the next views. */
async function restart(beforeStart: () => void = () => undefined): Promise<void> {
  await waitForAllJobs(server);
  await server.kill('SIGTERM');
  beforeStart();
  await server.restart();
  await read('');
}

test('after a restart, the document of a long page is neither read nor rendered again', async () => {
  const before = await read('long');
  await read('short');
  await waitForStored();
  await restart();
  const [after, short] = [await read('long'), await read('short')];

  expect(after.text).toBe(before.text);
  expect(findStored()).toEqual([expect.stringContaining(page)]);
  // The view of the long page only resolves its address. The view of the short page also reads its document.
  expect([after.trips, short.trips]).toEqual([1, 2]);
});

test('after a restart, a long page whose text was edited is rendered again', async () => {
  await client.change([writePage(page, createLongText('Second'))]);
  await restart();
  const { text, trips } = await read('long');

  expect([text.includes('First'), text.includes('Second'), trips]).toEqual([false, true, 2]);
});

test('a long page is rendered again if its stored document is damaged', async () => {
  const before = await read('long');
  await waitForStored();
  const damage = () => {
    const folder = path.join(server.dataDir, 'state/r2/octavo-rendered/blobs');
    for (const name of readdirSync(folder)) writeFileSync(path.join(folder, name), '{"key":');
  };
  await restart(damage);
  const after = await read('long');

  expect([after.status, after.text, after.trips]).toEqual([200, before.text, 2]);
});
