import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { createRandomString } from '@octavo/schema';
import { beforeAll, describe, expect, test } from 'vitest';
import { seal } from '../../../packages/runtime/src/secrets.ts';
import { json } from '../../support/content.ts';
import { writeDatabase } from '../../support/database.ts';
import type { TestInstallation, TestIntegration } from '../../support/integrations.ts';
import { getPath, install, installOn, makeIntegration } from '../../support/integrations.ts';
import { multiply } from '../../support/multiply.ts';
import type { TestOrganization } from '../../support/platform.ts';
import { platform } from '../../support/platform.ts';
import { seed } from '../../support/random.ts';

// Tests lists whose entries have the maximum length, so that the size in bytes limits a page too.

const entries = 75;
/** Maximum size of a page in bytes, including the last entry, which may exceed the limit, and small fields. */
const maxAnswer = 4_300_000;

const server = platform();
/** Part of the id or name of everything that this file creates. */
const tag = `long-${createRandomString(8)}`.toLowerCase();
const getId = (prefix: string, index: number | 'i' = 'i') =>
  index === 'i' ? `'${prefix}_${tag}' || i` : `${prefix}_${tag}${index}`;
const numbers = Array.from({ length: entries }, (_, index) => index + 1);

let home: TestOrganization;
let integration: TestIntegration;
let installation: TestInstallation;
/** An integration that is not installed anywhere, so that its log contains only entries from this file. */
let quiet: TestIntegration;
let [space, site] = ['', ''];

const createIcon = (index: number) => ({ id: `c${index}`, title: 'Long', icon: 'x'.repeat(2000) });
const createMany = <Item>(count: number, item: (index: number) => Item) =>
  Array.from({ length: count }, (_, index) => item(index));
const described = {
  title: tag.slice(0, 30),
  scopes: ['space:metadata:read', 'site:metadata:read'],
  visibility: 'private',
  blocks: createMany(15, createIcon),
  contentSources: createMany(14, (index) => ({ ...createIcon(index), configuration: { componentId: 'a' } })),
};

/** Encrypts a configuration of the maximum size for these owners and stores it. */
async function writeConfigurations(
  table: string,
  where: string,
  owners: { owner: string; key: string }[],
): Promise<void> {
  const env = { OCTAVO_SECRET: (await readFile(path.join(server.dataDir, 'secret'), 'utf8')).trim() };
  const configurations = [{ text: 'x'.repeat(65_000) }, {}];
  for (let from = 0; from < owners.length; from += 10) {
    const sealed = await Promise.all(
      owners
        .slice(from, from + 10)
        .map(async ({ owner, key }) => ({ key, text: await seal(env, owner, configurations) })),
    );
    const update = `UPDATE ${table} SET configuration = s.value->>'text' FROM json_each(?) s WHERE ${table}.${where} = s.value->>'key'`;
    await writeDatabase(server, update, JSON.stringify(sealed));
  }
}

async function installMany(): Promise<void> {
  const like = `x.id = '${installation.id}'`;
  await multiply('organizations', entries, `x.id = '${home.id}'`, { id: getId('org'), hostname: 'NULL' });
  await multiply('installations', entries, like, { id: getId('ins'), organization: getId('org'), created_at: 'i' });
  await multiply('installations', entries, like, { id: getId('inso'), integration: `'${tag}-' || i`, created_at: 'i' });
  const ids = [...numbers.map((index) => getId('ins', index)), ...numbers.map((index) => getId('inso', index))];
  await writeConfigurations(
    'installations',
    'id',
    ids.map((id) => ({ owner: id, key: id })),
  );
}

