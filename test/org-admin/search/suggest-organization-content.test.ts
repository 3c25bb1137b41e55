import { beforeAll, describe, expect, test } from 'vitest';
import { getCost } from '../../content/space-client.ts';
import { edit, json, makePage } from '../../support/content.ts';
import { until } from '../../support/own-platform.ts';
import { makeMember } from '../../support/people.ts';
import type { TestOrganization, TestSpace } from '../../support/platform.ts';
import { platform } from '../../support/platform.ts';
import type { SuggestedList } from '../../support/search.ts';
import { searchOrganization, suggest } from '../../support/search.ts';

/** The index is updated asynchronously. Repeats a search until it finds something. */
const waitForIndex = (organization: TestOrganization, words: string) =>
  until(async () => (await searchOrganization(organization, words)).items[0]);

const getTitles = ({ items }: SuggestedList) =>
  items.map(({ title, page }) => (title === page.title ? title : `${page.title} > ${title}`));

const pages: Record<string, string> = {
  Configuration: 'All settings.\n\n## Configuration\n\n## Environment variables\n\nconfigure them',
  'Configure a proxy': 'Words about the environment.\n\n## Before you start\n\n### HashMap and café',
  'The proxy': 'configuration\n\n## Configuring certificates\n\n## 所有权 rules',
  'Every word': 'limits, a proxy server and installations\n\n## Rate limits',
};

let organization: TestOrganization;
let space: TestSpace;
beforeAll(async () => {
  organization = await platform().makeOrganization();
  space = await platform().makeSpace({ organization, title: 'Handbook' });
  for (const [title, markdown] of Object.entries(pages)) await makePage(space, title, markdown);
  await waitForIndex(organization, 'installations');
});

const listSuggestedTitles = async (words: string, more = '') => getTitles(await suggest(organization, words, more));

describe('suggestions are', () => {
  test('titles and headings with the words, with their locations', async () => {
    const { items } = await suggest(organization, 'environment var');

    const [page] = (await searchOrganization(organization, 'environment variables')).items[0]?.pages ?? [];
    const id = page?.id ?? '';
    expect(items).toEqual([
      {
        id: 'environment-variables',
        title: 'Environment variables',
        path: 'configuration#environment-variables',
        page: { id, title: 'Configuration' },
        space: { id: space.id, title: 'Handbook' },
        matches: {
          title: [
            [0, 11],
            [12, 21],
          ],
        },
        urls: { app: `${page?.urls.app}#environment-variables` },
      },
    ]);
    expect((await suggest(organization, 'every')).items).toEqual([
      expect.objectContaining({ path: 'every-word', matches: { title: [[0, 5]] }, urls: { app: expect.any(String) } }),
    ]);
  });

  test.each([
    ['conf', ['Configuration', 'Configure a proxy', 'The proxy > Configuring certificates']],
    ['configuration', ['Configuration', 'Configure a proxy', 'The proxy > Configuring certificates']],
    ['proxy', ['The proxy', 'Configure a proxy']],
    ['prox', ['The proxy', 'Configure a proxy']],
    ['certificates', ['The proxy > Configuring certificates']],
    ['proxy certificates', ['The proxy > Configuring certificates']],
    ['hash', ['Configure a proxy > HashMap and café']],
    ['hashmap', ['Configure a proxy > HashMap and café']],
    ['hash-map CAFE', ['Configure a proxy > HashMap and café']],
    ['有权', ['The proxy > 所有权 rules']],
    ['所', ['The proxy > 所有权 rules']],
    ['certificats', ['The proxy > Configuring certificates']],
    ['how to configure a pro', ['Configure a proxy', 'The proxy > Configuring certificates']],
    ['proxy c', ['The proxy', 'Configure a proxy']],
  ])('for %j: %j', async (words, expected) => {
    expect(await listSuggestedTitles(words)).toEqual(expected);
  });

  test.each([
    'installations',
    'server',
    'settings',
    'proxy installations',
    'proxy installatons',
    'p',
    '',
    '***',
    'xyzzy',
  ])('missing for %j, which no title or heading contains', async (words) => {
    expect(await suggest(organization, words)).toEqual({ items: [] });
  });

  test('for the corrected query, if words are not found anywhere', async () => {
    expect((await suggest(organization, 'certificats ')).correctedQuery).toBe('certificates ');
    expect((await suggest(organization, 'proxy')).correctedQuery).toBeUndefined();
  });

  test('limited to eight, or to the limit up to 20, with at most five headings of a page', async () => {
    const other = await platform().makeOrganization();
    const many = await platform().makeSpace({ organization: other });
    const headings = Array.from({ length: 9 }, (_, part) => `## Otter ${part}\n`).join('\n');
    await edit(
      many,
      Array.from({ length: 30 }, (_, index) => ({
        operation: 'insert_page',
        title: index === 29 ? 'Otter' : `Page ${index}`,
        document: { markdown: headings },
      })),
    );
    await waitForIndex(other, 'otter');
    const countSuggestions = async (more: string) => (await suggest(other, 'otter', more)).items.length;

    expect([
      await countSuggestions(''),
      await countSuggestions('&limit=20'),
      await countSuggestions('&limit=1'),
      await countSuggestions('&limit=0'),
    ]).toEqual([...[8, 20, 1, 0]]);
    const { items } = await suggest(other, 'otter', '&limit=20');
    expect(items[0]?.title).toBe('Otter');
    for (const ofPage of Map.groupBy(items.slice(1), ({ page }) => page.id).values())
      expect(ofPage.length).toBeLessThanOrEqual(5);
    for (const limit of ['21', '-1', 'x'])
      expect(
        (await platform().request(`/v1/orgs/${other.id}/search/suggestions?query=a&limit=${limit}`, other)).status,
      ).toBe(400);
  });
});

