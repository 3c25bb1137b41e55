import { expect, test } from 'vitest';
import { createFiles, createPixel } from '../../content/files/file-client.ts';
import type { Change } from '../../content/space-client.ts';
import { getClient, insertPage, writePage } from '../../content/space-client.ts';
import { webp } from '../../support/images.ts';
import { platform } from '../../support/platform.ts';
import { downloadPdf, requestPdfOfSpace, requestPdfUrl, waitForPdf } from './pdf-client.ts';
import { readPdf } from './read-pdf.ts';

const server = platform();

async function getSpace(changes: Change[], title = 'Handbook') {
  const space = await server.makeSpace({ title });
  const client = getClient(server, space);
  return { made: space, client, pages: await client.change(changes) };
}

const createPage = (title: string, markdown: string, more: object = {}) => ({
  ...insertPage(title, more),
  document: { markdown },
});

test('renders a space with its title, table of contents and pages in reading order', async () => {
  const { made } = await getSpace([
    createPage('Start', '# Start\n\nWelcome **all**.\n', { ref: 'start' }),
    createPage('Below', '## A heading\n\nNested text.\n', { into: 'start' }),
    createPage('End', 'The last words.\n'),
  ]);

  const { title, texts, outline } = await readPdf(await downloadPdf(server, made));
  const all = texts.join('\n');

  expect(title).toBe('Handbook');
  expect(outline.map((entry) => entry.trim())).toEqual(expect.arrayContaining(['Start', 'Below', 'End']));
  const places = ['Welcome all', 'Nested text', 'The last words'].map((words) => all.indexOf(words));
  expect(places).not.toContain(-1);
  expect(places).toEqual(places.toSorted((one, other) => one - other));
});

test('links point to pages in the same PDF, even after a move, and to external URLs', async () => {
  const { made, client, pages } = await getSpace([
    createPage('Target', 'Here it is.\n'),
    createPage('Source', '[a page](/target), [the web](https://web.example/x), [bad](javascript:alert%281%29)\n'),
  ]);
  await client.change([{ operation: 'update_page', page: pages[0], slug: 'elsewhere' }]);

  const { texts, urls, jumps } = await readPdf(await downloadPdf(server, made));

  expect(urls).toContain('https://web.example/x');
  expect(urls.filter((url) => url.startsWith('javascript:'))).toEqual([]);
  const target = texts.findLastIndex((text) => text.includes('Here it is.'));
  expect(jumps).toContain(target);
});

test('renders only a page, or a page with its descendants, and converts links to other pages to URLs', async () => {
  const { made, client } = await getSpace([
    createPage('Above', 'Not wanted.\n'),
    createPage('Part', '[away](/above) of it.\n', { ref: 'part' }),
    createPage('Inside', 'Wanted too.\n', { into: 'part' }),
  ]);
  const [, part] = await client.pages();

  const whole = await readPdf(await downloadPdf(server, made, { query: `?page=${part?.id}` }));
  const alone = await readPdf(await downloadPdf(server, made, { query: `?page=${part?.id}&only=true` }));

  expect([whole.title, alone.title]).toEqual(['Part', 'Part']);
  expect(whole.texts.join('\n')).toContain('Wanted too.');
  expect(alone.texts.join('\n')).not.toContain('Wanted too.');
  for (const { texts, urls } of [whole, alone]) {
    expect(texts.join('\n')).toContain('away of it.');
    expect(texts.join('\n')).not.toContain('Not wanted.');
    expect(urls).toEqual(
      expect.arrayContaining([expect.stringMatching(new RegExp(`/app/spaces/${made.id}/content/page/pg_\\w+$`))]),
    );
  }
});