/** Installs one integration on many spaces or sites, and many integrations on one of them, directly in the database. */
async function installOnMany(kind: 'space' | 'site', place: string): Promise<void> {
  const like = `x.installation = '${installation.id}' AND x.${kind} = '${place}'`;
  const prefix = kind === 'space' ? 'spc' : 'site';
  const places = { [kind]: getId(prefix), external_ids: `'["outside"]'`, created_at: 'i' };
  await multiply(`${kind}_installations`, entries, like, places);
  const others = { installation: getId('inso'), integration: `'${tag}-' || i`, created_at: 'i' };
  await multiply(`${kind}_installations`, entries, like, others);
  const owners = numbers.map((index) => ({
    owner: `${installation.id}/${getId(prefix, index)}`,
    key: getId(prefix, index),
  }));
  await writeConfigurations(`${kind}_installations`, kind, owners);
}

beforeAll(async () => {
  home = await server.makeOrganization();
  integration = await makeIntegration(home, described);
  installation = await install(integration, home);
  quiet = await makeIntegration(home);
  space = (await server.makeSpace({ organization: home })).id;
  site = (await json<{ id: string }>(`/v1/orgs/${home.id}/sites`, { token: home.token, body: {} })).id;
  await installOn(getPath(integration, installation), home, { space });
  await installOn(getPath(integration, installation), home, { site });
  await multiply('integrations', entries, `x.name = '${integration.name}'`, {
    name: `'${tag}-' || i`,
    visibility: "CASE WHEN i < 4 THEN 'public' ELSE 'private' END",
    created_at: 'i',
  });
  await installMany();
  await multiply('spaces', entries, `x.id = '${space}'`, { id: getId('spc') });
  const sites = { id: getId('site'), basename: `'${tag}' || i`, stamp: getId('site') };
  await multiply('sites', entries, `x.id = '${site}'`, sites);
  await installOnMany('space', space);
  await installOnMany('site', site);
  await writeDatabase(
    server,
    `INSERT INTO integration_events (id, integration, organization, created_at, payload, status, logs)
      SELECT value, ?, ?, key, ?, 'success', '[]' FROM json_each(?)`,
    ...[quiet.name, home.id, JSON.stringify({ eventId: 'e', type: 't', text: 'ä'.repeat(32_000) })],
    JSON.stringify(numbers.map((index) => getId('evt', index))),
  );
});

interface Item extends Record<'id' | 'name' | 'space' | 'site', string> {
  integration: { name: string };
  installation: { id: string };
  target: { spaceId: string; siteId: string };
}

interface Page {
  items: Item[];
  next?: { page: string };
}

const createName = (index: number) => `${tag}-${index}`;
const createIdFactory = (prefix: string) => (index: number) => getId(prefix, index);
const getInstallationsPath = () => `/v1/integrations/${integration.name}/installations`;
const getStatusPath = (target: string) => () =>
  `/v1/orgs/${home.id}/integrations/installations-status?target=${target}`;
const createManyTargets = (kind: 'spaces' | 'sites') => [
  () => `${getInstallationsPath()}/${installation.id}/${kind}?`,
  () => `/v1/integrations/${integration.name}/${kind}?`,
  () => `/v1/integrations/${integration.name}/${kind}?externalId=outside`,
];

/** Each list with functions that return an item's key and the expected keys. */
const lists: [list: () => string, key: (item: Item) => string, wanted: (index: number) => string][] = [
  [() => `/v1/integrations?owner=${home.id}`, ({ name }) => name, createName],
  [() => `/v1/integrations?search=${tag}`, ({ name }) => name, createName],
  [() => `/v1/orgs/${home.id}/integrations?owner=${home.id}`, ({ name }) => name, createName],
  [() => `/v1/spaces/${space}/integrations?`, ({ name }) => name, createName],
  [() => `/v1/spaces/${space}/integrations?search=${tag}`, ({ name }) => name, createName],
  [() => `/v1/orgs/${home.id}/sites/${site}/integrations?`, ({ name }) => name, createName],
  [() => `${getInstallationsPath()}?`, ({ id }) => id, createIdFactory('ins')],
  [() => `/v1/orgs/${home.id}/installations?`, (item) => item.installation.id, createIdFactory('inso')],
  [() => `/v1/orgs/${home.id}/installations?search=${tag}`, (item) => item.installation.id, createIdFactory('inso')],
  [getStatusPath('organization'), (item) => item.integration.name, createName],
  [
    getStatusPath('space'),
    ({ target, integration: { name } }) => `${target.spaceId}/${name}`,
    (index) => `${getId('spc', index)}/${integration.name}`,
  ],
  [
    getStatusPath('site'),
    ({ target, integration: { name } }) => `${target.siteId}/${name}`,
    (index) => `${getId('site', index)}/${integration.name}`,
  ],
  ...createManyTargets('spaces').map((list): (typeof lists)[number] => [
    list,
    (item) => item.space,
    createIdFactory('spc'),
  ]),
  ...createManyTargets('sites').map((list): (typeof lists)[number] => [
    list,
    (item) => item.site,
    createIdFactory('site'),
  ]),
  [() => `/v1/integrations/${quiet.name}/events?`, ({ id }) => id, createIdFactory('evt')],
];

