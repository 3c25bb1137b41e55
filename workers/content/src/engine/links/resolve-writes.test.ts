import { getAnchorNames, toStoredAnchors } from '@octavo/markdown';
import { expect, test } from 'vitest';
import { toAnchorChunks } from './document-links.ts';
import { createAnchorTracker, findRenamedAnchors } from './resolve-writes.ts';

/** Returns the opening tag of a dated update. */
const createUpdateTag = (date: string): string => `{% ${'update'} date="${date}" %}`;
const createText = (...headings: string[]): string => headings.map((each) => `${each}\n\ntext\n`).join('\n');

test.each<[what: string, former: string, now: string, kept: object | undefined]>([
  [
    'one of three headings is renamed',
    createText('# A', '## B', '## C'),
    createText('# A', '## X', '## C'),
    { b: 'x' },
  ],
  ['the last heading is renamed', createText('# A', '## B'), createText('# A', '## X'), { b: 'x' }],
  ['the only heading is renamed', createText('# A'), createText('# X'), { a: 'x' }],
  ['all headings are renamed', createText('# A', '## B'), createText('# X', '## Y'), { a: 'x', b: 'y' }],
  [
    'two adjacent headings are renamed',
    createText('# A', '## B', '## C', '## D', '## E'),
    createText('# A', '## X', '## Y', '## D', '## E'),
    { b: 'x', c: 'y' },
  ],
  [
    'a heading with an explicit id is renamed',
    createText('# A', '## B {#own}', '## C'),
    createText('# A', '## X', '## C'),
    { own: 'x', b: 'x' },
  ],
  [
    'not for a heading whose explicit id stays',
    createText('# A', '## B {#own}', '## C'),
    createText('# A', '## X {#own}', '## C'),
    undefined,
  ],
  [
    'with the ids of GitHub',
    createText('# A', '## Node.js', '## C'),
    createText('# A', '## Deno', '## C'),
    { 'node-js': 'deno', nodejs: 'deno', 'node.js': 'deno' },
  ],
  ['not if a heading is added', createText('# A', '## C'), createText('# A', '## B', '## C'), undefined],
  ['not if a heading is removed', createText('# A', '## B', '## C'), createText('# A', '## C'), undefined],
  ['not if the level changes', createText('# A', '## B', '## C'), createText('# A', '### X', '## C'), undefined],
  [
    'not if another heading has the former text',
    createText('# A', '## B', '## C'),
    createText('# A', '## X', '## B', '## C'),
    undefined,
  ],
  [
    'not if the section has another text',
    '# A\n\nx\n\n## B\n\nRun it.\n',
    '# A\n\nx\n\n## X\n\nWholly other.\n',
    undefined,
  ],
  ['if little of its section changed', '# A\n\nx\n\n## B\n\na\nb\nc\n', '# A\n\nx\n\n## X\n\na\nb\nd\n', { b: 'x' }],
  [
    'not if the rest of the text changed',
    `${createText('# A', '## B')}more`,
    `${createText('# X', '## Y')}other`,
    undefined,
  ],
])('a heading in the same position keeps its former anchors: %s', (_, former, now, anchors) => {
  expect(findRenamedAnchors(former, now)).toEqual(anchors);
});

test('former anchors point to a renamed heading until that heading is removed', () => {
  const [one, two, three] = [createText('# A', '## B'), createText('# A', '## C'), createText('# A', '## D')];
  const first = findRenamedAnchors(one, two);
  const second = findRenamedAnchors(two, three, first);
  expect(second).toEqual({ b: 'd', c: 'd' });
  expect(findRenamedAnchors(three, one, second)).toEqual({ c: 'b', d: 'b' });
  expect(findRenamedAnchors(three, createText('# A'), second)).toBeUndefined();
  const inherited = findRenamedAnchors(createText('# A', '## B {#__proto__}'), createText('# A', '## X')) ?? {};
  expect(Object.entries(inherited)).toContainEqual(['__proto__', 'x']);
});

test('former anchors are kept when other text changes', () => {
  const anchors = { old: 'b' };
  expect(findRenamedAnchors('# A\n\n## B\n\nx\n', '# A\n\n## B\n\ny\n', anchors)).toEqual(anchors);
  expect(findRenamedAnchors('# T\n\nA\n---\n\nx\n', '# T\n\nB\n---\n\nx\n')).toEqual({ a: 'b' });
});

test('limits the number of former anchors', () => {
  const many = (mark: string) => createText(...Array.from({ length: 1000 }, (_, n) => `## ${mark}${n}`));
  expect(Object.keys(findRenamedAnchors(many('a'), many('b')) ?? {})).toHaveLength(200);
});

test('compares at most 500,000 characters of text per batch, and keeps the anchors of other pages', () => {
  const createPage = (document: string, anchors = { old: 'b' }) =>
    ({ kind: 'page', id: 'pg_a', document, anchors }) as never;
  const below = `${'x '.repeat(60_000)}\n`;
  const texts = new Map([['before', `# A\n\n## B\n\n${below}`]]);
  const anchorsOf = createAnchorTracker({ getLoaded: () => createPage('before'), content: { texts } });
  const now = `# A\n\n## C\n\n${below}`;

  const kept = Array.from({ length: 4 }, () => anchorsOf(createPage('now'), now));
  const renamed = { old: 'c', b: 'c' };
  expect(kept).toEqual([renamed, renamed, { old: 'b' }, { old: 'b' }]);
  expect(anchorsOf(createPage('before'), now)).toEqual({ old: 'b' });
});