test('renders a change request in its current state, with its number and subject', async () => {
  const { made, client, pages } = await getSpace([createPage('Start', 'As it was.\n')]);
  const branch = await client.open();
  await client.change([writePage(pages[0] ?? '', 'As it will be.\n')], branch);

  const [mine, live] = [
    await readPdf(await downloadPdf(server, made, { branch })),
    await readPdf(await downloadPdf(server, made)),
  ];

  expect(mine.texts.join('\n')).toContain('As it will be.');
  expect(mine.texts.join('\n')).toContain('Change request #1: A change');
  expect(live.texts.join('\n')).toContain('As it was.');
  expect(live.texts.join('\n')).not.toContain('Change request');
});

test('evaluates variables, conditions and reusable content like for readers', async () => {
  const { made, client } = await getSpace([createPage('First', 'First.\n')]);
  await client.change([
    { operation: 'set_variables', variables: { product: 'Octavo' } },
    {
      operation: 'insert_reusable_content',
      title: 'Legal',
      document: { markdown: 'All rights of <code class="expression">space.vars.product</code>.\n' },
    },
  ]);
  const { reusableContents } = await client.head();
  const include = `{% include "/reusable-contents/${reusableContents[0]?.id}" %}`;
  await client.change([
    createPage('Shown', `Made by <code class="expression">space.vars.product</code>.\n\n${include}\n`),
  ]);

  const text = (await readPdf(await downloadPdf(server, made))).texts.join('\n');

  expect(text).toContain('Made by Octavo.');
  expect(text).toContain('All rights of Octavo.');
});

test('contains images of the space', async () => {
  const { made, client } = await getSpace([createPage('First', 'First.\n')]);
  const bare = (await downloadPdf(server, made)).length;
  const [file] = await createFiles(client, [createPixel('dot.png')]);
  await client.change([createPage('Picture', `![A dot](/files/${file?.id})\n`)]);

  const bytes = Buffer.from(await downloadPdf(server, made));

  expect(bytes.length).toBeGreaterThan(bare);
  expect(bytes.toString('latin1')).toMatch(/\/Subtype\s*\/Image/);
});

test('contains a WebP image of the space, and the alternative text of a damaged image', async () => {
  const { made, client } = await getSpace([createPage('First', 'First.\n')]);
  const createFile = (name: string, bytes: Buffer) => ({
    name,
    base64: bytes.toString('base64'),
    contentType: 'image/webp',
  });
  const damaged = Buffer.from(webp);
  damaged.fill(0xff, 40);
  const files = await createFiles(client, [createFile('whole.webp', webp), createFile('damaged.webp', damaged)]);
  const getFilePath = (name: string) => `/files/${files.find((each) => each.name === name)?.id}`;
  await client.change([
    createPage('Pictures', `![Whole](${getFilePath('whole.webp')})\n\n![Damaged](${getFilePath('damaged.webp')})\n`),
  ]);

  const bytes = await downloadPdf(server, made);

  expect(
    Buffer.from(bytes)
      .toString('latin1')
      .match(/\/Subtype\s*\/Image/g),
  ).toHaveLength(1);
  expect((await readPdf(bytes)).texts.join('\n')).toContain('Damaged');
});

test('reports scripts without a font in the response of the PDF and of the next request', async () => {
  const { made } = await getSpace([createPage('First', 'Words, \u0F40 and \u13A0.\n')]);
  const response = await waitForPdf(await requestPdfUrl(server, made));
  expect(response.headers.get('octavo-missing-scripts')).toBe('Cherokee,Tibetan');
  expect(await (await requestPdfOfSpace(server, made)).json()).toMatchObject({
    missingScripts: ['Cherokee', 'Tibetan'],
  });
});

test('text in scripts that need several fonts can be extracted', async () => {
  const { made } = await getSpace([createPage('文書', '日本語の文章。 Ελληνικά. Кириллица. 한국어.\n')]);

  const text = (await readPdf(await downloadPdf(server, made))).texts.join('\n');

  for (const words of ['日本語の文章', 'Ελληνικά', 'Кириллица', '한국어']) expect(text).toContain(words);
});
