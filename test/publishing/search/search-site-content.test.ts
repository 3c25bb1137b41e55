import { expect, test, vi } from 'vitest';
import type { Change } from '../../content/space-client.ts';
import { getClient, getCost } from '../../content/space-client.ts';
import { json } from '../../support/content.ts';
import { platform } from '../../support/platform.ts';
import type { FoundSpace } from '../../support/search.ts';
import { createPublishedSite, resolve, type SiteWorld } from '../resolution/site-world.ts';

const createPage = (title: string, markdown: string, more: Partial<Change> = {}): Change => ({
  ...{ operation: 'insert_page', title, document: { markdown } },
  ...more,
});

interface Results {
  status: number;
  count: number;
  items: FoundSpace[];
  next?: { page: string };
  cost: ReturnType<typeof getCost>;
}

async function search({ path }: Pick<SiteWorld, 'path'>, token: string | undefined, body: object, more = '') {
  const response = await platform().request(`${path}/search${more}`, { method: 'POST', token, body });
  return { status: response.status, ...((await response.json()) as object), cost: getCost(response) } as Results;
}

const getTitles = ({ items }: Results) => items.flatMap(({ pages }) => pages.map(({ title }) => title)).toSorted();

async function getSite(...pages: Change[][]) {
  const organization = await platform().makeOrganization();
  const spaces = await Promise.all(
    pages.map(async (changes, index) => {
      const space = await platform().makeSpace({ organization, title: `Space ${index}` });
      const client = getClient(platform(), space);
      return { id: space.id, client, pages: await client.change(changes) };
    }),
  );
  const [first, ...others] = spaces.map(({ id }) => id);
  const { token } = organization;
  const world = await createPublishedSite({ organization, spaces: first === undefined ? [] : [first] });
  const added: string[] = [];
  for (const spaceId of others)
    added.push((await json<{ id: string }>(`${world.path}/site-spaces`, { token, body: { spaceId } })).id);
  const createVisitorToken = async (unsignedClaims = {}) =>
    (await resolve(world.base, { visitor: { type: 'public', unsignedClaims } })).apiToken;
  const waitForIndex = (words: string, count: number) =>
    vi.waitFor(async () => {
      const all = await search(world, organization.token, { query: words, scope: { mode: 'all' } });
      expect(getTitles(all)).toHaveLength(count);
    }, 30_000);
  return { ...world, spaces, added, visitor: createVisitorToken, indexed: waitForIndex, token };
}

test('finds pages of all site spaces in one list, with their location', async () => {
  const site = await getSite([createPage('One', '# Heron\n\nwords of heron')], [createPage('Two', 'a heron')]);
  await site.indexed('heron', 2);

  const response = await search(site, await site.visitor(), { query: 'heron', scope: { mode: 'all' } });

  expect(response).toMatchObject({ status: 200, count: 2 });
  expect(response.items.map(({ id, title }) => [id, title])).toEqual(
    site.spaces.map(({ id }, index) => [id, `Space ${index}`]),
  );
  expect(response.items[0]?.pages[0]).toMatchObject({ id: site.spaces[0]?.pages[0], title: 'One', path: 'one' });
  expect(response.items[0]?.pages[0]?.sections?.[0]).toMatchObject({ title: 'Heron', body: 'words of heron' });
});

test('accepts a search scope, and request bodies of older clients', async () => {
  const site = await getSite([createPage('One', 'heron')], [createPage('Two', 'heron')]);
  await site.indexed('heron', 2);
  const [second] = site.added;
  const token = await site.visitor();
  const searchTitles = async (body: object) => getTitles(await search(site, token, { query: 'heron', ...body }));

  expect(await searchTitles({ scope: { mode: 'default' } })).toEqual(['One']);
  expect(await searchTitles({ scope: { mode: 'default', includedSiteSpaces: [second] } })).toEqual(['One', 'Two']);
  expect(await searchTitles({ scope: { mode: 'specific', siteSpaceIds: [second] } })).toEqual(['Two']);
  expect(await searchTitles({ mode: 'all' })).toEqual(['One', 'Two']);
  expect(await searchTitles({ siteSpaceIds: [second] })).toEqual(['Two']);
  expect(await searchTitles({ mode: 'current', siteSpaceId: second })).toEqual(['One', 'Two']);
  expect(await searchTitles({ siteSpaceIds: ['site-space_of_another'] })).toEqual([]);
});

test('does not find a page whose condition is not met, nor its descendants', async () => {
  const condition = 'visitor.claims.unsigned.beta';
  const site = await getSite([
    createPage('Open', 'heron'),
    createPage('Closed heron', 'heron', { condition, ref: 'closed' }),
    createPage('Below', 'heron', { into: 'closed' }),
  ]);
  await site.indexed('heron', 3);
  const body = { query: 'heron', mode: 'all' };

  expect(getTitles(await search(site, await site.visitor(), body))).toEqual(['Open']);
  expect(getTitles(await search(site, await site.visitor({ beta: true }), body))).toEqual([
    'Below',
    'Closed heron',
    'Open',
  ]);
});

test('does not find text whose condition is not met', async () => {
  const markdown = [
    '# Start\n\nfree heron\n',
    '{% if visitor.claims.unsigned.beta %}\n## Hidden egret\n\negret ibis\n{% else %}\nstork\n{% endif %}\n',
    'after crane {{ visitor.claims.unsigned.beta ? "bittern" : "" }}',
  ].join('\n');
  const site = await getSite([createPage('Page', markdown)]);
  await site.indexed('egret', 1);
  const [plain, beta] = [await site.visitor(), await site.visitor({ beta: true })];
  const countResults = async (token: string, query: string) =>
    getTitles(await search(site, token, { query, mode: 'all' })).length;

  for (const word of ['heron', 'crane', 'heron crane', 'page']) {
    expect(await countResults(plain, word), word).toBe(1);
    expect(await countResults(beta, word), word).toBe(1);
  }
  for (const word of ['egret', 'hidden', 'ibis', 'hidden egret']) {
    expect(await countResults(plain, word), word).toBe(0);
    expect(await countResults(beta, word), word).toBe(1);
  }
  expect([await countResults(plain, 'stork'), await countResults(beta, 'stork')]).toEqual([1, 0]);
  expect([await countResults(plain, 'bittern'), await countResults(beta, 'bittern')]).toEqual([0, 0]);
});

test('hides descendants as soon as the page is hidden', async () => {
  const site = await getSite([
    createPage('Above', 'text', { ref: 'above' }),
    createPage('Below', 'heron', { into: 'above' }),
  ]);
  await site.indexed('heron', 1);
  const [above = ''] = site.spaces[0]?.pages ?? [];
  const token = await site.visitor();
  const body = { query: 'heron', mode: 'all' };
  expect(getTitles(await search(site, token, body))).toEqual(['Below']);

  await site.spaces[0]?.client.change([
    { operation: 'update_page', page: above, condition: 'visitor.claims.unsigned.beta' },
  ]);
  expect(getTitles(await search(site, token, body))).toEqual([]);

  const beta = await site.visitor({ beta: true });
  await vi.waitFor(async () => expect(getTitles(await search(site, beta, body))).toEqual(['Below']), 30_000);
});