/** An integration lists its own installations with its own token. Other lists use the admin's token. */
const chooseToken = (address: string) =>
  address.startsWith(`/v1/integrations/${integration.name}/`) ? integration.token : home.token;

async function read(address: string, limit: number, page?: string) {
  const more = page === undefined ? '' : `&page=${page}`;
  const response = await server.request(`${address}&limit=${limit}${more}`, { token: chooseToken(address) });
  const body = await response.text();
  expect([address, response.status]).toEqual([address, 200]);
  return { ...(JSON.parse(body) as Page), bytes: Buffer.byteLength(body) };
}

/** Reads all pages of a list, or its first `count` items. */
async function getPages(address: string, count = Number.POSITIVE_INFINITY) {
  const pages = [await read(address, Math.min(count, 1000))];
  for (let left = count; ; ) {
    const { items, next } = pages.at(-1) as Page;
    left -= items.length;
    if (next === undefined || left === 0) return pages;
    pages.push(await read(address, Math.min(left, 1000), next.page));
  }
}

// These tests read a list several times, and all lists share one paging function, so each run tests a third of them.
const readAgain = new Set(lists.filter((_, index) => index % 3 === seed % 3).map(([list]) => list));

describe.each(lists)('%s', (list, key, expected) => {
  let pages: Awaited<ReturnType<typeof read>>[];
  beforeAll(async () => {
    pages = await getPages(list());
  });
  const getCount = () => pages.reduce((sum, { items }) => sum + items.length, 0);

  test('limits pages in bytes and lists everything once', () => {
    const keys = pages.flatMap(({ items }) => items.map(key));

    expect(new Set(keys).size).toBe(keys.length);
    expect(numbers.map(expected).filter((id) => !keys.includes(id))).toEqual([]);
    expect(Math.max(...pages.map(({ bytes }) => bytes))).toBeLessThan(maxAnswer);
    expect(pages.reduce((sum, { bytes }) => sum + bytes, 0)).toBeGreaterThan(maxAnswer);
  });

  if (readAgain.has(list))
    test('returns `next` only if there are more items, also after an exactly full page', async () => {
      const short = await read(list(), Math.max(getCount() - entries, 1));
      // The last entries have the same length, so exactly this number of them fills a page.
      const fit = (await read(list(), 1000, short.next?.page)).items.length;
      const before = await getPages(list(), getCount() - fit);
      const last = await read(list(), 1000, before.at(-1)?.next?.page);

      expect(Math.min(...pages.map(({ items }) => items.length))).toBeGreaterThan(0);
      expect([last.items.length, last.next]).toEqual([fit, undefined]);
    });
});

test('limits the blocks of a space to one response', async () => {
  const response = await server.request(`/v1/spaces/${space}/integration-blocks`, { token: home.token });
  const body = await response.text();

  expect(response.status).toBe(200);
  expect(Buffer.byteLength(body)).toBeLessThan(maxAnswer);
  expect((JSON.parse(body) as unknown[]).length).toBeGreaterThan(entries / 2);
});
