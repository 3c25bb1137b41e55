import { beforeAll, describe, expect, test } from 'vitest';
import { json } from '../../support/content.ts';
import { getAddress, operations } from '../../support/endpoints.ts';
import type { TestSpace } from '../../support/platform.ts';
import { platform } from '../../support/platform.ts';
import { createFiles, createPixel } from '../files/file-client.ts';
import type { SpaceClient } from '../space-client.ts';
import { getClient, insertPage } from '../space-client.ts';
import { publishSite } from '../visitors/visitor-client.ts';

interface Tree {
  object: string;
  data: object;
  nodes: { object: string; type: string; key: string; nodes: unknown[] }[];
}
interface Body {
  markdown?: string;
  document?: Tree;
  documentId?: string;
}

const MARKDOWN =
  '# Title\n\nHello {{ space.vars.name }} and {{ page.vars.level }}.\n\n{% include "/reusable-contents/ID" %}\n';

let newSpace: TestSpace;
let space: SpaceClient;
let page: string;
let empty: string;
let branch: string;
let prefixes: [string, string][];

beforeAll(async () => {
  const server = platform();
  newSpace = await server.makeSpace();
  space = getClient(server, newSpace);
  const { body } = await space.edit([
    { operation: 'insert_reusable_content', title: 'Shared', document: { markdown: 'Shared {{ space.vars.name }}\n' } },
    { operation: 'set_variables', variables: { name: '**Octavo**' } },
  ]);
  expect(body).toMatchObject({ changes: expect.anything() });
  const [shared] = (await space.head()).reusableContents;
  const markdown = `---\nvariables:\n  level: 3\n---\n${MARKDOWN.replace('ID', shared?.id ?? '')}`;
  [page = '', empty = ''] = await space.change([
    { operation: 'insert_page', title: 'Page', slug: 'page', document: { markdown } },
    { operation: 'insert_page', title: 'Empty', slug: 'empty', document: {} },
  ]);
  branch = await space.open();
  const { id } = await space.head();
  prefixes = [
    ['the live content', '/content'],
    ['a change request', `/change-requests/${branch}/content`],
    ['a revision', `/revisions/${id}`],
  ];
});

const read = (path: string, query: string) => space.callJson<Body>(`${path}?${query}`);

describe('a read as a document tree', () => {
  test('returns a page by ID and by path, in live content, change requests and revisions', async () => {
    for (const [, prefix] of prefixes)
      for (const path of [`${prefix}/page/${page}`, `${prefix}/path/page`]) {
        const { document, markdown } = await read(path, 'format=document');
        expect(markdown).toBeUndefined();
        expect(document).toMatchObject({ object: 'document', data: { schemaVersion: expect.any(Number) } });
        expect(document?.nodes.map(({ type }) => type)).toEqual(['heading-1', 'paragraph', 'reusable-content']);
        expect(new Set(document?.nodes.map(({ key }) => key)).size).toBe(3);
      }
  });

  test('returns an empty page as a tree without blocks', async () => {
    expect((await read(`/content/page/${empty}`, 'format=document')).document?.nodes).toEqual([]);
  });

  test('rejects other formats', async () => {
    expect((await space.call(`/content/page/${page}?format=html`)).status).toBe(400);
  });
});

