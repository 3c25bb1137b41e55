import { beforeAll, expect, test } from 'vitest';
import { json } from '../../support/content.ts';
import type { ContentSource } from './content-source.ts';
import { makeContentSource } from './content-source.ts';

let source: ContentSource;

beforeAll(async () => {
  source = await makeContentSource();
});

/** Creates computed pages with these `documents` as props of the script, and computes them. Returns the stored row. */
async function generatePages(documents: object[]) {
  const space = await source.makeSpace();
  const type = `integration:${source.name}:pages`;
  const pages = documents.map((props, n) => ({ type: 'document', title: `Page ${n}`, computed: { type, props } }));
  await space.insert({ answer: { pages } });
  await space.make();
  return { ...space, row: space.rows()[0] };
}

const listFailedRuns = async () => {
  const path = `/v1/integrations/${source.name}/events?limit=100`;
  const { items } = await json<{ items: { payload: { type: string } }[] }>(path, { token: source.owner.token });
  return items.filter(({ payload }) => payload.type === 'content_compute_document');
};

const fails = { fails: true };
const createText = (words: string) => ({ object: 'text', leaves: [{ object: 'leaf', text: words, marks: [] }] });
const createParagraph = (...nodes: object[]) => ({ object: 'block', type: 'paragraph', data: {}, nodes });
const createLink = (ref: object) => ({ object: 'inline', type: 'link', data: { ref }, nodes: [createText('this')] });

test.each([
  ['has too many arrays and objects', { filled: { of: '[]', times: 100_000 } }, '100000 arrays and objects'],
  ['is too long', { filled: { of: `"${'long '.repeat(1000)}"`, times: 220 } }, '1000000 bytes'],
  ['is not a document', { nodes: [{ object: 'text' }] }, 'page 0 ("Page 0"), `nodes.0.object`'],
])('a document that %s ends the computation, and no further document is requested', async (_, document, error) => {
  const before = (await listFailedRuns()).length;
  const { row } = await generatePages([document, {}, fails]);

  expect(row).toMatchObject({ version: null, error: expect.stringContaining(error) });
  const after = await listFailedRuns();
  expect(
    after
      .slice(0, after.length - before)
      .map((run) => JSON.stringify(run))
      .join(),
  ).not.toContain('not now');
});

test('stops the computation if the texts are too long in total', async () => {
  // Each character takes two bytes.
  const long = { long: { of: '\u00e9', times: 200_000 } };
  const before = (await listFailedRuns()).length;
  const { row } = await generatePages([...Array(4).fill(long), fails]);

  expect(row).toMatchObject({ version: null, error: expect.stringContaining('1000000 bytes in total') });
  expect(await listFailedRuns()).toHaveLength(before);
  expect((await generatePages(Array(2).fill(long))).row).toMatchObject({ error: null });
});

test.each([
  ['nothing', { kind: 'nothing' }, 'nodes.0.nodes.1.data.ref'],
  ['a URL that runs code', { kind: 'url', url: 'java\nscript:alert(1)' }, 'nodes.0.nodes.1.data.ref.url'],
])('a link to %s creates no pages, and the error names its path', async (_, ref, path) => {
  const { row } = await generatePages([{ nodes: [createParagraph(createText('see '), createLink(ref))] }]);

  expect(row).toMatchObject({ version: null, error: expect.stringContaining(`page 0 ("Page 0"), \`${path}\` must`) });
});

test('a caption with a link that runs code creates no pages', async () => {
  const createImage = (caption: string) => ({
    ...{ object: 'block', type: 'images', data: {} },
    nodes: [
      { object: 'block', type: 'image', data: { ref: { kind: 'url', url: 'https://example.com/a.png' }, caption } },
    ],
  });
  const { row } = await generatePages([{ nodes: [createImage('[this](javascript:alert(1))')] }]);

  expect(row).toMatchObject({
    version: null,
    error: expect.stringContaining('data` must not contain links that run code'),
  });
  expect((await generatePages([{ nodes: [createImage('[this](https://example.com)')] }])).row).toMatchObject({
    error: null,
  });
});

test('preserves a link to a URL', async () => {
  const space = await generatePages([
    { nodes: [createParagraph(createText('see '), createLink({ kind: 'url', url: 'https://example.com/a' }))] },
  ]);

  expect(await space.space.callJson('/content/path/page-0?format=markdown')).toMatchObject({
    markdown: expect.stringContaining('[this](https://example.com/a)'),
  });
});
