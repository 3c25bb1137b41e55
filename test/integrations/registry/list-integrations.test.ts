import { beforeAll, describe, expect, test } from 'vitest';
import { json } from '../../support/content.ts';
import { writeDatabase } from '../../support/database.ts';
import { guest, makeMember } from '../../support/people.ts';
import { platform, type TestOrganization } from '../../support/platform.ts';
import { createUniqueName, listNames, publish, type ShownIntegration } from './registry-client.ts';

let [owner, other] = [] as unknown as [TestOrganization, TestOrganization];
const tag = createUniqueName('listed');
const createName = (rest: string): string => `${tag}-${rest}`;

const definitions: Record<string, Record<string, unknown>> = {
  plain: { title: 'Ünique Title' },
  analytics: { categories: ['analytics', 'other'], scopes: ['space:views:read'], target: 'site' },
  cards: {
    blocks: [{ id: 'card', title: 'Card', urlUnfurl: ['https://cards.test/x/**', 'https://*.Figures.test/**'] }],
    target: 'space',
  },
  boards: { blocks: [{ id: 'board', title: 'Board', urlUnfurl: ['**.boards.test'] }] },
  pages: {
    contentSources: [{ id: 'pages', title: 'Pages', configuration: { componentId: 'c' } }],
    blocks: [],
    scopes: ['space:content:read', 'space:views:read'],
    target: 'organization',
  },
  private: { visibility: 'private', categories: ['analytics'] },
  unlisted: { visibility: 'unlisted', scopes: ['space:views:read'] },
};

beforeAll(async () => {
  owner = await platform().makeOrganization();
  other = await platform().makeOrganization();
  for (const [rest, more] of Object.entries(definitions)) {
    await publish(owner, { visibility: 'public', title: 'A tool', ...more, name: createName(rest) });
  }
});

const all = Object.keys(definitions);
const open = all.filter((rest) => definitions[rest]?.visibility === undefined);

const filters: [query: string, kept: string[]][] = [
  ['', all],
  ['category=analytics', ['analytics', 'private']],
  ['category=gitsync', []],
  ['scope=space:views:read', ['analytics', 'pages', 'unlisted']],
  ['scope=space:content:read', ['pages']],
  ['target=site', ['analytics']],
  ['target=all', ['plain', 'boards', 'private', 'unlisted']],
  ['blocks=true', ['cards', 'boards']],
  ['blocks=false', ['plain', 'analytics', 'pages', 'private', 'unlisted']],
  ['contentSources=true', ['pages']],
  ['contentSources=false', all.filter((rest) => rest !== 'pages')],
  ['blockDomain=cards.test', ['cards']],
  ['blockDomain=CARDS.test', ['cards']],
  ['blockDomain=www.cards.test', []],
  ['blockDomain=eu.figures.test', ['cards']],
  ['blockDomain=a.b.boards.test', ['boards']],
  ['blockDomain=boards.test', []],
  ['blockDomain=otherboards.test', []],
  ['blockDomain=ards_test', []],
  ['blocks=true&target=space', ['cards']],
  ['category=analytics&scope=space:views:read', ['analytics']],
];

const lists = {
  'GET /v1/integrations': () => '/v1/integrations',
  'GET /v1/orgs/{organizationId}/integrations': () => `/v1/orgs/${owner.id}/integrations`,
};

