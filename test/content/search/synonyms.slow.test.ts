import { beforeAll, describe, expect, test } from 'vitest';
import { read } from '../../publishing/reader/reads.ts';
import { json, makeChangeRequest, makePage } from '../../support/content.ts';
import { until } from '../../support/own-platform.ts';
import type { TestOrganization } from '../../support/platform.ts';
import type { FoundSpace } from '../../support/search.ts';
import { publishSite } from '../visitors/visitor-client.ts';

type World = Awaited<ReturnType<typeof createWorld>>;

interface Result {
  titles: string[];
  pages: FoundSpace['pages'];
  correctedQuery: string | undefined;
}

const setSynonyms = ({ id, token }: TestOrganization, ...groups: string[][]) =>
  json(`/v1/orgs/${id}/search/synonyms`, {
    ...{ token, method: 'PUT' },
    body: { groups: groups.map((synonyms) => ({ synonyms })) },
  });

const toResult = (pages: FoundSpace['pages'], correctedQuery: string | undefined): Result => ({
  titles: pages.map(({ title }) => title),
  pages,
  correctedQuery,
});

type Results<Item> = { items: Item[]; correctedQuery?: string };

/** Publishes a site with a space that has these pages, and returns the searches that cover it. */
async function createWorld(pages: Record<string, string>) {
  const siteWorld = await publishSite();
  const { organization, site, space, visit } = siteWorld;
  for (const [title, markdown] of Object.entries(pages)) await makePage(space, title, markdown);
  const mergeSpaces = ({ items, correctedQuery }: Results<FoundSpace>) =>
    toResult(
      items.flatMap((each) => each.pages),
      correctedQuery,
    );
  const searchInSite = async (words: string, token: string) => {
    const path = `/v1/orgs/${organization.id}/sites/${site.id}/search`;
    const body = { query: words, scope: { mode: 'all' } };
    return mergeSpaces(await json<Results<FoundSpace>>(path, { token, method: 'POST', body }));
  };
  const searchInSpace = async (words: string, path = '') => {
    const url = `/v1/spaces/${space.id}${path}/search?query=${encodeURIComponent(words)}`;
    const { items, correctedQuery } = await json<Results<FoundSpace['pages'][number]>>(url, space);
    return toResult(items, correctedQuery);
  };
  for (const title of Object.keys(pages)) await until(async () => (await searchInSpace(title)).titles.includes(title));
  const changeRequest = await makeChangeRequest(space);
  const ways: Record<string, (words: string) => Promise<Result>> = {
    'of the space': (words) => searchInSpace(words),
    'of a change request': (words) => searchInSpace(words, `/change-requests/${changeRequest.id}`),
    'of the organization': async (words) => {
      const path = `/v1/orgs/${organization.id}/search?query=${encodeURIComponent(words)}`;
      return mergeSpaces(await json<Results<FoundSpace>>(path, organization));
    },
    'of the site by a member': (words) => searchInSite(words, organization.token),
    'of the site by a visitor': (words) => searchInSite(words, visit().token),
  };
  return { ...siteWorld, ways, inSite: searchInSite, inSpace: searchInSpace };
}

const names = [
  ...['of the space', 'of a change request', 'of the organization'],
  ...['of the site by a member', 'of the site by a visitor'],
];

