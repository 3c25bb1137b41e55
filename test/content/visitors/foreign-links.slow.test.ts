import type { SiteSpace } from '@octavo/schema';
import { expect, test } from 'vitest';
import { createPetstoreSpec, getSpecs, getText } from '../../publishing/openapi/spec-client.ts';
import { makeMember } from '../../support/people.ts';
import { platform } from '../../support/platform.ts';
import { insertComputed } from '../computed/reference-space.ts';
import type { Change, TreePage } from '../space-client.ts';
import { flatten, getClient, insertPage } from '../space-client.ts';
import { publishTwoSpaces, type Reader, type World } from './two-spaces.ts';

const server = platform({ countsRows: true });
const getAppUrl = (path: string) => `${server.url}/app/spaces/${path}`;

const getMarkdown = async (reader: Reader, page: string, query = '') =>
  (await reader.callJson<{ markdown: string }>(`/content/page/${page}${query}`)).markdown;
const readTypedLink = async (reader: Reader, page: string) => {
  const { revision } = await reader.callJson<{ revision: string }>('');
  return reader.callJson<object>(`/revisions/${revision}/page/${page}/document?dereferenced=reusable-contents`);
};

/** Returns all references in a document, in order. */
function findReferences(node: unknown): unknown[] {
  if (Array.isArray(node)) return node.flatMap(findReferences);
  if (typeof node !== 'object' || node === null) return [];
  return Object.entries(node).flatMap(([key, value]) => (key === 'ref' ? [value] : findReferences(value)));
}

test('visitors get references to another space of the site with its URL on the site, in every format', async () => {
  const { base, to, page, parent, visit, write } = await publishTwoSpaces();
  const own = await write(
    [
      `A [page](${getAppUrl(`${to.id}/content/page/${page}#part`)}), its [path](${getAppUrl(`${to.id}/content/path/calls/create`)}),`,
      `in the [API](${server.url}/v1/spaces/${to.id}/content/page/${parent}), the [space](${getAppUrl(to.id)}).\n`,
      `{% content-ref url="${getAppUrl(`${to.id}/content/page/${page}`)}" %}\n[Create](${getAppUrl(`${to.id}/content/page/${page}`)})\n{% endcontent-ref %}\n`,
      `![A picture](https://a.example/a.png "of [it](${getAppUrl(`${to.id}/content/page/${page}`)})")`,
    ].join('\n'),
  );
  const at = `${base}/reference/calls/create`;

  for (const query of ['', '?format.markdown.refs=stable', '?evaluated=true']) {
    const markdown = await getMarkdown(visit(), own, query);
    expect(markdown).toContain(`[page](${at}#part), its [path](${at}),`);
    expect(markdown).toContain(`[API](${base}/reference/calls), the [space](${base}/reference).`);
    expect(markdown).toContain(`{% content-ref url="${at}" %}\n[Create](${at})`);
    expect([query, markdown.includes('/spaces/')]).toEqual([query, false]);
  }
  expect(JSON.stringify(await visit().callJson(`/content/page/${own}?format=document`))).toContain(`"url":"${at}"`);
  const references = findReferences(await readTypedLink(visit(), own));
  expect(references.slice(0, 5)).toEqual([
    { kind: 'anchor', anchor: 'part', page, space: to.id, href: `${at}#part` },
    { kind: 'page', page, space: to.id, href: at },
    { kind: 'page', page: parent, space: to.id, href: `${base}/reference/calls` },
    { kind: 'space', space: to.id, href: `${base}/reference` },
    { kind: 'page', page, space: to.id, href: at },
  ]);
  expect(JSON.stringify(references)).not.toContain('/app/');
});

test('members get references as written, with the IDs of their targets', async () => {
  const { to, page, writer, write } = await publishTwoSpaces();
  const address = getAppUrl(`${to.id}/content/page/${page}`);
  const own = await write(`A [page](${address}).`);

  expect(await getMarkdown(writer, own)).toContain(`[page](${address})`);
  expect(findReferences(await readTypedLink(writer, own))).toEqual([{ kind: 'page', page, space: to.id }]);
});

test('finds the targets of links in reusable content', async () => {
  const { base, to, page, writer, visit, write } = await publishTwoSpaces();
  const markdown = `A [page](${getAppUrl(`${to.id}/content/page/${page}`)}).\n`;
  await writer.change([{ operation: 'insert_reusable_content', title: 'Shared', document: { markdown } }]);
  const [shared] = (await writer.head()).reusableContents;
  const own = await write(`{% include "/reusable-contents/${shared?.id}" %}`);
  const at = `${base}/reference/calls/create`;

  expect(await getMarkdown(visit(), own, '?evaluated=true')).toContain(`[page](${at})`);
  expect((await visit().callJson<{ markdown: string }>(`/content/reusable-contents/${shared?.id}`)).markdown).toContain(
    at,
  );
  const { revision } = await visit().callJson<{ revision: string }>('');
  const path = `/revisions/${revision}/reusable-contents/${shared?.id}/document`;
  expect(findReferences(await visit().callJson(path))).toEqual([{ kind: 'page', page, space: to.id, href: at }]);
});

