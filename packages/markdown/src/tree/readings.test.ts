import { expect, test } from 'vitest';
import { getLinks, rewriteTargets } from '../links/find-links.ts';
import { getSections } from '../sections.ts';
import { getTitle } from '../title.ts';
import { readJsonTree } from './json-tree.ts';
import { parseTree, renderTree } from './parse-tree.ts';
import { getPlainText, type PublishedNode } from './published-nodes.ts';
import { publishTree } from './published-tree.ts';

/** Returns the published nodes of a text, and expects the text to round-trip byte for byte. */
function parseAndPublish(
  markdown: string,
  publishing: { title?: string; tellsMissing?: boolean } = {},
): PublishedNode[] {
  const tree = parseTree(markdown, { sources: 'all' });
  expect(renderTree(tree)).toBe(markdown);
  const includes = () => undefined;
  const keptDocument = publishTree(tree, { includes, isKept: true, ...publishing });
  expect(renderTree(readJsonTree(JSON.parse(JSON.stringify(keptDocument))))).toBe(markdown);
  return publishTree(parseTree(markdown), { includes, ...publishing }).nodes;
}

const createParagraph = (text: string) => ({ type: 'paragraph', nodes: [{ leaves: [{ text }] }] });
const createImage = (url: string, more = {}) => ({
  type: 'images',
  nodes: [{ type: 'image', data: { ref: { kind: 'url', url }, ...more } }],
});
const createCode = (data: object, ...lines: string[]) => ({
  type: 'code',
  data,
  nodes: lines.map((text) => ({ nodes: [{ leaves: [{ text }] }] })),
});

