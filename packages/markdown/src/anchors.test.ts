import { describe, expect, test } from 'vitest';
import { getAnchors, getSections } from './sections.ts';
import { getTitle } from './title.ts';

const read = (markdown: string) => getAnchors(markdown).map(({ id, text, aliases }) => [id, text, ...aliases]);

describe('explicit IDs of a heading are its anchors, and not part of its text', () => {
  test.each<[markdown: string, ...expected: string[][]]>([
    ['## Set up {#setup}', ['setup', 'Set up', 'set-up']],
    ['## Set up { #setup }', ['setup', 'Set up', 'set-up']],
    ['## Set up {: #setup }', ['setup', 'Set up', 'set-up']],
    ['## Set up {: .big #setup data-x="1" }', ['setup', 'Set up', 'set-up']],
    ['## Set up {#setup .big}', ['setup', 'Set up', 'set-up']],
    ['## Set up {.big}', ['set-up', 'Set up']],
    ['## Set up {/* #setup */}', ['setup', 'Set up', 'set-up']],
    ['## Set up {#setup} ##', ['setup', 'Set up', 'set-up']],
    ['Set up {#setup}\n---', ['setup', 'Set up', 'set-up']],
    ['## Set up\n{: #setup .no_toc }', ['setup', 'Set up', 'set-up']],
    ['## Set up <a href="#setup" id="setup"></a>', ['setup', 'Set up', 'set-up']],
    ["## <a name='setup'></a>Set up", ['setup', 'Set up', 'set-up']],
    ['## <a id=setup>Set</a> up', ['setup', 'Set up', 'set-up']],
    ['## <span id="setup"/> Set <b id="up">up</b>', ['setup', 'Set up', 'up', 'set-up']],
    ['## Set up <a id="b"></a> {#a}', ['a', 'Set up', 'b', 'set-up']],
    ['<a id="setup"></a>\n## Set up', ['setup', 'Set up', 'set-up']],
    ['<a name="one"></a><a name="two"></a>\n\n## Set up {#three}', ['three', 'Set up', 'one', 'two', 'set-up']],
    ['<div id="setup"></div>\n\n## Set up', ['setup', 'Set up', 'set-up']],
    ['<h2 id="setup">Set <em>up</em></h2>', ['setup', 'Set up', 'set-up']],
    ['<h1 align="center">\n  Set up <a id="x"></a>\n</h1>', ['x', 'Set up', 'set-up']],
    ['## `{#a}`', ['a', '{#a}']],
    ['## {#a}', ['a', '{#a}']],
    ['## Set up \\{#a}', ['set-up-a', 'Set up {#a}']],
    ['## a {{#b}}', ['a-b', 'a {{#b}}']],
    ['## `<a id="x">`', ['a-id-x', '<a id="x">', 'a-idx']],
    ['## {#if ...}', ['if', '{#if ...}', 'if-', 'if-...']],
    ['## C++ & C#', ['c-c', 'C++ & C#', 'c--c', 'c-and-c']],
  ])('the anchors of %j', (markdown, ...expected) => {
    expect(read(`${markdown}\n`)).toEqual(expected);
  });
});

test('numbers headings with the same text both like Octavo slugs and like GitHub', () => {
  const markdown = '# A\n\n## A\n\n#### A\n\n### A-1\n\n{% hint style="info" %}\n## A\n{% endhint %}\n';
  expect(read(markdown)).toEqual([
    ['a', 'A'],
    ['a-2', 'A', 'a-1', 'a_1'],
    ['a-4', 'A', 'a-2', 'a_2'],
    ['a-1', 'A-1', 'a-1-1'],
    ['a-3', 'A', 'a_3'],
  ]);
});

test('an explicit ID takes precedence over the slug of another heading, and only its first use is an anchor', () => {
  expect(read('# Other {#set-up}\n\n# Set up\n\n# Third {#set-up}\n')).toEqual([
    ['set-up', 'Other', 'other'],
    ['set-up-2', 'Set up', 'set-up'],
    ['third', 'Third', 'set-up'],
  ]);
});

test('IDs in blocks are anchors too, but not those in code and comments', () => {
  const markdown =
    'a <span id="one">b</span> `<a id="no">`\n\n<div id="two">\nx\n</div>\n\n```html\n<a id="no"></a>\n```\n\n<!-- <a id="no"> -->\n\n# T\n';
  expect(read(markdown)).toEqual([
    ['one', ''],
    ['two', ''],
    ['t', 'T'],
  ]);
});

test('sections have the same IDs as their headings, and their titles contain no ID', () => {
  const markdown =
    '# Guide {#g}\n\nx\n\n<a id="s"></a>\n## Set up\n\ny\n\n#### Deep\n\n## Deep\n\n<h2 id="e">End</h2>\n\nz\n';
  expect(getSections(markdown).map(({ anchor, title }) => [anchor, title])).toEqual([
    ['g', 'Guide'],
    ['s', 'Set up'],
    ['deep', 'Deep'],
    ['e', 'End'],
  ]);
  expect(getTitle(markdown)).toBe('Guide');
  expect(getTitle('<h1 align="center">The <b>one</b></h1>\n\n# Two\n')).toBe('The one');
});

test('hostile headings take linear time', () => {
  const texts = [
    (n: number) => `# a ${'{#b} '.repeat(n * 2_000)}`,
    (n: number) => `# ${'<a id="b"></a>'.repeat(n * 1_000)}`,
    (n: number) => `# a ${'{#b.'.repeat(n * 4_000)}}`,
    (n: number) => '# a {#b}\n'.repeat(n * 1_000),
    (n: number) => '<a id="b"></a>\n\n'.repeat(n * 1_000),
    (n: number) => `<h1>${'</h1> '.repeat(n * 4_000)}x`,
    (n: number) => `${'`'.repeat(n * 8_000)} id="x"`,
  ];
  const getTime = (text: string) => {
    const start = process.threadCpuUsage();
    getAnchors(text);
    const { user, system } = process.threadCpuUsage(start);
    return user + system;
  };
  for (const text of texts) {
    getTime(text(1));
    const most = Math.min(getTime(text(1)), getTime(text(1))) * 20 + 100_000;
    // A measurement may include garbage collection, so it is repeated if it is too high.
    expect(Array.from({ length: 5 }).some(() => getTime(text(8)) < most)).toBe(true);
  }
});
