import { describe, expect, test } from 'vitest';
import { edit, json, makePage } from '../../support/content.ts';
import { until } from '../../support/own-platform.ts';
import { walk } from '../../support/paging.ts';
import type { TestOrganization, TestSpace } from '../../support/platform.ts';
import { platform } from '../../support/platform.ts';
import type { FoundSpace } from '../../support/search.ts';
import { searchOrganization } from '../../support/search.ts';

type Results = Awaited<ReturnType<typeof searchOrganization>>;

/** The index is updated asynchronously. Repeats the search until it finds this many pages. */
const waitForResults = (organization: TestOrganization, words: string, pages: number) =>
  until(async () => {
    const searchResult = await searchOrganization(organization, words);
    return searchResult.items.flatMap((space) => space.pages).length === pages ? searchResult : undefined;
  });

const getTitles = ({ items }: Results) => items.map(({ title, pages }) => [title, pages.map((page) => page.title)]);

async function getSpace(organization: TestOrganization, title: string, pages: Record<string, string>) {
  const space = await platform().makeSpace({ organization, title });
  const changes = Object.entries(pages).map(([name, markdown]) => ({
    operation: 'insert_page',
    title: name,
    document: { markdown },
  }));
  await edit(space, changes);
  return space;
}

const hide = ({ id, token }: TestSpace) =>
  json(`/v1/spaces/${id}`, { token, method: 'PATCH', body: { defaultLevel: 'none' } });

describe('a search returns', () => {
  test("pages grouped by space, each equal to the result of the space's own search", async () => {
    const organization = await platform().makeOrganization();
    const filler = 'Other words are here. '.repeat(20);
    const mention = await getSpace(organization, 'Mentions', { Intro: `${filler} a zebra ${filler}` });
    const about = await getSpace(organization, 'About', {
      Zebra: `${filler}\n\n## Stripes\n\nThe zebra.`,
      Lion: filler,
    });
    await getSpace(organization, 'Nothing', { Lion: filler });

    const searchResult = await waitForResults(organization, 'zebra', 2);

    expect(searchResult.count).toBe(2);
    expect(getTitles(searchResult)).toEqual([
      ['About', ['Zebra']],
      ['Mentions', ['Intro']],
    ]);
    for (const [index, { id }] of [about, mention].entries()) {
      const alone = await json<{ items: object[] }>(`/v1/spaces/${id}/search?query=zebra`, organization);
      expect(searchResult.items[index]).toEqual({ id, title: index === 0 ? 'About' : 'Mentions', pages: alone.items });
    }
  });

  test('at most the ten best pages of a space, and five sections of a page', async () => {
    const organization = await platform().makeOrganization();
    const sections = Array.from({ length: 7 }, (_, index) => `## Part ${index}\n\nan otter\n`).join('\n');
    const pages = Array.from({ length: 12 }, (_, index) => [`Page ${index}`, sections]);
    await getSpace(organization, 'Many', { ...Object.fromEntries(pages), Otter: sections });
    await getSpace(organization, 'Few', { Last: 'an otter' });

    const searchResult = await waitForResults(organization, 'otter', 11);

    expect(searchResult.items.map(({ title, pages: ofSpace }) => [title, ofSpace.length])).toEqual([
      ['Many', 10],
      ['Few', 1],
    ]);
    expect(searchResult.items[0]?.pages[0]?.title).toBe('Otter');
    for (const page of searchResult.items[0]?.pages ?? []) expect(page.sections).toHaveLength(5);
  });

  test('more than ten pages of the only space', async () => {
    const organization = await platform().makeOrganization();
    const pages = Array.from({ length: 12 }, (_, index) => [`Page ${index}`, 'an otter']);
    await getSpace(organization, 'Many', Object.fromEntries(pages));

    expect((await waitForResults(organization, 'otter', 12)).count).toBe(1);
  });

  test('nothing for a query without words', async () => {
    const organization = await platform().makeOrganization();

    for (const words of ['', ' ', '***', '\u0000']) {
      expect(await searchOrganization(organization, words)).toEqual({ count: 0, items: [] });
    }
  });

  test('nothing for internal IDs that the index contains', async () => {
    const organization = await platform().makeOrganization();
    const space = await getSpace(organization, 'A space', { Page: 'a heron' });
    await waitForResults(organization, 'heron', 1);

    for (const id of [space.id, organization.id]) {
      for (const words of [id, id.slice(4)]) expect((await searchOrganization(organization, words)).items).toEqual([]);
    }
  });
});

