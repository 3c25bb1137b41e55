import { describe, expect, test } from 'vitest';
import { getSections } from '../sections.ts';
import { getText, isBlock } from './document-tree.ts';
import { evaluateTree } from './evaluate-tree.ts';
import { parseTree, renderTree } from './parse-tree.ts';

const createHint = (style: string, ...texts: string[]) => ({
  type: 'hint',
  data: { style },
  nodes: texts.map((text) => ({ type: 'paragraph', nodes: [{ leaves: [{ text }] }] })),
});
const fold = (title: string, data = {}) => ({ type: 'expandable', data: { title, ...data } });
const createTabs = (...titles: string[]) => ({
  type: 'tabs',
  nodes: titles.map((title) => ({ type: 'tabs-item', data: { title } })),
});
const createSteps = (count: number) => ({
  type: 'stepper',
  nodes: Array.from({ length: count }, () => ({ type: 'stepper-step' })),
});

const blocks: [name: string, markdown: string, ...expected: object[]][] = [
  ['Docusaurus', ':::tip\n\ntext\n\n:::', createHint('success', 'text')],
  ['Docusaurus with a title', ':::caution[Mind]\n\ntext\n\n:::', createHint('warning', 'Mind', 'text')],
  ['VitePress', '::: danger STOP\ntext\n:::', createHint('danger', 'STOP', 'text')],
  ['VitePress details', '::: details Click {open}\ntext\n:::', fold('Click', { open: true })],
  ['MyST', ':::{note}\ntext\n:::', createHint('info', 'text')],
  [
    'more colons on the outer block',
    '::::info\n:::tip\na\n:::\n::::',
    { ...createHint('info'), nodes: [createHint('success', 'a')] },
  ],
  ['a code group', '::: code-group\n```sh [npm]\na\n```\n\n```sh [yarn]\nb\n```\n:::', createTabs('npm', 'yarn')],
  ['MkDocs', '!!! warning\n    text\n\n    more', createHint('warning', 'text', 'more')],
  ['MkDocs with a title', '!!! note inline "Mind"\n    text', createHint('info', 'Mind', 'text')],
  ['MkDocs, folded', '??? bug\n    text', fold('Bug')],
  ['MkDocs, unfolded', '???+ note "Mind"\n    text', fold('Mind', { open: true })],
  ['MkDocs tabs', '=== "A"\n\n    one\n\n=== "B"\n\n    two', createTabs('A', 'B')],
  ['GitHub', '> [!CAUTION]\n> text\n>\n> more', createHint('danger', 'text', 'more')],
  ['Obsidian with a title', '> [!tip] Mind\n> text', createHint('success', 'Mind', 'text')],
  ['Obsidian, folded', '> [!note]- Mind\n> text', fold('Mind')],
  ['Hugo', '{{< hint danger >}}\ntext\n{{< /hint >}}', createHint('danger', 'text')],
  ['Hugo notices', '{{% notice tip "Mind" %}}\ntext\n{{% /notice %}}', createHint('success', 'Mind', 'text')],
  ['Starlight', '<Aside type="caution" title="Mind">\n  text\n</Aside>', createHint('warning', 'Mind', 'text')],
  ['an Admonition', '<Admonition type="danger">\n\ntext\n\n</Admonition>', createHint('danger', 'text')],
  ['a Note', '<Note>text</Note>', createHint('info', 'text')],
  [
    'Tabs',
    '<Tabs>\n  <TabItem value="a" label="A">\n    text\n  </TabItem>\n  <Tab title="B">b</Tab>\n</Tabs>',
    createTabs('A', 'B'),
  ],
  ['a CodeGroup', '<CodeGroup>\n```js title="a.js"\n1\n```\n</CodeGroup>', createTabs('a.js')],
  ['Steps of a list', '<Steps>\n1. one\n\n2. two\n</Steps>', createSteps(2)],
  ['Steps of headings', '<Steps>\n### One\na\n### Two\nb\n</Steps>', createSteps(2)],
  ['Steps of steps', '<Steps>\n<Step title="One">\na\n</Step>\n</Steps>', createSteps(1)],
  ['an Accordion', '<Accordion title="More [x]">\na\n</Accordion>', fold('More \\[x\\]')],
  [
    'details with attributes',
    '<details class="a" open>\n<summary class="b">More</summary>\n\na\n</details>',
    fold('More', { open: true }),
  ],
];

describe('parses blocks of other dialects as Octavo blocks and preserves their source', () => {
  test.each(blocks)('%s', (_name, markdown, ...expected) => {
    const tree = parseTree(`${markdown}\n\nlast\n`);
    expect(tree.nodes).toMatchObject([...expected, { type: 'paragraph' }]);
    expect(renderTree(tree)).toBe(`${markdown}\n\nlast\n`);
  });
});

