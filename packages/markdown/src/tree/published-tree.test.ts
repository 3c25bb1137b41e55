import { expect, test } from 'vitest';
import { parseTree } from './parse-tree.ts';
import { publishTree } from './published-tree.ts';

const getNodes = (markdown: string, title?: string) =>
  publishTree(parseTree(markdown), {
    includes: () => 'rc_a',
    title,
    references: (url) => ({ kind: 'page', page: url }),
  }).nodes;
const getInnerNodes = (markdown: string) => getNodes(markdown).flatMap(({ nodes }) => nodes);
const createWords = (text: string, ...marks: string[]) => ({
  object: 'text',
  leaves: [{ object: 'leaf', text, marks: marks.map((type) => ({ object: 'mark', type })) }],
});

test.each<[string, string, unknown[]]>([
  ['a heading has its anchor', '## A b', [{ type: 'heading-2', data: { id: 'a-b' }, meta: { id: 'a-b' } }]],
  ['a heading has its explicit anchor', '## A {#x}', [{ data: { id: 'x' }, meta: { id: 'x' } }]],
  [
    'a heading has all of its explicit anchors',
    '<a id="x"></a>\n<a id="y"></a>\n\n## A <a id="z"></a>\n\n## B <a id="b1"></a> {#y}',
    [
      { data: { id: 'z', aliases: ['x'] }, meta: { id: 'z' } },
      { data: { id: 'y', aliases: ['b1'] }, meta: { id: 'y' } },
    ],
  ],
  ['an anchor with other characters is only in the metadata', '# Ä 日', [{ data: {}, meta: { id: 'a-日' } }]],
  [
    'an emoji has its code',
    ':smile: :heart: :no_such_emoji:',
    [
      {
        nodes: [
          { data: { code: '1f604' } },
          createWords(' '),
          { data: { code: '2764-fe0f' } },
          createWords(' :no_such_emoji:'),
        ],
      },
    ],
  ],
  ['deeper headings have level 3', '##### A', [{ type: 'heading-3', data: {} }]],
  ['a lone image is a block', '![a](b.png)', [{ type: 'images', nodes: [{ data: { alt: 'a' }, fragments: [] }] }]],
  [
    'the links of a caption are references',
    '<figure><img src="a" alt=""><figcaption><p>[b](c)</p></figcaption></figure>',
    [{ nodes: [{ fragments: [{ nodes: [{ nodes: [{ data: { ref: { kind: 'page', page: 'c' } } }] }] }] }] }],
  ],
  [
    'code has its language, title and lines in separate fields',
    '```js title="a.js" {2}\nx\ny\n```',
    [{ data: { syntax: 'js', title: 'a.js' }, nodes: [{ data: {} }, { data: { highlighted: true } }] }],
  ],
  [
    'each branch has its condition',
    '{% if a %}\nx\n{% elseif b %}\ny\n{% else %}\nz\n{% endif %}',
    ['a', '!(a) && (b)', '!(a) && !(b)'].map((expression) => ({ type: 'if', data: { expression } })),
  ],
  [
    'the options of a column are its values',
    '<table><thead><tr><th data-type="select">A</th></tr></thead><tbody><tr><td>b, c</td></tr><tr><td>b</td></tr></tbody></table>',
    [
      {
        data: {
          definition: { c0: { multiple: true, options: [{ value: 'b', label: 'b' }, { value: 'c' }] } },
          records: { r0: { values: { c0: ['b', 'c'] } } },
        },
      },
    ],
  ],
  [
    'a table in a quotation keeps its titles, links and values, and code its title',
    '> <table><thead><tr><th>A</th><th data-type="number">B</th><th data-type="content-ref"></th></tr></thead><tbody><tr><td><a href="c.md"><b>d</b></a></td><td>4</td><td><a href="/pages/e">f</a></td></tr></tbody></table>\n>\n> ```js title="g"\n> h\n> ```',
    [
      {
        nodes: [
          {
            nodes: [
              { nodes: [{ nodes: [createWords('A', 'bold'), createWords(' | '), createWords('B', 'bold')] }] },
              {
                nodes: [
                  {
                    nodes: [
                      { type: 'link' },
                      createWords(' | '),
                      createWords('4'),
                      createWords(' | '),
                      { type: 'link' },
                    ],
                  },
                ],
              },
            ],
          },
          { nodes: [createWords('g', 'bold')] },
          { nodes: [createWords('h', 'code')] },
        ],
      },
    ],
  ],
  ['HTML is converted to its images and texts', '<div>\n<p>a *b*\n<img src="c.png"></div>', [{ type: 'paragraph' }]],
  [
    'a prompt for an assistant in a code block',
    '{% prompt description="Ask" icon="robot" %}\n```\nDo this\n```\n{% endprompt %}\n',
    [{ type: 'prompt', data: { description: 'Ask', icon: 'robot' }, nodes: [{ type: 'code' }] }],
  ],
  ['an embed has a URL', '{% embed url="https://a.b" %}', [{ type: 'embed', data: { url: 'https://a.b' } }]],
  [
    'a file outside of the space is a reference',
    '{% file src="https://a.b/c" %}',
    [{ type: 'content-ref', data: { ref: { kind: 'url', url: 'https://a.b/c' } } }],
  ],
  [
    'cards link to their targets',
    '<table data-view="cards"><thead><tr><th>A</th><th data-hidden data-card-target data-type="content-ref"></th></tr></thead><tbody><tr><td>b</td><td><a href="c.md">c</a></td></tr></tbody></table>',
    [
      {
        data: {
          view: { type: 'cards', columns: ['c0'], targetDefinition: 'c1' },
          records: { r0: { values: { c0: 'r0c0', c1: { kind: 'url', url: 'c.md' } } } },
        },
      },
    ],
  ],
])('returns the published tree: %s', (_name, markdown, nodes) => {
  expect(getNodes(markdown)).toMatchObject(nodes);
});