describe.each(Object.entries(lists))('%s', (_, path) => {
  test.each(filters)('the query %s returns %j', async (query, expectedNames) => {
    const { count, items } = await json<{ count: number; items: ShownIntegration[] }>(
      `${path()}?search=${tag}&${query}`,
      owner,
    );

    expect(items.map(({ name }) => name).toSorted()).toEqual(expectedNames.map(createName).toSorted());
    expect(count).toBe(expectedNames.length);
  });

  test('searches names and titles, ignoring case', async () => {
    expect(await listNames(`${path()}?search=${tag.toUpperCase()}-BOARD`, owner.token)).toEqual([createName('boards')]);
    expect(await listNames(`${path()}?owner=${owner.id}&search=${encodeURIComponent('üNIQUE')}`, owner.token)).toEqual([
      createName('plain'),
    ]);
    expect(await listNames(`${path()}?search=${encodeURIComponent(`${tag}%`)}`, owner.token)).toEqual([]);
    expect(await listNames(`${path()}?search=${encodeURIComponent(`${tag}_boards`)}`, owner.token)).toEqual([]);
  });

  test('filters by owner, by ID and by subdomain', async () => {
    const hostname = createUniqueName('own').slice(0, 30);
    await json(`/v1/orgs/${owner.id}`, { token: owner.token, method: 'PATCH', body: { hostname } });

    for (const named of [owner.id, hostname]) {
      const names = await listNames(`${path()}?owner=${named}&limit=1000`, owner.token);
      expect(names.toSorted()).toEqual(all.map((rest) => `${tag}-${rest}`).toSorted());
    }
    expect(await listNames(`${path()}?owner=nobody-has-this`, owner.token)).toEqual([]);
    expect(await listNames(`${path()}?owner=${other.id}`, owner.token)).toEqual([]);
  });

  test('pages of any size return each integration once, newest first', async () => {
    const expected = all.map(createName).toReversed();
    for (const limit of [1, 2, 3, 7, 50]) {
      const names: string[] = [];
      let page: string | undefined;
      do {
        const more = page === undefined ? '' : `&page=${page}`;
        const listPage = await json<{ items: ShownIntegration[]; next?: { page: string } }>(
          `${path()}?search=${tag}&limit=${limit}${more}`,
          owner,
        );
        names.push(...listPage.items.map(({ name }) => name));
        page = listPage.next?.page;
      } while (page !== undefined);
      expect(names).toEqual(expected);
    }
  });

  test.each([
    ['category=games', 'query.category'],
    ['scope=all', 'query.scope'],
    ['target=page', 'query.target'],
    ['blocks=yes', 'query.blocks'],
    ['contentSources=1', 'query.contentSources'],
    ['blockDomain=a/b', 'query.blockDomain'],
    [`blockDomain=${'a'.repeat(101)}`, 'query.blockDomain'],
    [`search=${'a'.repeat(257)}`, 'query.search'],
    ['owner=a b', 'query.owner'],
    ['limit=1001', 'query.limit'],
    ['page=nothing', 'query.page'],
  ])('rejects the query %s', async (query, place) => {
    const response = await platform().request(`${path()}?${query}`, { token: owner.token });

    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { issues: [{ path: place }] } });
  });
});

test('integrations published at the same time have a stable order', async () => {
  const names = ['a', 'B', 'c', 'D', 'e'].map((letter) => createUniqueName(`${tag}same-${letter}`));
  for (const name of names) await publish(other, { name, visibility: name.includes('c-') ? 'private' : 'public' });
  await writeDatabase(platform(), 'UPDATE integrations SET created_at = 5 WHERE organization = ?', other.id);

  const found: string[] = [];
  let page: string | undefined;
  do {
    const more = page === undefined ? '' : `&page=${page}`;
    const listPage = await json<{ items: ShownIntegration[]; next?: { page: string } }>(
      `/v1/integrations?search=${tag}same&limit=1${more}`,
      other,
    );
    found.push(...listPage.items.map(({ name }) => name));
    page = listPage.next?.page;
  } while (page !== undefined);

  expect(found).toEqual(names.toReversed());
});

describe('integrations that an organization can install', () => {
  test('include public integrations and its own', async () => {
    const path = `/v1/orgs/${other.id}/integrations?search=${tag}-`;

    expect((await listNames(path, other.token)).toSorted()).toEqual(open.map(createName).toSorted());
  });

  test('do not depend on what else the caller can read', async () => {
    const both = await makeMember(owner, 'admin');
    await json(`/v1/orgs/${other.id}/invites`, { token: other.token, body: { emails: [], role: 'read' } }).catch(
      () => 0,
    );
    const response = await platform().request(`/v1/orgs/${other.id}/integrations`, { token: both.token });

    expect(response.status).toBe(404);
  });

  test('are visible only to members with a role', async () => {
    const path = `/v1/orgs/${other.id}/integrations`;
    const readStatus = async (token: string) => (await platform().request(path, { token })).status;

    expect(await readStatus((await makeMember(other, 'read')).token)).toBe(200);
    expect(await readStatus((await makeMember(other, guest)).token)).toBe(403);
    expect(await readStatus(owner.token)).toBe(404);
  });
});