test('keeps the original syntax of a changed block', () => {
  const change = (markdown: string) => {
    const tree = parseTree(markdown);
    const last = tree.nodes[0]?.nodes.at(-1);
    if (last !== undefined && isBlock(last)) last.nodes = [getText('other')];
    return renderTree(tree);
  };
  expect(change(':::tip[Mind]\ntext\n:::\n')).toBe(':::tip[Mind]\nother\n:::\n');
  expect(change('!!! note\n    text\n')).toBe('!!! note\n    other\n');
  expect(change('> [!NOTE] Mind\n> text\n')).toBe('> [!NOTE] Mind\n> other\n');
  expect(change('<Aside type="tip"\n  title="Mind">\ntext\n</Aside>\n')).toBe(
    '<Aside type="tip"\n  title="Mind">\nother\n</Aside>\n',
  );
  const restyled = parseTree(':::tip\ntext\n:::\n');
  if (restyled.nodes[0] !== undefined) restyled.nodes[0].data.style = 'danger';
  expect(renderTree(restyled)).toBe('{% hint style="danger" %}\ntext\n{% endhint %}\n');
});

test('parses cards as a table of cards with links', () => {
  const cards =
    '<CardGrid>\n  <LinkCard title="One" href="/one" description="a" />\n  <Card\n    title="Two"\n    href={useBaseUrl("/two")}\n  >\n    b\n  </Card>\n</CardGrid>\n';
  const tree = parseTree(cards);
  const createText = (value: string) => ({ leaves: [{ text: value }] });
  const createRow = (title: string, words: string, url: string) => ({
    nodes: [
      { nodes: [createText(title)] },
      { nodes: [createText(words)] },
      { nodes: [{ type: 'link', data: { ref: { url } } }] },
    ],
  });
  expect(tree.nodes).toMatchObject([
    {
      type: 'table',
      data: { view: 'cards' },
      nodes: [{ data: { header: true } }, createRow('One', 'a', '/one'), createRow('Two', 'b', '/two')],
    },
  ]);
  expect(renderTree(tree)).toBe(cards);
});

test('hides imports, exports, comments and unknown components, but shows the content of the components', () => {
  const markdown =
    "import A from '@site/a';\nimport {\n  B,\n} from 'b';\n\nexport const c = {\n  d: 1,\n};\n\n{/* not\nshown */}\n\n# Title\n\n<A b={() => 1 > 2}>\n\nshown **text**\n\n</A>\n\n<B />\n";
  const tree = parseTree(markdown);
  expect(renderTree(tree)).toBe(markdown);
  expect(tree.nodes.filter(({ type, data }) => type !== 'html' || data.html !== '').map(({ type }) => type)).toEqual([
    'heading-1',
    'paragraph',
  ]);
  expect(getSections(markdown)).toEqual([{ anchor: 'title', level: 1, title: 'Title', text: 'shown text' }]);
});

test.each([
  ['an unknown name', ':::row of a\ntext\n:::\n'],
  ['an unclosed block', ':::tip\ntext\n'],
  ['code', '```\n:::tip\n:::\n```\n'],
  ['words', 'import duties are high\n\nexport default settings first\n'],
  ['a quotation', '> [!unknown]\n> text\n'],
])('%s: the source is preserved as text', (_name, markdown) => {
  const tree = parseTree(markdown);
  expect(JSON.stringify(tree)).not.toMatch(/"hint"|"expandable"|"html":""/);
  expect(renderTree(tree)).toBe(markdown);
});

const renderForVisitor = (markdown: string) => {
  const scope = { space: { vars: {} }, page: { vars: {} }, visitor: { claims: {} } };
  const evaluation = { scope, findTarget: () => undefined, contents: new Map(), isStrict: true };
  return renderTree(evaluateTree(parseTree(markdown), evaluation));
};

