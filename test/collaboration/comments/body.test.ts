import { beforeAll, describe, expect, test } from 'vitest';
import type { ApiFailure, SpaceClient } from '../../content/space-client.ts';
import { getClient } from '../../content/space-client.ts';
import { platform } from '../../support/platform.ts';

interface Posted {
  id: string;
  body: { markdown?: string; document?: { nodes: unknown[] } };
}

let space: SpaceClient;
beforeAll(async () => {
  const server = platform();
  space = getClient(server, await server.makeSpace());
});

const post = (body: unknown) => space.call<Posted & ApiFailure>('/comments', { method: 'POST', body: { body } });
const createText = (words: unknown, marks: unknown[] = []) => ({
  object: 'text',
  leaves: [{ object: 'leaf', text: words, marks }],
});
const createParagraph = (...nodes: unknown[]) => ({ object: 'block', type: 'paragraph', nodes });
const createLink = (url: string) => ({
  object: 'inline',
  type: 'link',
  data: { ref: { kind: 'url', url } },
  nodes: [createText('a')],
});
const getTree = (...nodes: unknown[]) => ({ document: { object: 'document', data: {}, nodes } });

test('accepts a document tree and returns either format', async () => {
  const { status, body } = await post(
    getTree(createParagraph(createText('Two '), createText('words', [{ object: 'mark', type: 'bold' }]))),
  );
  expect(status).toBe(200);
  expect(body.body).toEqual({ markdown: 'Two **words**\n' });

  const { document } = (await space.callJson<Posted>(`/comments/${body.id}?format=document`)).body;
  expect(document?.nodes).toMatchObject([
    { type: 'paragraph', nodes: [{ leaves: [{ text: 'Two ' }, { text: 'words' }] }] },
  ]);
  expect((await post({ document })).body.body).toEqual({ markdown: 'Two **words**\n' });
});

describe('rejects an invalid body with the path of the error, and posts nothing', () => {
  const either = 'must have either markdown or document';
  test.each<[string, unknown, string, string]>([
    ['nothing', {}, 'body.body', either],
    ['both', { markdown: 'a', ...getTree(createParagraph(createText('a'))) }, 'body.body', either],
    ['an empty text', { markdown: '' }, 'body.body.markdown', 'must not be empty'],
    ['a blank text', { markdown: ' \n\t' }, 'body.body.markdown', 'must not be empty'],
    ['an empty tree', getTree(), 'body.body.document', 'must not be empty'],
    [
      '64 KiB of multi-byte characters',
      { markdown: 'é'.repeat(32_769) },
      'body.body.markdown',
      'must have at most 64 KiB',
    ],
    [
      'a tree of a text over the limit',
      getTree(createParagraph(createText('a'.repeat(65_536)))),
      'body.body.document',
      'must have at most 64 KiB',
    ],
    ['a lone surrogate', { markdown: '\ud800' }, 'body', 'must not contain lone surrogates'],
    ['an invalid node', getTree(createParagraph(1)), 'body.body.document.nodes.0.nodes.0', 'must be an object'],
    ['a tree that is a string', { document: 'words' }, 'body.body.document', 'must be an object'],
    [
      'more than 50 mentions',
      { markdown: Array.from({ length: 51 }, (_, index) => `@usr_${index}`).join(' ') },
      'body.body.markdown',
      'must mention at most 50 users',
    ],
  ])('%s', async (_name, body, path, message) => {
    const before = await space.callJson<{ count: number }>('/comments?limit=1000');
    const response = await post(body);

    expect(response).toMatchObject({ status: 400, body: { error: { issues: [{ path, message }] } } });
    expect(await space.callJson('/comments?limit=1000')).toEqual(before);
  });
});

describe('returns executable content as inert data', () => {
  test.each([
    '[a](javascript:alert(1))',
    '[a](data:text/html;base64,PHNjcmlwdD4=)',
    '<img src=x onerror=alert(1)>',
    '<script>alert(1)</script>',
    '<a href="javascript:alert(1)" onclick="alert(1)">a</a>',
    '<svg><style><!--</style><img src=x onerror=alert(1)>-->',
    '<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=alert(1)&gt;">',
    '<noscript><p title="</noscript><img src=x onerror=alert(1)>">',
    '{{constructor.constructor("alert(1)")()}}',
  ])('%s', async (markdown) => {
    const { body } = await post({ markdown });
    expect(body.body).toEqual({ markdown });
    const { document } = (await space.callJson<Posted>(`/comments/${body.id}?format=document`)).body;
    expect((await post({ document })).body.body).toEqual({ markdown });
  });

  test.each([
    'javascript:alert(1)',
    'data:text/html,a',
    'x) <script>alert(1)</script>',
    '"><img src=x onerror=alert(1)>',
  ])('preserves the address %s of a document tree', async (url) => {
    const { body } = await post(getTree(createParagraph(createLink(url))));
    const { document } = (await space.callJson<Posted>(`/comments/${body.id}?format=document`)).body;
    expect(document?.nodes).toMatchObject([{ nodes: [{ type: 'link', data: { ref: { kind: 'url', url } } }] }]);
  });

  test.each(['<script>alert(1)</script>', '<img src=x onerror=alert(1)>', '[a](javascript:alert(1))', '@usr_nobody'])(
    'preserves the text %s of a document tree',
    async (words) => {
      const { body } = await post(getTree(createParagraph(createText(words))));
      const { document } = (await space.callJson<Posted>(`/comments/${body.id}?format=document`)).body;
      expect(document?.nodes).toMatchObject([{ nodes: [{ object: 'text', leaves: [{ text: words }] }] }]);
    },
  );
});