test.each<[text: string, stored: string[]]>([
  ['# A part\n\n## Node.js\n', ['a-part', 'node-js', 'nodejs']],
  ['## A {#own}\n\n<a name="x"></a>\n\n<h3 id=\'y\'>B</h3>\n', ['own', 'a', 'x', 'y']],
  ['# 1. A & B\n\n## C\n\n## C\n', ['id-1.-a-and-b', '_1-a-b', 'c', 'c-2', 'c-1', 'c_1']],
  [
    `{% updates %}\n${createUpdateTag('2026-01-02')}\n## Second {#two}\n${createUpdateTag('2026-01-01')}\n## First\n{% endupdates %}\n`,
    ['two', 'second', 'first', 'update-2026-01-02', 'update-2026-01-01'],
  ],
  ['<details id="d"><summary><a id="s"></a>Title</summary>\n\ntext\n\n</details>\n', ['d', 's']],
  ['<Card id="c" title="Title">text</Card>\n\nText\n{: #text}\n', ['c', 'text']],
  ['text\n', []],
])('stores the anchors of %j', (markdown, stored) => {
  const anchors = toStoredAnchors(markdown);
  for (const each of stored) expect(anchors).toContain(`\n${each}\n`);
  expect(anchors).toMatch(/^\n/);
});

test('does not store IDs that are only in code, comments, formulas, or the targets and titles of links', () => {
  const anchors = toStoredAnchors(
    '(label)=\n# A\n\n```html\n<a id="code"></a>\n```\n\n`{#inline}` <!-- <a id="hidden"> -->\n\n' +
      '$$\n<a id="formula">\n$$\n\n[a](<b id="target">) [a](b "<b id=\'title\'>") ![<b id="image">](a.png)\n',
  );

  expect(anchors).toBe('\na\n');
});

test.each([
  '{% include "/reusable-contents/rc_1" %}',
  '{% openapi-operation spec="a" path="/a" method="get" %}',
  '# {{ space.vars.name }}',
  '--8<-- "a.md"',
  "import Part from './_part.mdx'",
  "import {\n  Part,\n} from './_part.mdx'",
  '<Part />',
  '<Part of={(x) => x} />',
  '<ApiTable></ApiTable>',
  '<ApiTable of="x">\n</ApiTable>',
  '<my-part />',
  '<my-part></my-part>',
  '<!--@include: ./x.md-->',
  '<!-- @include: ./x.md -->',
  '```{include} x.md\n```',
  ':::{include} x.md\n:::',
  '```{eval-rst}\n.. include:: x.rst\n```',
  '```{automodule} x\n```',
  '[!INCLUDE [x](a.md)]',
  '{{#include a.md}}',
  '{{< include "a.md" >}}',
  '{% include a.md %}',
  '{%- include_relative a.md -%}',
  '{!a.md!}',
  '::: package.module',
  '![[a]]',
  Array.from({ length: 6000 }, (_, n) => `# Heading ${n}`).join('\n'),
  'a'.repeat(300_000),
])('stores no anchors if the page gets others when rendered, or has too many (%#)', (markdown) => {
  expect(toStoredAnchors(`# A\n\n${markdown}\n`)).toBe('');
});

test.each([
  '<br/>',
  '<Tabs>\n\ntext\n\n</Tabs>',
  '<div class="a"></div>',
  '::: tip\ntext\n:::',
  ':::{note}\ntext\n:::',
  '<!-- note -->',
  '> [!NOTE]\n> text',
])('stores the anchors of a page with %j', (markdown) => {
  expect(toStoredAnchors(`# A\n\n${markdown}\n`)).toContain('\na\n');
});

test('matches an anchor as written, decoded, in lowercase and as a slug', () => {
  expect(getAnchorNames('%C3%84_b')).toEqual(['Ä_b', 'ä_b', 'a-b']);
  for (const none of ['', 'top', '/route', '!x', ':~:text=a', 'a=b']) expect(getAnchorNames(none)).toEqual([]);
});

test('splits requested anchors so that they fit into statement parameters, however many and long they are', () => {
  const anchors = Array.from({ length: 2000 }, (_, n) => `${n}${'\u0001ä'.repeat(1000)}`);
  const anchorRequests = anchors.map((anchor) => ({
    hash: 'a',
    anchor: anchor.slice(0, 1000),
    names: getAnchorNames(anchor),
  }));

  const chunks = toAnchorChunks(anchorRequests);

  expect(chunks.flatMap((json) => JSON.parse(json)).flatMap((row) => row.anchors)).toEqual(anchorRequests);
  for (const json of chunks) expect(new TextEncoder().encode(json).length).toBeLessThan(2_000_000);
});

test.each([
  '#'.repeat(1e5),
  ' id='.repeat(5e4),
  `${' #a'.repeat(5e4)}`,
  '('.repeat(1e5),
  '<A '.repeat(5e4),
  'import '.repeat(3e4),
  `<A ${'> '.repeat(1e5)}`,
  '<a-'.repeat(5e4),
  createUpdateTag('').slice(0, -4).repeat(1e4),
])('handles hostile texts within the time limit (%#)', (markdown) => {
  const start = process.threadCpuUsage();
  toStoredAnchors(markdown);
  findRenamedAnchors(markdown, `${markdown}x`);
  const { user, system } = process.threadCpuUsage(start);
  expect((user + system) / 1000).toBeLessThan(5000);
});