test('a line break becomes a space, and a hard break a line feed', () => {
  expect(getInnerNodes('a\nb\\\nc')).toEqual([createWords('a b\nc')]);
});

test('replaces blocks that are not allowed in their parent', () => {
  expect(getInnerNodes('{% hint style="info" %}\n```\na\nb\n```\n{% endhint %}')).toMatchObject([
    { type: 'paragraph', nodes: [createWords('a\nb', 'code')] },
  ]);
  expect(getInnerNodes('* ![a](b.png)')).toMatchObject([
    { nodes: [{ type: 'paragraph', nodes: [{ type: 'inline-image' }] }] },
  ]);
  const table = '| a |\n|---|\n| b |';
  expect(getInnerNodes(`{% tabs %}\n{% tab title="t" %}\n${table}\n{% endtab %}\n{% endtabs %}`)).toMatchObject([
    { type: 'tabs-item', nodes: [{ type: 'hint', nodes: [{ type: 'table' }] }] },
  ]);
  expect(getInnerNodes(`> ${table.replaceAll('\n', '\n> ')}`)).toMatchObject([{ type: 'list-unordered' }]);
});

test.each(['<a id="top"></a>', '<a name="top"></a>\n\n<!-- a -->', '<div id="top"></div>'])(
  'does not repeat the page title after %j, which is empty',
  (start) => {
    expect(getNodes(`${start}\n\n# The title\n\ntext\n`, 'The title')).toMatchObject([
      { type: 'paragraph', nodes: [{ leaves: [{ text: 'text' }] }] },
    ]);
  },
);

test('does not repeat a page title at the start', () => {
  expect(getNodes('<!-- a -->\n\n# The *title*\n\n# The title\n', 'The title')).toMatchObject([
    { type: 'heading-1', meta: { id: 'the-title-2' } },
  ]);
  expect(getNodes('a\n\n# Title\n', 'Title')).toHaveLength(2);
  expect(getNodes('# What Is It?\n\na\n', 'What is it')).toHaveLength(1);
  expect(getNodes('# !\n\na\n', '?')).toHaveLength(2);
});

test('hides link definitions, but not a line that only looks like one', () => {
  const shown = getNodes('[a]\n\n[a]: b\n[c]:\n  <d e> "f"\n\n[g]: h i\n');

  expect(shown.map(({ type }) => type)).toEqual(['paragraph', 'paragraph']);
  expect(JSON.stringify(shown[1])).toContain('[g]: h i');
});

test('shows footnotes at their references, up to a limit of their total size', () => {
  const long = 'x'.repeat(10_000);
  expect(getInnerNodes('a[^1]\n\n[^1]: b')).toMatchObject([
    createWords('a'),
    { type: 'annotation', nodes: [createWords('1')] },
  ]);
  expect(JSON.stringify(getNodes(`${'[^1] '.repeat(1_000)}\n\n[^1]: ${long}`)).length).toBeLessThan(1_000_000);
  expect(getInnerNodes('[^1]\n\n[^1]: a [^1]')).toHaveLength(1);
});