describe('searches', () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld({
      Orchestration: 'Deploy to kubernetes.',
      Cluster: 'Your first K8s cluster.',
      Session: 'You signed in yesterday.',
      Entrance: 'The login of the app.',
      Road: 'A sign of the road. We live in a house.',
      Token: 'Turn on two-factor authentication for all.',
      Phone: 'Turn on 2fa for all.',
    });
    const groups = [
      ['k8s', 'kubernetes'],
      ['login', 'sign in', 'log in'],
      ['2FA', 'two factor authentication'],
    ];
    await setSynonyms(world.organization, ...groups);
  });

  test.each(names)('%s finds synonyms in both directions', async (name) => {
    const search = world.ways[name] as World['ways'][string];

    expect((await search('k8s ')).titles).toEqual(['Cluster', 'Orchestration']);
    expect((await search('kubernetes ')).titles).toEqual(['Orchestration', 'Cluster']);
    expect((await search('Logins ')).titles).toEqual(['Entrance', 'Session']);
    expect((await search('2fa ')).titles).toEqual(['Phone', 'Token']);
    expect((await search('two-factor authentication ')).titles).toEqual(['Token', 'Phone']);
    expect((await search('log in ')).titles).toEqual(expect.arrayContaining(['Entrance', 'Session']));
    expect((await search('sign in ')).titles.toSorted()).toEqual(['Entrance', 'Road', 'Session']);
  });

  test.each(names)('%s returns the positions of synonyms, and suggests no correction', async (name) => {
    const { pages, correctedQuery } = await (world.ways[name] as World['ways'][string])('logins ');
    const [section] = pages[1]?.sections ?? [];
    const { body = '', matches } = section ?? {};

    expect(matches?.body.map(([start, end]) => body.slice(start, end))).toEqual(['signed in']);
    expect(correctedQuery).toBeUndefined();
  });
});

test.each(names)('new synonyms change the next search %s, even if its result is cached', async (name) => {
  const world = await createWorld({ Otters: 'An otter swims.', Badgers: 'A badger digs.', Others: 'A third one.' });
  const search = async (words: string) => (await (world.ways[name] as World['ways'][string])(words)).titles;

  for (const [groups, titles] of [
    [[], ['Otters']],
    [[['otter', 'badger']], ['Otters', 'Badgers']],
    [[['otter', 'third']], ['Otters', 'Others']],
    [[['lynx', 'third']], ['Otters']],
    [[['otter', 'badger']], ['Otters', 'Badgers']],
    [[], ['Otters']],
  ] as const) {
    await setSynonyms(world.organization, ...groups.map((group) => [...group]));
    for (const words of ['otter ', 'otter ', 'ottre ', 'ottre '])
      expect([groups, words, await search(words)]).toEqual([groups, words, titles]);
  }
});

test('the search field of a site uses the synonyms', async () => {
  const world = await createWorld({ Otters: 'An otter swims.', Badgers: 'A badger digs.' });
  const address = `${(await world.site.get()).urls.published}~/search.json?q=otter`;
  const isFound = async () => (await read(address)).text.includes('Badgers');

  const before = await isFound();
  await setSynonyms(world.organization, ['otter', 'badger']);
  const after = await isFound();

  expect([before, after]).toEqual([false, true]);
});

test('a search in another organization does not use the synonyms', async () => {
  const pages = { Otters: 'An otter swims.', Badgers: 'A badger digs.' };
  const [world, other] = [await createWorld(pages), await createWorld(pages)];
  await setSynonyms(world.organization, ['otter', 'badger']);

  for (const name of names) {
    expect((await world.ways[name]?.('otter '))?.titles).toEqual(['Otters', 'Badgers']);
    expect((await other.ways[name]?.('otter '))?.titles).toEqual(['Otters']);
  }
});

test('synonyms reveal nothing about hidden text', async () => {
  const condition = 'visitor.claims.isBeta';
  const visible = { Otters: 'An otter swims, and an ottre.', Lynx: 'Not a word.' };
  const hidden = {
    Hidden: `{% if ${condition} %}\nA badger digs. A brock sleeps.\n{% endif %}\n\nAnother text.`,
  };
  const [alone, beside] = [await createWorld(visible), await createWorld({ ...visible, ...hidden })];
  const groups = [
    ['otter', 'badger'],
    ['brock', 'beaver', 'badger digs'],
  ];
  const search = async ({ inSite, visit }: World, words: string, claims = {}) => {
    const { pages, correctedQuery } = await inSite(words, visit(claims).token);
    const foundTexts = pages.map(({ title, sections }) => [title, sections?.map(({ body }) => body)]);
    return { found: foundTexts, correctedQuery };
  };
  for (const world of [alone, beside]) await setSynonyms(world.organization, ...groups);

  for (const words of ['otter', 'badger ', 'brock ', 'badger digs', 'beaver', 'baedger', 'beavr', 'otter brock'])
    expect([words, await search(beside, words)]).toEqual([words, await search(alone, words)]);
  expect((await search(beside, 'beaver', { isBeta: true })).found.map(([title]) => title)).toEqual(['Hidden']);
});