test('visitors get link pages to another space with their URL on the site, in trees and single reads', async () => {
  const { base, to, page, writer, visit } = await publishTwoSpaces();
  const target = { kind: 'page', page, space: to.id };
  const shown = { type: 'link', target, href: `${base}/reference/calls/create` };
  const place = { target: { ...target, kind: 'anchor', anchor: 'part' }, href: `${shown.href}#part` };
  await writer.change([shown, place].map((each) => ({ operation: 'insert_link', title: 'x', target: each.target })));
  const { revision } = await visit().callJson<{ revision: string }>('');
  for (const path of ['/content', `/revisions/${revision}`, '/content/pages', `/revisions/${revision}/pages`]) {
    const { pages } = await visit().callJson<{ pages: { id: string }[] }>(path);
    expect([path, pages]).toMatchObject([path, [shown, place]]);
    expect(await visit().callJson(`/content/page/${pages[0]?.id}`)).toMatchObject(shown);
  }
  const [link] = (await writer.callJson<{ pages: object[] }>('/content/pages')).pages;
  expect([link, link && 'href' in link]).toEqual([expect.objectContaining({ target }), false]);
});

/** Ways to hide a page of another space from visitors. */
const hidden: Record<string, (world: World) => Promise<unknown>> = {
  'the section has a condition': ({ site, second }) =>
    site.patch(`/sections/${second.id}`, { condition: 'visitor.claims.staff' }),
  'the site space has one': ({ site, second }) =>
    site.patch(`/site-spaces/${second.siteSpaces[0]?.id}`, { condition: 'visitor.claims.staff' }),
  'the page has one': ({ target, page }) =>
    target.change([{ operation: 'update_page', page, condition: 'visitor.claims.staff' }]),
  'what is above it has one': ({ target, parent }) =>
    target.change([{ operation: 'update_page', page: parent, condition: 'visitor.claims.staff' }]),
  'one that a variable of its space decides': async ({ target, page }) => {
    await target.change([{ operation: 'set_variables', variables: { open: true } }]);
    await target.change([{ operation: 'update_page', page, condition: 'space.vars.open && visitor.claims.staff' }]);
  },
};

test.each(Object.keys(hidden))('references reveal nothing if %s', async (name) => {
  const world = await publishTwoSpaces();
  const { base, to, page, visit, write, writer } = world;
  const address = getAppUrl(`${to.id}/content/page/${page}`);
  const own = await write(
    `A [word](${address}).\n\n{% content-ref url="${address}" %}\n[Create](${address})\n{% endcontent-ref %}\n`,
  );
  await writer.change([{ operation: 'insert_link', title: 'Link', target: { kind: 'page', page, space: to.id } }]);
  await hidden[name]?.(world);

  const readAllFormats = async (claims: object) =>
    JSON.stringify([
      await getMarkdown(visit(claims), own),
      await readTypedLink(visit(claims), own),
      await visit(claims).head(),
    ]);
  const text = await readAllFormats({});
  expect(text).toContain('A word.');
  for (const hiddenText of [page, to.id, '/calls', 'content-ref'])
    expect([hiddenText, text.includes(hiddenText)]).toEqual([hiddenText, false]);
  expect(await readAllFormats({ staff: true })).toContain(`${base}/reference/calls/create`);
});

test.each(['not in the site', "another organization's", 'in the trash', 'deleted', 'a file', 'a made-up page'])(
  'a visitor sees only the text of a reference if the target is %s',
  async (what) => {
    const { organization, to, page, target, visit, write } = await publishTwoSpaces();
    const other = await server.makeSpace(what.startsWith('another') ? {} : { organization });
    const address = /another|not in/.test(what)
      ? getAppUrl(other.id)
      : getAppUrl(
          `${to.id}/content/${what === 'a file' ? 'files/file_a' : `page/${what === 'a made-up page' ? 'pg_a' : page}`}`,
        );
    const own = await write(`A [word](${address}).`);
    const remove = (path: string) => server.request(path, { token: organization.token, method: 'DELETE' });
    if (what === 'in the trash') await remove(`/v1/spaces/${to.id}`);
    if (what === 'deleted') await target.change([{ operation: 'delete_page', page }]);

    expect((await getMarkdown(visit(), own)).trim()).toBe('A word.');
    expect(findReferences(await readTypedLink(visit(), own))).toEqual([]);
  },
);

test('a member in a preview sees only the targets that they can open', async () => {
  const { base, organization, to, page, visit, write } = await publishTwoSpaces();
  const own = await write(`A [word](${getAppUrl(`${to.id}/content/page/${page}`)}).`);
  const member = await makeMember(organization);
  const preview = { preview: { user: member.user } };
  expect(await getMarkdown(visit({}, preview), own)).toContain(`${base}/reference/calls/create`);

  await server.request(`/v1/spaces/${to.id}`, {
    ...{ token: organization.token, method: 'PATCH' },
    body: { defaultLevel: 'none' },
  });
  expect((await getMarkdown(visit({}, preview), own)).trim()).toBe('A word.');
});

