import { getAnchorNames, toStoredAnchors } from '@octavo/markdown';
import { expect, test } from 'vitest';
import { toAnchorChunks } from './document-links.ts';
import { createAnchorTracker, findRenamedAnchors } from './resolve-writes.ts';

/** A markdown list of updates. */
const dated = (date: string): string => `{% ${'update'} date="${date}" %}`;
const text = (...headings: string[]): string => headings.map((each) => `${each}\n\ntext\n`).join('\n');

test.each<[what: string, former: string, now: string, kept: object | undefined]>([
  ['one of three', text('# A', '## B', '## C'), text('# A', '## X', '## C'), { b: 'x' }],
  ['the last', text('# A', '## B'), text('# A', '## X'), { b: 'x' }],
  ['the only one', text('# A'), text('# X'), { a: 'x' }],
  ['all, and nothing else', text('# A', '## B'), text('# X', '## Y'), { a: 'x', b: 'y' }],
  [
    'two beside each other',
    text('# A', '## B', '## C', '## D', '## E'),
    text('# A', '## X', '## Y', '## D', '## E'),
    { b: 'x', c: 'y' },
  ],
  ['one with an id of its own', text('# A', '## B {#own}', '## C'), text('# A', '## X', '## C'), { own: 'x', b: 'x' }],
  ['one whose id stays', text('# A', '## B {#own}', '## C'), text('# A', '## X {#own}', '## C'), undefined],
  [
    'as GitHub names it',
    text('# A', '## Node.js', '## C'),
    text('# A', '## Deno', '## C'),
    { 'node-js': 'deno', nodejs: 'deno', 'node.js': 'deno' },
  ],
  ['none where one is added', text('# A', '## C'), text('# A', '## B', '## C'), undefined],
  ['none where one is taken out', text('# A', '## B', '## C'), text('# A', '## C'), undefined],
  ['none where the level is another', text('# A', '## B', '## C'), text('# A', '### X', '## C'), undefined],
  ['none where another has the name', text('# A', '## B', '## C'), text('# A', '## X', '## B', '## C'), undefined],
  ['none of another section', '# A\n\nx\n\n## B\n\nRun it.\n', '# A\n\nx\n\n## X\n\nWholly other.\n', undefined],
  ['one of which little is new', '# A\n\nx\n\n## B\n\na\nb\nc\n', '# A\n\nx\n\n## X\n\na\nb\nd\n', { b: 'x' }],
  ['none of another text', `${text('# A', '## B')}more`, `${text('# X', '## Y')}other`, undefined],
])('a heading in the same position keeps its former anchors: %s', (_, former, now, kept) => {
  expect(findRenamedAnchors(former, now)).toEqual(kept);
});

test('former anchors point to a renamed heading until it is removed', () => {
  const [one, two, three] = [text('# A', '## B'), text('# A', '## C'), text('# A', '## D')];
  const first = findRenamedAnchors(one, two);
  const second = findRenamedAnchors(two, three, first);
  expect(second).toEqual({ b: 'd', c: 'd' });
  expect(findRenamedAnchors(three, one, second)).toEqual({ c: 'b', d: 'b' });
  expect(findRenamedAnchors(three, text('# A'), second)).toBeUndefined();
  const inherited = findRenamedAnchors(text('# A', '## B {#__proto__}'), text('# A', '## X')) ?? {};
  expect(Object.entries(inherited)).toContainEqual(['__proto__', 'x']);
});

test('former anchors are kept when other text changes', () => {
  const kept = { old: 'b' };
  expect(findRenamedAnchors('# A\n\n## B\n\nx\n', '# A\n\n## B\n\ny\n', kept)).toEqual(kept);
  expect(findRenamedAnchors('# T\n\nA\n---\n\nx\n', '# T\n\nB\n---\n\nx\n')).toEqual({ a: 'b' });
});

test('limits the number of former anchors', () => {
  const many = (mark: string) => text(...Array.from({ length: 1000 }, (_, n) => `## ${mark}${n}`));
  expect(Object.keys(findRenamedAnchors(many('a'), many('b')) ?? {})).toHaveLength(200);
});

test('compares at most 500,000 characters of text per batch, and keeps the anchors of other pages', () => {
  const page = (document: string, anchors = { old: 'b' }) => ({ kind: 'page', id: 'pg_a', document, anchors }) as never;
  const below = `${'x '.repeat(60_000)}\n`;
  const texts = new Map([['before', `# A\n\n## B\n\n${below}`]]);
  const anchorsOf = createAnchorTracker({ getLoaded: () => page('before'), content: { texts } });
  const now = `# A\n\n## C\n\n${below}`;

  const kept = Array.from({ length: 4 }, () => anchorsOf(page('now'), now));
  const renamed = { old: 'c', b: 'c' };
  expect(kept).toEqual([renamed, renamed, { old: 'b' }, { old: 'b' }]);
  expect(anchorsOf(page('before'), now)).toEqual({ old: 'b' });
});

test.each<[text: string, stored: string[]]>([
  ['# A part\n\n## Node.js\n', ['a-part', 'node-js', 'nodejs']],
  ['## A {#own}\n\n<a name="x"></a>\n\n<h3 id=\'y\'>B</h3>\n', ['own', 'a', 'x', 'y']],
  ['# 1. A & B\n\n## C\n\n## C\n', ['id-1.-a-and-b', '_1-a-b', 'c', 'c-2', 'c-1', 'c_1']],
  [
    `{% updates %}\n${dated('2026-01-02')}\n## Second {#two}\n${dated('2026-01-01')}\n## First\n{% endupdates %}\n`,
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
  const asked = anchors.map((anchor) => ({ hash: 'a', anchor: anchor.slice(0, 1000), names: getAnchorNames(anchor) }));

  const chunks = toAnchorChunks(asked);

  expect(chunks.flatMap((json) => JSON.parse(json)).flatMap((row) => row.anchors)).toEqual(asked);
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
  dated('').slice(0, -4).repeat(1e4),
])('handles hostile texts within the time limit (%#)', (markdown) => {
  const start = process.threadCpuUsage();
  toStoredAnchors(markdown);
  findRenamedAnchors(markdown, `${markdown}x`);
  const { user, system } = process.threadCpuUsage(start);
  expect((user + system) / 1000).toBeLessThan(5000);
});
