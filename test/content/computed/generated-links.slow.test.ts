import { beforeAll, describe, expect, test } from 'vitest';
import { query } from '../../support/database.ts';
import { installOn } from '../../support/integrations.ts';
import { until } from '../../support/own-platform.ts';
import { platform } from '../../support/platform.ts';
import { insertPage } from '../space-client.ts';
import { publishSite } from '../visitors/visitor-client.ts';
import type { ContentSource } from './content-source.ts';
import { makeContentSource, makeDue } from './content-source.ts';

let source: ContentSource;

beforeAll(async () => {
  source = await makeContentSource();
});

interface Shown {
  id: string;
  type: string;
  title: string;
  path?: string;
  href?: string;
  emoji?: string;
  target?: { kind: string; page?: string; url?: string };
  pages?: Shown[];
}

const web = { kind: 'url', url: 'https://example.com/guide' };
const createLink = (target: object, title = 'Guide') => ({ type: 'link', title, target });
const createPage = (title: string, more: object = {}) => ({ type: 'document', title, ...more });

async function generatePages(pages: object[]) {
  const space = await source.makeSpace();
  await space.insert({ answer: { pages } });
  await space.make();
  return space;
}

const getTree = async ({ tree }: { tree: () => Promise<unknown> }) => (await tree()) as Shown[];

describe('links that an integration computes', () => {
  test('keep their position, URL and emoji, and use no slug', async () => {
    const space = await generatePages([
      { ...createLink(web), emoji: '1f44d' },
      createPage('Guide', { emoji: '👍', icon: 'gear', pages: [createLink(web, 'Below'), createLink(web, 'Below')] }),
      createLink(web),
    ]);

    const tree = await getTree(space);
    expect(tree).toMatchObject([
      { type: 'link', kind: 'link', title: 'Guide', target: web, href: web.url, emoji: '1f44d' },
      { type: 'document', path: 'guide', emoji: '👍', icon: 'gear', pages: [{ type: 'link' }, { type: 'link' }] },
      { type: 'link', title: 'Guide' },
    ]);
    const ids = [...tree, ...(tree[1]?.pages ?? [])].map(({ id }) => id);
    expect(new Set(ids).size).toBe(5);
    for (const path of ['2', '-2', '~guide', 'guide/below'])
      expect([path, (await space.space.call(`/content/path/${path}`)).status]).toEqual([path, 404]);
    for (const id of ids.filter((each) => each !== tree[1]?.id))
      expect(await space.space.callJson(`/content/page/${id}`)).toMatchObject({ id, type: 'link', target: web });
    await space.make();
    expect(await getTree(space)).toEqual(tree);
  });

  test('never hide or reveal a written page by their slug', async () => {
    const space = await source.makeSpace();
    await space.space.change([insertPage('Guide')]);
    await space.insert({ answer: { pages: [createLink(web), createPage('Guide')] } });
    await space.make();

    expect((await getTree(space)).map(({ type, path }) => [type, path])).toEqual([
      ['document', 'guide'],
      ['link', undefined],
      ['document', 'guide-2'],
    ]);
    for (const path of ['guide', 'guide-2'])
      expect(await space.space.callJson(`/content/path/${path}`)).toMatchObject({ type: 'document', path });
  });

  test('do not appear in search results', async () => {
    const space = await generatePages([createLink(web, 'Zugspitze'), createPage('Brocken')]);
    const countResults = async (word: string) =>
      (await space.space.callJson<{ items: object[] }>(`/search?query=${word}`)).items.length;
    await until(async () => ((await countResults('Brocken')) > 0 ? true : undefined));

    expect(await countResults('Zugspitze')).toBe(0);
    expect(query('SELECT title FROM search_made_pages WHERE space = ?', space.id)).toEqual([{ title: 'Brocken' }]);
  });
});

/** Publishes a space with pages that an integration computes. `pagesOf` gets the IDs of a hidden and a visible page. */
async function publishWithPages(pagesOf: (ids: string[]) => object[]) {
  const site = await publishSite(source.owner);
  const { member, space } = site;
  const ids = await member.change([insertPage('Secret'), insertPage('Open')]);
  await member.change([{ operation: 'update_page', page: ids[0], condition: 'visitor.claims.staff' }]);
  const installation = `/v1/integrations/${source.name}/installations/${source.id}`;
  await installOn(installation, source.owner, { space: space.id });
  const computed = { type: `integration:${source.name}:pages`, props: { answer: { pages: pagesOf(ids) } } };
  await member.change([{ operation: 'insert_computed', title: 'Made', computed }]);
  await until(async () => {
    await makeDue();
    return query('SELECT 1 FROM computed_contents WHERE space = ? AND version IS NOT NULL', space.id)[0];
  });
  const call = (path: string, token: string) => platform().request(`/v1/spaces/${space.id}/content${path}`, { token });
  const readTree = async (token: string) => ((await (await call('/pages', token)).json()) as { pages: Shown[] }).pages;
  return { ...site, ids, call, tree: readTree };
}

test('return their target only to visitors who can see it', async () => {
  const site = await publishWithPages(([hidden, open]) => [
    createLink({ kind: 'page', page: hidden }, 'A'),
    createLink({ kind: 'page', page: open }, 'B'),
    createLink(web, 'C'),
  ]);
  const [hidden = '', open] = site.ids;
  const listTargets = async (token: string) =>
    (await site.tree(token)).flatMap(({ type, target }) => (type === 'link' ? [target?.page ?? target?.url] : []));

  expect(await listTargets(site.visit({ staff: true }).token)).toEqual([hidden, open, web.url]);
  expect(await listTargets(site.visit().token)).toEqual(['', open, web.url]);
  expect(await listTargets(site.space.token)).toEqual([hidden, open, web.url]);
  for (const { id } of await site.tree(site.visit().token))
    expect(await (await site.call(`/page/${id}`, site.visit().token)).text()).not.toContain(hidden);
});

test('are never used as a target by links of a site', async () => {
  const site = await publishWithPages(() => [createPage('Brocken'), createLink(web, 'Zugspitze')]);
  const generatedPages = (await site.tree(site.space.token)).filter(({ id }) => id.includes('-'));
  const { items } = await site.site.callJson<{ items: { id: string }[] }>('/site-spaces');
  const [brocken, zugspitze] = generatedPages.map(({ id }) => id);
  for (const pageId of [brocken, zugspitze]) {
    const destination = { kind: 'site-page', siteSpaceId: items[0]?.id, pageId };
    await site.site.callJson('/redirects', { body: { source: `/to-${pageId}`, destination } });
    const target = { kind: 'page', page: pageId, space: site.space.id };
    await site.member.change([{ operation: 'insert_link', title: `To ${pageId}`, target }]);
  }
  const { token } = site.visit();
  const followRedirect = async (id: string | undefined) => {
    const response = await platform().request(`${site.site.base}/redirect?source=/to-${id}`, { token });
    const written = (await site.tree(token)).find(({ title }) => title === `To ${id}`);
    return [response.status, written?.href?.endsWith('/brocken') ?? false, written?.target?.page];
  };

  expect(await followRedirect(brocken)).toEqual([200, true, brocken]);
  expect(await followRedirect(zugspitze)).toEqual([404, false, undefined]);
});