test.each<[name: string, markdown: string, ...shown: object[]]>([
  [
    'an export with blank lines in its braces is not shown',
    'export const A = () => {\n  const b = "(";\n\n  return <p>Don\'t</p>;\n};\n\ntext\n',
    createParagraph('text'),
  ],
  ['an unclosed export ends at a blank line', 'export const a = {\n\ntext\n', createParagraph('text')],
  [
    'a quoted hint continues on a line without the quote marker',
    '> [!NOTE]\n> one\ntwo\n\nlast\n',
    { type: 'hint', nodes: [createParagraph('one two')] },
    createParagraph('last'),
  ],
  [
    'a quoted hint ends where another block begins',
    '> [!NOTE]\n> one\n# Two\n',
    { type: 'hint', nodes: [createParagraph('one')] },
    { type: 'heading-1' },
  ],
  ['a quoted hint does not continue after code', '> [!NOTE]\n> ```\n> a\nb\n', { type: 'hint' }, createParagraph('b')],
  [
    'tabs on one line',
    '<Tabs><TabItem value="a" label="A">one</TabItem><TabItem value="b">![x](b.png)</TabItem></Tabs>\n',
    {
      type: 'tabs',
      nodes: [
        { type: 'tabs-item', data: { title: 'A' }, nodes: [createParagraph('one')] },
        { type: 'tabs-item', data: { title: 'b' }, nodes: [createImage('b.png')] },
      ],
    },
  ],
  [
    'two tabs on one line of a tab set',
    '<Tabs>\n<Tab title="A">a</Tab> <Tab title="B"><b>b</b></Tab>\n</Tabs>\n',
    { type: 'tabs', nodes: [{ data: { title: 'A' } }, { data: { title: 'B' } }] },
  ],
  [
    'cards beside each other',
    '<Card title="A" href="a.md" /><Card title="B">b</Card>\n',
    { type: 'table', data: { view: { type: 'cards' }, records: { r0: {}, r1: {} } } },
  ],
  [
    'a closing tag after text',
    '<Aside type="tip">\na\nb</Aside>\n\n<Steps>\n1. a\n2. b</Steps>\nc\n',
    { type: 'hint', nodes: [createParagraph('a b')] },
    { type: 'stepper', nodes: [{ nodes: [createParagraph('a')] }, { nodes: [createParagraph('b')] }] },
    createParagraph('c'),
  ],
  [
    'an opening tag before a text',
    '<Aside type="tip" title="T">a\n\nb\n</Aside>\nc\n',
    { type: 'hint', nodes: [{ type: 'paragraph' }, createParagraph('a'), createParagraph('b')] },
    createParagraph('c'),
  ],
  [
    'opening and closing tags beside text, in a list',
    '* <Note>a\n  b</Note>\n* c\n',
    { nodes: [{ nodes: [{ type: 'hint', nodes: [createParagraph('a b')] }] }, { nodes: [createParagraph('c')] }] },
  ],
  [
    'adjacent closing tags, and one after a tab',
    '<Tabs>\n<TabItem label="A">\n\na\n\n</TabItem></Tabs>\n\n<Tabs>\n<TabItem label="A">a</TabItem>\n<TabItem label="B">b</TabItem></Tabs>\n',
    { type: 'tabs', nodes: [{ data: { title: 'A' }, nodes: [createParagraph('a')] }] },
    { type: 'tabs', nodes: [{ data: { title: 'A' } }, { data: { title: 'B' }, nodes: [createParagraph('b')] }] },
  ],
  [
    'a collapsed block that is closed after its text',
    '<details><summary>A</summary>\n\n* b\n* c</details>\n\nd\n',
    { type: 'expandable', fragments: [{}, { nodes: [{ type: 'list-unordered', nodes: [{}, {}] }] }] },
    createParagraph('d'),
  ],
  ['an unclosed tag is text', '<Note>a\n\n<Foo>b\nc</Foo>\n', createParagraph('a'), createParagraph('b c')],
  [
    'code in a component',
    '<Note>\n```\na</Note>\n```\n</Note>\n',
    { type: 'hint', nodes: [createParagraph('a</Note>')] },
  ],
  ['components in a list in one', '<Steps>1. <Note>a\n</Note>\n</Steps>\n', createParagraph('1. a')],
  ['a component in a component', '<Foo><Note>a</Note></Foo>\n', { type: 'hint', nodes: [createParagraph('a')] }],
  ['adjacent components with text', '<Foo><A>a</A> <B>b</B></Foo>\n', createParagraph('a b')],
  ['an empty component', '<Tabs></Tabs>\n\ntext\n', createParagraph('text')],
  ['an address in a function call', "<img src={useBaseUrl('/img/x.png')} />\n", createImage('/img/x.png')],
  [
    'an imported image',
    'import logo from \'./x.png\';\n\n<img src={logo} alt="X" width={300} />\n',
    createImage('./x.png', { alt: 'X', width: 300 }),
  ],
  [
    'an imported image in a component',
    'import { Image } from "astro:assets";\nimport logo from "../x.svg";\n\n<Image src={logo} alt="X" />\n',
    createImage('../x.svg', { alt: 'X' }),
  ],
  [
    'an imported image in HTML',
    "<center>\n<img src={useBaseUrl('/img/x.png')} />\n</center>\n",
    createImage('/img/x.png'),
  ],
  [
    'an operation that is written in the text',
    '{% swagger baseUrl="https://a.b" path="/c" method="get" summary="Get it" %}\n{% swagger-description %}\nGives it.\n{% endswagger-description %}\n\n{% swagger-parameter in="path" name="id" type="string" required="true" %}\nWhich\n{% endswagger-parameter %}\n\n{% swagger-response status="200: OK" description="Done" %}\n```json\n{}\n```\n{% endswagger-response %}\n{% endswagger %}\n',
    createParagraph('Get it'),
    createParagraph('GET https://a.b/c'),
    createParagraph('Gives it.'),
    { type: 'paragraph', nodes: [{ leaves: [{ text: 'id' }, { text: ' path, string, required' }] }] },
    createParagraph('Which'),
    createParagraph('200: OK'),
    createParagraph('Done'),
    createCode({ syntax: 'json' }, '{}'),
  ],
  [
    'a diagram of an integration',
    '{% @mermaid/diagram content="graph TD\\n  A[\\"x\\"] --> B" fullWidth="true" %}\n',
    createCode({ syntax: 'mermaid' }, 'graph TD', '  A["x"] --> B'),
  ],
  [
    'a diagram of several lines',
    '{% @mermaid/diagram content="graph TD\n  A --> B" %}\n',
    createCode({ syntax: 'mermaid' }, 'graph TD', '  A --> B'),
  ],
  [
    'an embed of an integration',
    '{% @arcade/embed flowId="x" url="https://a.b/c" %}\n',
    { type: 'embed', data: { url: 'https://a.b/c' } },
  ],
  [
    'code of Jekyll',
    '{% highlight ruby linenos %}\ndef a\n{{ site.x }}\n{% endhighlight %}\n',
    createCode({ syntax: 'ruby', lineNumbers: true }, 'def a', '{{ site.x }}'),
  ],
  ['unclosed code is text', '{% highlight ruby %}\n', createParagraph('{% highlight ruby %}')],
  [
    'templates of other tools are text',
    '{{ site.title }}, {{ page.title }}, {{ "a" | upcase }}, {{< ref "x" >}} and {{% b %}}\n',
    createParagraph('{{ site.title }}, {{ page.title }}, {{ "a" | upcase }}, {{< ref "x" >}} and {{% b %}}'),
  ],
  ['text that is not a template', '{% raw %}{{ page.vars.x }}{% endraw %}!\n', createParagraph('{{ page.vars.x }}!')],
  ['template tags are not shown', '{% raw %}\ntext\n{% endraw %}\n', createParagraph('text')],
  ['a notice without a style', '{{% notice %}}\ntext\n{{% /notice %}}\n', { type: 'hint', data: { style: 'info' } }],
])('reads syntax of other generators: %s', (_name, markdown, ...expected) => {
  expect(parseAndPublish(markdown)).toMatchObject(expected);
  expect(parseAndPublish(markdown)).toHaveLength(expected.length);
});