describe('hidden pages', () => {
  test('change neither suggestions nor the reported cost', async () => {
    const { makeOrganization, makeSpace, request } = platform();
    const [own, alone] = [await makeOrganization(), await makeOrganization()];
    for (const each of [own, alone]) {
      const open = await makeSpace({ organization: each, title: 'Open' });
      await makePage(open, 'Walrus guide', '## Feeding\n\n## Walrus and seal');
      await makePage(open, 'Last', 'finished');
    }
    const hidden = await makeSpace({ organization: own, title: 'Hidden' });
    const crowd = Array.from({ length: 40 }, (_, index) => ({
      operation: 'insert_page',
      title: index === 0 ? 'Walrus' : `Walrus feedinx sealx ${index}`,
      document: { markdown: '## Walrus\n\n## Wallet\n\n## Feedings' },
    }));
    await edit(hidden, crowd);
    const [off = ''] = await edit(hidden, [
      { ...crowd[0], noIndex: true, ref: 'off' },
      { ...crowd[1], into: 'off' },
    ]);
    await edit(hidden, [{ operation: 'delete_page', page: off }]);
    await json(`/v1/spaces/${hidden.id}`, { token: own.token, method: 'PATCH', body: { defaultLevel: 'none' } });
    const [reader, other] = [await makeMember(own), await makeMember(alone)];
    await until(async () => (await suggest(own, 'feedinx')).items[0]);
    await waitForIndex(alone, 'finished');
    await waitForIndex(own, 'finished');

    const readSuggestions = async ({ id }: TestOrganization, token: string, words: string) => {
      const { items, ...rest } = await suggest({ id, token }, words);
      return { ...rest, items: items.map(({ title, path, matches }) => ({ title, path, matches })) };
    };
    for (const words of ['w', 'wal', 'walrus', 'feed', 'feedinx', 'feedinx ', 'walrsu ', 'seal', 'sealx', 'wallet']) {
      const expected = await readSuggestions(alone, other.token, words);
      expect([words, await readSuggestions(own, reader.token, words)]).toEqual([words, expected]);
    }
    const costs = await Promise.all(
      ['walrus+walrus', 'nothing'].map(async (words) => {
        const { headers } = await request(`/v1/orgs/${own.id}/search/suggestions?query=${words}`, reader);
        return headers.get('server-timing');
      }),
    );
    expect(costs[0]).toBe(costs[1]);
    expect(getTitles(await suggest(own, 'walrus'))[0]).toBe('Walrus');
  });

  test('are no longer suggested as soon as they get noIndex, are moved below such a page or are deleted', async () => {
    const other = await platform().makeOrganization();
    const own = await platform().makeSpace({ organization: other });
    const ids = [];
    for (const title of ['Heron one', 'Heron two', 'Heron three', 'Heron four']) ids.push(await makePage(own, title));
    await until(async () => (await suggest(other, 'heron')).items.length === 4 || undefined);

    const [one, two, three] = ids;
    await edit(own, [{ operation: 'update_page', page: one, noIndex: true }]);
    await edit(own, [{ operation: 'update_page', page: two, into: one }]);
    await edit(own, [{ operation: 'delete_page', page: three }]);

    expect(getTitles(await suggest(other, 'heron'))).toEqual(['Heron four']);
  });
});

test('suggestions take few round trips, and one less if they were found before', async () => {
  const suggestTitles = async (words: string) => {
    const path = `/v1/orgs/${organization.id}/search/suggestions?query=${encodeURIComponent(words)}`;
    return getCost(await platform().request(path, organization)).trips;
  };
  const [first, second] = [await suggestTitles('configuring'), await suggestTitles('configuring')];

  expect(first).toBeLessThanOrEqual(3);
  expect(second).toBe(first - 1);
});
