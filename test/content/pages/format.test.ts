import { beforeAll, describe, expect, test } from 'vitest';
import { json } from '../../support/content.ts';
import { addressOf, operations } from '../../support/endpoints.ts';
import type { TestSpace } from '../../support/platform.ts';
import { platform } from '../../support/platform.ts';
import type { SpaceClient } from '../space-client.ts';
import { clientOf } from '../space-client.ts';

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

let made: TestSpace;
let space: SpaceClient;
let page: string;
let empty: string;
let branch: string;
let prefixes: [string, string][];

beforeAll(async () => {
  const server = platform();
  made = await server.makeSpace();
  space = clientOf(server, made);
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

const read = (path: string, query: string) => space.ok<Body>(`${path}?${query}`);

describe('a page as a tree of blocks', () => {
  test('by its id and by its path, on all prefixes', async () => {
    for (const [, prefix] of prefixes)
      for (const path of [`${prefix}/page/${page}`, `${prefix}/path/page`]) {
        const { document, markdown } = await read(path, 'format=document');
        expect(markdown).toBeUndefined();
        expect(document).toMatchObject({ object: 'document', data: { schemaVersion: expect.any(Number) } });
        expect(document?.nodes.map(({ type }) => type)).toEqual(['heading-1', 'paragraph', 'reusable-content']);
        expect(new Set(document?.nodes.map(({ key }) => key)).size).toBe(3);
      }
  });

  test('an empty page has a tree without blocks', async () => {
    expect((await read(`/content/page/${empty}`, 'format=document')).document?.nodes).toEqual([]);
  });

  test('other formats are refused', async () => {
    expect((await space.call(`/content/page/${page}?format=html`)).status).toBe(400);
  });
});

describe('an evaluated page', () => {
  test('has values for its expressions and the content that it includes, in both formats', async () => {
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

  test.each(reads)('$id takes true, false and deterministic-only', async ({ endpoint }) => {
    const revisionId = prefixes[2]?.[1].split('/')[2] ?? '';
    const ids = { spaceId: made.id, changeRequestId: branch, revisionId, pageId: page, pagePath: 'page' };
    const at = `${addressOf(endpoint, ids)}?evaluated=`;
    const markdown = async (value: string) => (await json<Body>(`${at}${value}`, made)).markdown;
    const refused = await platform().request(`${at}deterministic`, { token: made.token });

    expect(await markdown('false')).toContain('{{ space.vars.name }}');
    expect(await markdown('deterministic-only')).toContain('Hello \\*\\*Octavo\\*\\* and 3.');
    expect(await markdown('deterministic-only')).toBe(await markdown('true'));
    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({ error: { issues: [{ path: 'query.evaluated' }] } });
  });

  test('is as it is written when nobody asks for values', async () => {
    expect((await read(`/content/page/${page}`, 'evaluated=false')).markdown).toContain('{{ space.vars.name }}');
  });

  test('costs no round trip more, whatever it includes', async () => {
    const plain = await space.call(`/content/page/${page}`);
    const evaluated = await space.call(`/content/page/${page}?evaluated=true`);
    expect(evaluated.cost.trips).toBe(plain.cost.trips);
  });
});

describe('a document by its id', () => {
  test('is the tree of the page that holds it', async () => {
    const { documentId, document } = await read(`/content/page/${page}`, 'format=document');
    expect(await space.ok(`/documents/${documentId}`)).toEqual(document);
  });

  test('is not there once no live page holds it', async () => {
    const [id = ''] = await space.change([{ operation: 'insert_page', document: { markdown: 'old text\n' } }]);
    const { documentId } = await read(`/content/page/${id}`, '');
    expect((await space.call(`/documents/${documentId}`)).status).toBe(200);
    await space.change([{ operation: 'update_page', page: id, document: { markdown: 'new text\n' } }]);
    expect((await space.call(`/documents/${documentId}`)).status).toBe(404);
  });

  test('is not there before the change request that wrote it is merged', async () => {
    const draft = await space.open();
    const [id = ''] = await space.change([{ operation: 'insert_page', document: { markdown: 'a draft\n' } }], draft);
    const { documentId } = await read(`/change-requests/${draft}/content/page/${id}`, '');
    expect((await space.call(`/documents/${documentId}`)).status).toBe(404);
    await space.merge(draft);
    expect((await space.call(`/documents/${documentId}`)).status).toBe(200);
  });

  test('is not there for a space that does not use it, nor for another name', async () => {
    const other = clientOf(platform(), await platform().makeSpace());
    const { documentId } = await read(`/content/page/${page}`, '');
    expect((await other.call(`/documents/${documentId}`)).status).toBe(404);
    expect((await space.call('/documents/unknown')).status).toBe(404);
  });
});