test('a visitor with a share link keeps its key', async () => {
  const { site, to, page, write } = await publishTwoSpaces({ visibility: 'share-link' });
  const own = await write(`A [page](${getAppUrl(`${to.id}/content/page/${page}`)}).`);
  const { urls } = await site.callJson<{ urls: { published: string } }>('/share-links', { body: { name: 'Partners' } });
  const resolved = await server.request('/v1/urls/published', { body: { url: urls.published } });
  const { apiToken: token, space } = (await resolved.json()) as { apiToken: string; space: string };

  expect(await getMarkdown(getClient(server, { id: space, token }), own)).toContain(
    `(${urls.published}/reference/calls/create)`,
  );
});

test('a response with references to another space changes with that space, and has a shorter cache lifetime', async () => {
  const { base, to, page, target, visit, write } = await publishTwoSpaces();
  const own = await write(`A [page](${getAppUrl(`${to.id}/content/page/${page}`)}).`);
  const { revision } = await visit().callJson<{ revision: string }>('');
  const { token, space } = visit();
  const read = (etag?: string) =>
    server.request(`/v1/spaces/${space}/revisions/${revision}/page/${own}/document`, {
      token,
      headers: etag === undefined ? {} : { 'if-none-match': etag },
    });
  const first = await read();
  const etag = first.headers.get('etag') ?? '';
  expect(first.headers.get('x-gitbook-cache-control')).toBe('max-age=0');
  expect((await read(etag)).status).toBe(304);

  await target.change([{ operation: 'update_page', page, slug: 'make' }]);
  const second = await read(etag);
  expect([second.status, await second.text()]).toEqual([200, expect.stringContaining(`${base}/reference/calls/make`)]);
});

test('references cost one more round trip and some rows per link; a page without links costs neither', async () => {
  const { site, organization, to, page, target, visit, write } = await publishTwoSpaces();
  const measureCosts = async (count: number) => {
    const link = `[page](${getAppUrl(`${to.id}/content/page/${page}`)}) `;
    const links = Array.from({ length: count }, (_, index) => link.replace(')', `?n=${index})`));
    const own = await write(links.join('\n'));
    return (await visit().call(`/content/page/${own}`)).cost;
  };
  const [none, one] = [await measureCosts(0), await measureCosts(1)];
  for (let nth = 0; nth < 200; nth += 50)
    await target.change(Array.from({ length: 50 }, (_, index) => insertPage(`Page ${nth + index}`)));
  for (let count = 0; count < 20; count += 1) {
    const { id } = await server.makeSpace({ organization });
    await site.callJson<SiteSpace>('/site-spaces', { body: { spaceId: id } });
  }
  const later = await measureCosts(1);
  expect([none.trips, one.trips, later.trips]).toEqual([1, 2, 2]);
  // A range scan may read one more row after the range.
  const rows = [one.read - none.read, later.read - one.read];
  expect(rows).toEqual([60, 3].map((most) => expect.toSatisfy((count: number) => count <= most)));
});

test('finds generated pages of another space by ID, if their computed page is visible', async () => {
  const { base, organization, to, target, visit, write } = await publishTwoSpaces();
  const slug = `api-${to.id.slice(4).toLowerCase()}`;
  await getSpecs(platform(), organization).publish(slug, getText(createPetstoreSpec()));
  await target.change([insertComputed(slug)]);
  const { pages } = await target.callJson<{ pages: TreePage[] }>('/content/pages?computed=true');
  const generatedPage = flatten(pages).find(({ id }) => id.includes('-'));
  const own = await write(`A [word](${getAppUrl(`${to.id}/content/page/${generatedPage?.id}`)}).`);

  expect(await getMarkdown(visit(), own)).toContain(`[word](${base}/reference/${generatedPage?.path})`);
  const [source = ''] = (generatedPage?.id ?? '').split('-');
  await target.change([{ operation: 'update_page', page: source, condition: 'visitor.claims.staff' }]);
  expect((await getMarkdown(visit(), own)).trim()).toBe('A word.');
  expect(await getMarkdown(visit({ staff: true }), own)).toContain(`${base}/reference/${generatedPage?.path}`);
});

test('reads the variables of another space once, however many of its pages are referenced', async () => {
  const { to, target, visit, write } = await publishTwoSpaces();
  const open: Change = { ...insertPage('Open'), condition: 'space.vars.v0 != "closed"' };
  const ids = await target.change(Array(10).fill(open));
  const own = await write(ids.map((id) => `[A](${getAppUrl(`${to.id}/content/page/${id}`)})`).join());
  const before = (await visit().call(`/content/page/${own}`)).cost.read;
  const variables = Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`v${at}`, 'open']));
  await target.change([{ operation: 'set_variables', variables }]);
  expect((await visit().call(`/content/page/${own}`)).cost.read - before).toBeLessThan(250);
});