test('parses variables as expressions, whatever the context', () => {
  for (const source of ['space.vars.a', 'page.vars["a"]', 'visitor.claims.a ? 1 : 2', '"a" in visitor.claims'])
    expect(parseAndPublish(`{{ ${source} }}\n`)).toMatchObject([
      { nodes: [{ type: 'expression', data: { expression: source } }] },
    ]);
});

test('finds an imported image among the links, and rewrites its import if the file moves', () => {
  const markdown = "import a from './a.png';\nimport b from './b';\nexport const c = 1;\n\n<img src={a} />\n";
  expect(getLinks(markdown)).toEqual([{ target: './a.png', relation: 'reference', kind: 'image' }]);
  expect(rewriteTargets(markdown, () => "/files/it's")).toBe(markdown.replace('./a.png', '/files/it%27s'));
});

test('reports an include without a target if requested, and omits it otherwise', () => {
  const markdown = 'a\n\n{% include "none.md" %}\n';
  expect(parseAndPublish(markdown)).toMatchObject([createParagraph('a')]);
  expect(parseAndPublish(markdown, { tellsMissing: true })).toMatchObject([
    createParagraph('a'),
    { type: 'hint', data: { style: 'warning' } },
  ]);
  expect(getPlainText(parseAndPublish(markdown, { tellsMissing: true }))).toContain('none.md');
});

const vitepress = `---
layout: home
hero:
  name: Acme
  text: Docs that hold
  tagline: Fast &amp; <b>small</b>
  image:
    src: /logo.png
  actions:
    - theme: brand
      text: Start
      link: /guide/
    - { theme: alt, text: Code, link: 'https://a.b/c' }
features:
  - icon: ⚡
    title: Fast
    details: Very fast
    link: why.md
  - title: Small
---
`;

test.each([
  ['VitePress', vitepress, ['/logo.png', '/guide/', 'https://a.b/c', 'why.md']],
  [
    'Starlight',
    '---\ntitle: Acme\ntemplate: splash\nhero:\n  tagline: Docs that hold\n  image: { file: ../a.png }\n  actions:\n    - text: Start\n      link: /guide/\n      variant: secondary\n---\n\ntext\n',
    ['../a.png', '/guide/'],
  ],
  [
    'VuePress',
    '---\nhome: true\nheroImage: /a.png\nheroText: Acme\ntagline: Docs that hold\nactionText: Start\nactionLink: /guide/\nfeatures:\n- title: Fast\n  details: Very fast\n---\n',
    ['/a.png', '/guide/'],
  ],
])('shows the frontmatter of a home page: %s', (_name, markdown, targets) => {
  const text = JSON.stringify(parseAndPublish(markdown));
  for (const part of ['Docs that hold', 'Start']) expect(text).toContain(`"${part}"`);
  expect(getLinks(markdown).map(({ target }) => target)).toEqual(targets);
  for (const target of targets) expect(text).toContain(`"${target}"`);
  const moved = rewriteTargets(markdown, (target) => (target === '/guide/' ? 'a b, c.md' : undefined));
  expect(getLinks(moved).map(({ target }) => target)).toContain('a b, c.md');
  expect(getSections(markdown)[0]?.text).toMatch(/Docs that hold .*Start/);
  expect(parseAndPublish(markdown.replace(/\n/g, '\r\n'))).toHaveLength(parseAndPublish(markdown).length);
});

test('the title of a home page comes from its hero and is not repeated', () => {
  expect(getTitle(vitepress)).toBe('Acme');
  expect(parseAndPublish(vitepress, { title: 'Acme' })).toMatchObject([
    createParagraph('Docs that hold'),
    createParagraph('Fast & small'),
    createImage('/logo.png'),
    { type: 'paragraph', nodes: [{ data: { kind: 'primary' } }, { data: { kind: 'secondary', label: 'Code' } }] },
    { type: 'table', data: { records: { r0: { values: { c2: { url: 'why.md' } } }, r1: {} } } },
  ]);
  expect(parseAndPublish('---\nlayout: home\n---\n\ntext\n')).toMatchObject([createParagraph('text')]);
});

test('content under a condition is not used as a hero', () => {
  expect(parseAndPublish(vitepress.replace('Docs that hold', '"{% if visitor.claims.a %}secret"'))).toEqual([]);
});