describe('an evaluated read', () => {
  test('replaces expressions with their values and includes with their content, in both formats', async () => {
    for (const [, prefix] of prefixes)
      for (const path of [`${prefix}/page/${page}`, `${prefix}/path/page`]) {
        const { markdown } = await read(path, 'evaluated=true');
        expect(markdown).toContain('# Title\n\nHello \\*\\*Octavo\\*\\* and 3.\n\nShared \\*\\*Octavo\\*\\*\n');
        const { document } = await read(path, 'evaluated=true&format=document');
        expect(document?.nodes.map(({ type }) => type)).toEqual(['heading-1', 'paragraph', 'paragraph']);
      }
  });

  const reads = operations.filter(({ endpoint }) =>
    ['evaluated', 'format'].every((name) => name in (endpoint.query?.shape ?? {})),
  );

  test.each(reads)('$id accepts the values true, false and deterministic-only', async ({ endpoint }) => {
    const revisionId = prefixes[2]?.[1].split('/')[2] ?? '';
    const ids = { spaceId: newSpace.id, changeRequestId: branch, revisionId, pageId: page, pagePath: 'page' };
    const insertPageAt = `${getAddress(endpoint, ids)}?evaluated=`;
    const readMarkdown = async (value: string) => (await json<Body>(`${insertPageAt}${value}`, newSpace)).markdown;
    const response = await platform().request(`${insertPageAt}deterministic`, { token: newSpace.token });

    expect(await readMarkdown('false')).toContain('{{ space.vars.name }}');
    expect(await readMarkdown('deterministic-only')).toContain('Hello \\*\\*Octavo\\*\\* and 3.');
    expect(await readMarkdown('deterministic-only')).toBe(await readMarkdown('true'));
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { issues: [{ path: 'query.evaluated' }] } });
  });

  test('is not the default', async () => {
    expect((await read(`/content/page/${page}`, 'evaluated=false')).markdown).toContain('{{ space.vars.name }}');
  });

  test('takes no additional round trip, whatever the page includes', async () => {
    const plain = await space.call(`/content/page/${page}`);
    const evaluated = await space.call(`/content/page/${page}?evaluated=true`);
    expect(evaluated.cost.trips).toBe(plain.cost.trips);
  });
});

describe('reading a document by its ID', () => {
  test('returns the tree of the page that contains it', async () => {
    const { documentId, document } = await read(`/content/page/${page}`, 'format=document');
    expect(await space.callJson(`/documents/${documentId}`)).toEqual(document);
  });

  test('returns 404 if no live page contains it', async () => {
    const [id = ''] = await space.change([{ operation: 'insert_page', document: { markdown: 'old text\n' } }]);
    const { documentId } = await read(`/content/page/${id}`, '');
    expect((await space.call(`/documents/${documentId}`)).status).toBe(200);
    await space.change([{ operation: 'update_page', page: id, document: { markdown: 'new text\n' } }]);
    expect((await space.call(`/documents/${documentId}`)).status).toBe(404);
  });

  test('returns 404 before its change request is merged', async () => {
    const draft = await space.open();
    const [id = ''] = await space.change([{ operation: 'insert_page', document: { markdown: 'a draft\n' } }], draft);
    const { documentId } = await read(`/change-requests/${draft}/content/page/${id}`, '');
    expect((await space.call(`/documents/${documentId}`)).status).toBe(404);
    await space.merge(draft);
    expect((await space.call(`/documents/${documentId}`)).status).toBe(200);
  });

  test('returns 404 for an unknown ID and for a space that does not use the document', async () => {
    const other = getClient(platform(), await platform().makeSpace());
    const { documentId } = await read(`/content/page/${page}`, '');
    expect((await other.call(`/documents/${documentId}`)).status).toBe(404);
    expect((await space.call('/documents/unknown')).status).toBe(404);
  });
});