test('no hidden pages, and hidden pages neither affect counts nor displace visible pages', async () => {
  const { makeOrganization, makeUser, request } = platform();
  const organization = await makeOrganization();
  const crowd = Array.from({ length: 12 }, (_, index) => [
    `Secret ${index}`,
    Array.from({ length: 50 }, (_, part) => `## Walrus ${part}\n\nwalrus walrus\n`).join('\n'),
  ]);
  const hidden = await getSpace(organization, 'Hidden', Object.fromEntries(crowd));
  await getSpace(organization, 'Open', { Mention: `${'Other words. '.repeat(100)} a walrus` });
  await hide(hidden);
  const reader = await makeUser({ organization: organization.id, role: 'read' });
  const asReader = { ...organization, ...reader };
  await until(async () => {
    const [page] = (await json<{ items: object[] }>(`/v1/spaces/${hidden.id}/search?query=walrus+49`, organization))
      .items;
    return page;
  });

  const searchResult = await until(async () => {
    const each = await searchOrganization(asReader, 'walrus');
    return each.count > 0 ? each : undefined;
  });
  const costs = await Promise.all(
    // Both words are on the open page. Another limit is used, because repeated searches are cached.
    ['walrus', 'other'].map(async (words) => {
      const { headers } = await request(`/v1/orgs/${organization.id}/search?query=${words}&limit=9`, reader);
      return headers.get('server-timing');
    }),
  );

  expect(getTitles(searchResult)).toEqual([['Open', ['Mention']]]);
  expect(searchResult.next).toBeUndefined();
  expect(costs[0]).toBe(costs[1]);
  expect(getTitles(await searchOrganization(organization, 'walrus'))[0]?.[0]).toBe('Hidden');
});

test('no pages with noIndex or their descendants, and no deleted pages', async () => {
  const organization = await platform().makeOrganization();
  const space = await platform().makeSpace({ organization });
  await makePage(space, 'Open', 'common');
  const off = await makePage(space, 'Off', 'common', { noIndex: true });
  await makePage(space, 'Below', 'common', { into: off });
  const gone = await makePage(space, 'Gone', 'common');
  await edit(space, [{ operation: 'delete_page', page: gone }]);
  await makePage(space, 'Last', 'common');

  expect((await waitForResults(organization, 'common', 2)).items[0]?.pages.map(({ title }) => title).sort()).toEqual([
    'Last',
    'Open',
  ]);
});

test('each space once in a stable order, and rejects invalid limits and cursors', async () => {
  const { makeOrganization, request } = platform();
  const organization = await makeOrganization();
  for (let index = 1; index <= 5; index += 1) {
    await getSpace(organization, `Space ${index}`, {
      [`Page ${index}`]: 'penguin '.repeat(index),
      Other: 'x '.repeat(index),
    });
  }
  const all = (await waitForResults(organization, 'penguin', 5)).items.map(({ id }: FoundSpace) => id);
  const path = `/v1/orgs/${organization.id}/search?query=penguin`;
  const encodeCursor = (place: unknown) => `page=${Buffer.from(JSON.stringify([place])).toString('base64url')}`;

  for (const limit of [1, 2, 5]) expect(await walk(path, organization.token, { limit })).toEqual(all);
  expect(await searchOrganization(organization, 'penguin', '&limit=0')).toEqual({ count: 0, items: [] });
  for (const wrong of ['limit=1001', 'limit=-1', 'page=x', 'page=', ...[0.5, -3, 201, '5'].map(encodeCursor)]) {
    const response = await request(`${path}&${wrong}`, organization);
    expect([wrong, response.status]).toEqual([wrong, 400]);
    expect(await response.json()).toMatchObject({ error: { type: 'invalid' } });
  }
  expect(await searchOrganization(organization, 'penguin', `&${encodeCursor(200)}`)).toEqual({ count: 0, items: [] });
});

test('returns no content of another organization, and reads no rows of it', async () => {
  const { makeOrganization, request } = platform();
  const [mine, theirs] = [await makeOrganization(), await makeOrganization()];
  await getSpace(mine, 'Mine', { Mine: 'a gecko' });
  await waitForResults(mine, 'gecko', 1);
  const countRowsRead = async () => {
    const { headers } = await request(`/v1/orgs/${mine.id}/search?query=gecko`, mine);
    return /d1-rows-read;desc="(\d+)"/.exec(headers.get('server-timing') ?? '')?.[1];
  };
  const before = await countRowsRead();
  expect(Number(before)).toBeGreaterThan(0);

  const pages = Array.from({ length: 40 }, (_, index) => [`Theirs ${index}`, 'a gecko\n\n## Gecko\n\ngecko']);
  await getSpace(theirs, 'Theirs', Object.fromEntries(pages));
  await waitForResults(theirs, 'gecko', 40);

  expect(await countRowsRead()).toBe(before);
  expect(getTitles(await searchOrganization(mine, 'gecko'))).toEqual([['Mine', ['Mine']]]);
  expect((await request(`/v1/orgs/${theirs.id}/search?query=gecko`, mine)).status).toBe(404);
});