test.each([
  'export const a = 1\n{% if visitor.claims.a %}\n\nsecret\n\n{% endif %}\n',
  '{/*\n{% if visitor.claims.a %}\n*/}\n\nsecret\n\n{% endif %}\n',
  '<Foo\n{% if visitor.claims.a %}\n>\n\nsecret\n\n{% endif %}\n',
  '<Foo a="{% if visitor.claims.a %}">\n\nsecret\n\n</Foo>\n',
  '!!! note\n    {% if visitor.claims.a %}\n\nsecret\n\n{% endif %}\n',
  '<CodeBlock>\n{% if visitor.claims.a %}\nsecret\n{% endif %}\n</CodeBlock>\n',
  '<Code code={`\n{% if visitor.claims.a %}\nsecret`} />\n',
  '{% highlight js %}\n{% if visitor.claims.a %}\nsecret\n{% endif %}\n{% endhighlight %}\n',
  '{% comment %}\n{% if visitor.claims.a %}\n{% endcomment %}\nsecret\n{% endif %}\n',
  '{% @mermaid/diagram content="{% if visitor.claims.a %}\nsecret" %}\n',
  '{{< highlight js >}}\n{% if visitor.claims.a %}\nsecret\n{% endif %}\n{{< /highlight >}}\n',
  '{{< tab "a" >}}{% if visitor.claims.a %}{{< /tab >}}\nsecret\n{% endif %}\n',
  '{: .note }\n> {% if visitor.claims.a %}\n\nsecret\n\n{% endif %}\n',
  '::: row\n{% if visitor.claims.a %}\n:::\nsecret\n{% endif %}\n',
  'a[^1]\n\n[^1]: b\n    {% if visitor.claims.a %}\n    secret\n    {% endif %}\n',
  '<div markdown>\n{% if visitor.claims.a %}\n\nsecret\n\n{% endif %}\n</div>\n',
  '{% raw %}{% if visitor.claims.a %}{% endraw %} secret\n',
  '{% swagger summary="{% if visitor.claims.a %}" %}\nsecret\n{% endswagger %}\n',
  ':::tip\n{% if visitor.claims.a %}\n:::\nsecret\n{% endif %}\n',
  '> [!NOTE]\n> {% if visitor.claims.a %}\n\nsecret\n\n{% endif %}\n',
  'a {/* {% if visitor.claims.a %} */} secret\n',
  '<Note>\n{% if visitor.claims.a %}\nsecret</Note>\n{% endif %}\n',
  '<Note>a {% if visitor.claims.a %}\nsecret</Note>\n{% endif %}\n',
  '<Note>\n{% if visitor.claims.a %}</Note>\nsecret\n{% endif %}\n',
  '<img src="a.png" class="{% if visitor.claims.a %}">\n\nsecret\n',
  '<details class="{% if visitor.claims.a %}">\n<summary>a</summary>\n\nsecret\n</details>\n',
])('content under a condition of another dialect is hidden from readers who do not meet it: %j', (markdown) => {
  expect(renderForVisitor(markdown)).not.toContain('secret');
});

test('visitors get no comments, imports or tags', () => {
  const markdown =
    'import a from \'./secret\'\n\n{/* secret */}\n\n<Foo href="secret.md">\n\ntext {/* secret */} <Bar a="secret" />\n\n</Foo>\n\n:::tip{a="secret"}\nx\n:::\n\n## A {#b .secret}\n';
  expect(renderForVisitor(markdown)).not.toContain('secret');
  expect(renderForVisitor(markdown)).toContain('{% hint style="success" %}\nx\n{% endhint %}\n\n## A {#b}');
});

test('parses sub, sup, links and images in HTML into the same tree nodes as markdown', () => {
  const markdown =
    'H<sub>2</sub>O<sup>+</sup> <Badge text="New" /> <Link to="/a">b</Link> <Foo a={b}>c</Foo> <img src={require("./b.png").default} alt="B" width="2" />\n';
  const tree = parseTree(markdown);
  const marks = JSON.stringify(tree).match(/"type":"(?:sub|super)script"/g);
  expect(marks).toHaveLength(2);
  expect(JSON.stringify(tree.nodes)).toContain('"html":"New"');
  expect(tree.nodes[0]?.nodes).toMatchObject(
    expect.arrayContaining([
      expect.objectContaining({ type: 'link', data: { ref: { kind: 'url', url: '/a' } } }),
      expect.objectContaining({
        type: 'inline-image',
        data: expect.objectContaining({ ref: { kind: 'url', url: './b.png' }, alt: 'B' }),
      }),
    ]),
  );
  expect(renderTree(tree)).toBe(markdown);
});

test.each([
  ['<img src="a.png" alt="A" width="300" class="b" />', {}, 'a.png'],
  ['<p align="center">\n  <img src="a.png">\n</p>', { align: 'center' }, 'a.png'],
  ['<figure class="x">\n  <img src="a.png">\n  <figcaption>C</figcaption>\n</figure>', {}, 'a.png'],
  [
    '<picture>\n<source srcset="b.png" media="(prefers-color-scheme: dark)">\n<img src="a.png">\n</picture>',
    {},
    'a.png',
  ],
])('%j is an image', (markdown, data, url) => {
  expect(parseTree(`${markdown}\n`).nodes).toMatchObject([
    { type: 'images', data, nodes: [{ data: { ref: { url } } }] },
  ]);
});