describe('a target that is created after the text with the link', () => {
  const written = '![x](img/x.png) and [n](next.md#part) and [gone](gone.md)\n';
  const cover = '.gitbook/assets/Screen Shot (1).png';
  const covered = `---\ncover: ${cover}\n---\n${written}`;
  const at = (path: string, markdown = 'text\n') => insertPage(path, { document: { markdown }, git: { path } });

  test('is resolved in each read, in one more round trip, or none if every target is known', async () => {
    const late = getClient(platform(), await platform().makeSpace());
    const [start = '', none = ''] = await late.change([at('README.md', covered), at('none.md')]);
    const before = (await late.head()).id;
    const formerly = await late.callJson<object>(`/content/page/${start}?format=document`);
    expect(formerly).toMatchObject({ cover: { ref: { kind: 'url', url: cover } } });

    const [image, shot] = await createFiles(
      late,
      ['img/x.png', cover].map((path) => createPixel(path.split('/').at(-1) ?? '', { git: { path } })),
    );
    const [next = ''] = await late.change([at('next.md', '# Part\n')]);
    const draft = await late.open();
    const { id: head } = await late.head();
    const references = [
      { kind: 'file', file: image?.id },
      { kind: 'anchor', anchor: 'part', page: next },
      { kind: 'url', url: 'gone.md' },
    ].map((reference) => JSON.stringify(reference));
    for (const prefix of ['/content', `/change-requests/${draft}/content`, `/revisions/${head}`]) {
      const read = await late.callJson<Body & { cover: object }>(`${prefix}/page/${start}?format=document`);
      for (const reference of references) expect(JSON.stringify(read.document)).toContain(reference);
      expect(read.cover).toMatchObject({ ref: { kind: 'file', file: shot?.id } });
      const { pages } = await late.callJson<{ pages: object[] }>(`${prefix}/pages`);
      expect(pages[0]).toMatchObject({ cover: { ref: { kind: 'file', file: shot?.id } } });
      const stable = await late.callJson<Body>(`${prefix}/page/${start}?format=markdown&format.markdown.refs=stable`);
      expect(stable.markdown).toContain(`![x](/files/${image?.id}) and [n](/pages/${next}#part) and [gone](gone.md)\n`);
    }
    const { documentId, document } = await late.callJson<Body>(`/content/page/${start}?format=document`);
    expect(await late.callJson(`/documents/${documentId}`)).toEqual(document);
    expect(await late.callJson(`/revisions/${before}/page/${start}?format=document`)).toMatchObject({
      document: JSON.parse(JSON.stringify((formerly as Body).document)),
    });

    const readTrips = async (id: string, query: string) =>
      (await late.call(`/content/page/${id}?format=${query}`)).cost.trips;
    const plain = await readTrips(none, 'markdown');
    expect(await readTrips(none, 'document')).toBe(plain);
    expect(await readTrips(start, 'markdown')).toBe(plain);
    expect(await readTrips(start, 'document'), 'targets, and former anchors of the page').toBe(plain + 2);
  });

  test('is shown only to visitors who can see it', async () => {
    const { member, visit, space: live } = await publishSite();
    const [start = ''] = await member.change([at('README.md', written)]);
    const [next = ''] = await member.change([at('next.md')]);
    const createVisitorClient = () => getClient(platform(), { id: live.id, token: visit().token });
    const read = () => createVisitorClient().callJson<Body>(`/content/page/${start}?format=document`);
    expect(JSON.stringify(await read())).toContain(JSON.stringify({ kind: 'anchor', anchor: 'part', page: next }));
    const condition = 'visitor.claims.staff';
    await member.change([{ operation: 'update_page', page: next, condition }]);
    expect(JSON.stringify(await read())).not.toContain(next);
    const [above = ''] = await member.change([insertPage('Above', { condition })]);
    await member.change([{ operation: 'update_page', page: next, condition: '' }]);
    expect(JSON.stringify(await read())).toContain(JSON.stringify({ kind: 'anchor', anchor: 'part', page: next }));
    const { cost, body } = await createVisitorClient().call<Body>(`/content/page/${start}`);
    expect(body.markdown).toContain('[n](next.md#part)');
    expect(cost.trips, 'targets, what is above them, and former anchors').toBe(4);
    await member.change([{ operation: 'update_page', page: next, into: above }]);
    expect(JSON.stringify(await read())).not.toContain(next);
  });

  test('resolves a cover to the file at its path, and ignores URLs that run code', async () => {
    const other = getClient(platform(), await platform().makeSpace());
    const [shot] = await createFiles(other, [createPixel('a.png', { git: { path: cover } })]);
    await other.change([at('README.md', covered), at('bad.md', '---\ncover: javascript:alert(1)\n---\ntext\n')]);
    const { pages } = await other.callJson<{ pages: { cover?: object }[] }>('/content/pages');
    expect(pages.map((each) => each.cover)).toEqual([{ ref: { kind: 'file', file: shot?.id }, yPos: 0 }, undefined]);
  });
});
