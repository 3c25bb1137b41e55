import { expect, test } from 'vitest';
import { getLinks, rewriteTargets } from '../links/find-links.ts';
import { getSections } from '../sections.ts';
import { getTitle } from '../slug.ts';
import { readJsonTree } from './json-tree.ts';
import { parseTree, renderTree } from './parse-tree.ts';
import { getPlainText, type PublishedNode } from './published-nodes.ts';
import { publishTree } from './published-tree.ts';

/** Returns the published nodes of a text, and expects the text to round-trip byte for byte. */
function shown(markdown: string, publishing: { title?: string; tellsMissing?: boolean } = {}): PublishedNode[] {
  const tree = parseTree(markdown, { sources: 'all' });
  expect(renderTree(tree)).toBe(markdown);
  const includes = () => undefined;
  const kept = publishTree(tree, { includes, isKept: true, ...publishing });
  expect(renderTree(readJsonTree(JSON.parse(JSON.stringify(kept))))).toBe(markdown);
  return publishTree(parseTree(markdown), { includes, ...publishing }).nodes;
}

const paragraph = (text: string) => ({ type: 'paragraph', nodes: [{ leaves: [{ text }] }] });
const image = (url: string, more = {}) => ({
  type: 'images',
  nodes: [{ type: 'image', data: { ref: { kind: 'url', url }, ...more } }],
});
const code = (data: object, ...lines: string[]) => ({
  type: 'code',
  data,
  nodes: lines.map((text) => ({ nodes: [{ leaves: [{ text }] }] })),
});

test.each<[name: string, markdown: string, ...shown: object[]]>([
  [
    'an export with blank lines in its braces is not shown',
    'export const A = () => {\n  const b = "(";\n\n  return <p>Don\'t</p>;\n};\n\ntext\n',
    paragraph('text'),
  ],
  ['an export that nothing closes ends at a blank line', 'export const a = {\n\ntext\n', paragraph('text')],
  [
    'a quoted hint goes on in a line without its sign',
    '> [!NOTE]\n> one\ntwo\n\nlast\n',
    { type: 'hint', nodes: [paragraph('one two')] },
    paragraph('last'),
  ],
  [
    'but not where another block begins',
    '> [!NOTE]\n> one\n# Two\n',
    { type: 'hint', nodes: [paragraph('one')] },
    { type: 'heading-1' },
  ],
  ['nor after code', '> [!NOTE]\n> ```\n> a\nb\n', { type: 'hint' }, paragraph('b')],
  [
    'tabs in one line',
    '<Tabs><TabItem value="a" label="A">one</TabItem><TabItem value="b">![x](b.png)</TabItem></Tabs>\n',
    {
      type: 'tabs',
      nodes: [
        { type: 'tabs-item', data: { title: 'A' }, nodes: [paragraph('one')] },
        { type: 'tabs-item', data: { title: 'b' }, nodes: [image('b.png')] },
      ],
    },
  ],
  [
    'two tabs in a line of a set of them',
    '<Tabs>\n<Tab title="A">a</Tab> <Tab title="B"><b>b</b></Tab>\n</Tabs>\n',
    { type: 'tabs', nodes: [{ data: { title: 'A' } }, { data: { title: 'B' } }] },
  ],
  [
    'cards beside each other',
    '<Card title="A" href="a.md" /><Card title="B">b</Card>\n',
    { type: 'table', data: { view: { type: 'cards' }, records: { r0: {}, r1: {} } } },
  ],
  [
    'a closing tag behind a text',
    '<Aside type="tip">\na\nb</Aside>\n\n<Steps>\n1. a\n2. b</Steps>\nc\n',
    { type: 'hint', nodes: [paragraph('a b')] },
    { type: 'stepper', nodes: [{ nodes: [paragraph('a')] }, { nodes: [paragraph('b')] }] },
    paragraph('c'),
  ],
  [
    'an opening tag before a text',
    '<Aside type="tip" title="T">a\n\nb\n</Aside>\nc\n',
    { type: 'hint', nodes: [{ type: 'paragraph' }, paragraph('a'), paragraph('b')] },
    paragraph('c'),
  ],
  [
    'both, in a list',
    '* <Note>a\n  b</Note>\n* c\n',
    { nodes: [{ nodes: [{ type: 'hint', nodes: [paragraph('a b')] }] }, { nodes: [paragraph('c')] }] },
  ],
  [
    'closing tags behind each other, and behind a tab',
    '<Tabs>\n<TabItem label="A">\n\na\n\n</TabItem></Tabs>\n\n<Tabs>\n<TabItem label="A">a</TabItem>\n<TabItem label="B">b</TabItem></Tabs>\n',
    { type: 'tabs', nodes: [{ data: { title: 'A' }, nodes: [paragraph('a')] }] },
    { type: 'tabs', nodes: [{ data: { title: 'A' } }, { data: { title: 'B' }, nodes: [paragraph('b')] }] },
  ],
  [
    'a fold that ends behind its text',
    '<details><summary>A</summary>\n\n* b\n* c</details>\n\nd\n',
    { type: 'expandable', fragments: [{}, { nodes: [{ type: 'list-unordered', nodes: [{}, {}] }] }] },
    paragraph('d'),
  ],
  ['what nothing ends is a text', '<Note>a\n\n<Foo>b\nc</Foo>\n', paragraph('a'), paragraph('b c')],
  ['code in a component', '<Note>\n```\na</Note>\n```\n</Note>\n', { type: 'hint', nodes: [paragraph('a</Note>')] }],
  ['components in a list in one', '<Steps>1. <Note>a\n</Note>\n</Steps>\n', paragraph('1. a')],
  ['a component in a component', '<Foo><Note>a</Note></Foo>\n', { type: 'hint', nodes: [paragraph('a')] }],
  ['texts beside each other', '<Foo><A>a</A> <B>b</B></Foo>\n', paragraph('a b')],
  ['an empty component', '<Tabs></Tabs>\n\ntext\n', paragraph('text')],
  ['an address that is called for', "<img src={useBaseUrl('/img/x.png')} />\n", image('/img/x.png')],
  [
    'an image that is imported',
    'import logo from \'./x.png\';\n\n<img src={logo} alt="X" width={300} />\n',
    image('./x.png', { alt: 'X', width: 300 }),
  ],
  [
    'one of a component',
    'import { Image } from "astro:assets";\nimport logo from "../x.svg";\n\n<Image src={logo} alt="X" />\n',
    image('../x.svg', { alt: 'X' }),
  ],
  ['one in other HTML', "<center>\n<img src={useBaseUrl('/img/x.png')} />\n</center>\n", image('/img/x.png')],
  [
    'an operation that is written out',
    '{% swagger baseUrl="https://a.b" path="/c" method="get" summary="Get it" %}\n{% swagger-description %}\nGives it.\n{% endswagger-description %}\n\n{% swagger-parameter in="path" name="id" type="string" required="true" %}\nWhich\n{% endswagger-parameter %}\n\n{% swagger-response status="200: OK" description="Done" %}\n```json\n{}\n```\n{% endswagger-response %}\n{% endswagger %}\n',
    paragraph('Get it'),
    paragraph('GET https://a.b/c'),
    paragraph('Gives it.'),
    { type: 'paragraph', nodes: [{ leaves: [{ text: 'id' }, { text: ' path, string, required' }] }] },
    paragraph('Which'),
    paragraph('200: OK'),
    paragraph('Done'),
    code({ syntax: 'json' }, '{}'),
  ],
  [
    'a diagram of an integration',
    '{% @mermaid/diagram content="graph TD\\n  A[\\"x\\"] --> B" fullWidth="true" %}\n',
    code({ syntax: 'mermaid' }, 'graph TD', '  A["x"] --> B'),
  ],
  [
    'a diagram of several lines',
    '{% @mermaid/diagram content="graph TD\n  A --> B" %}\n',
    code({ syntax: 'mermaid' }, 'graph TD', '  A --> B'),
  ],
  [
    'what an integration embeds',
    '{% @arcade/embed flowId="x" url="https://a.b/c" %}\n',
    { type: 'embed', data: { url: 'https://a.b/c' } },
  ],
  [
    'code of Jekyll',
    '{% highlight ruby linenos %}\ndef a\n{{ site.x }}\n{% endhighlight %}\n',
    code({ syntax: 'ruby', lineNumbers: true }, 'def a', '{{ site.x }}'),
  ],
  ['code that nothing ends is text', '{% highlight ruby %}\n', paragraph('{% highlight ruby %}')],
  [
    'templates of others are text',
    '{{ site.title }}, {{ page.title }}, {{ "a" | upcase }}, {{< ref "x" >}} and {{% b %}}\n',
    paragraph('{{ site.title }}, {{ page.title }}, {{ "a" | upcase }}, {{< ref "x" >}} and {{% b %}}'),
  ],
  ['what is no template', '{% raw %}{{ page.vars.x }}{% endraw %}!\n', paragraph('{{ page.vars.x }}!')],
  ['the tags of that are not shown', '{% raw %}\ntext\n{% endraw %}\n', paragraph('text')],
  ['a notice without a style', '{{% notice %}}\ntext\n{{% /notice %}}\n', { type: 'hint', data: { style: 'info' } }],
])('%s', (_name, markdown, ...expected) => {
  expect(shown(markdown)).toMatchObject(expected);
  expect(shown(markdown)).toHaveLength(expected.length);
});

test('parses variables as expressions, whatever the context', () => {
  for (const source of ['space.vars.a', 'page.vars["a"]', 'visitor.claims.a ? 1 : 2', '"a" in visitor.claims'])
    expect(shown(`{{ ${source} }}\n`)).toMatchObject([
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
  expect(shown(markdown)).toMatchObject([paragraph('a')]);
  expect(shown(markdown, { tellsMissing: true })).toMatchObject([
    paragraph('a'),
    { type: 'hint', data: { style: 'warning' } },
  ]);
  expect(getPlainText(shown(markdown, { tellsMissing: true }))).toContain('none.md');
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
  const text = JSON.stringify(shown(markdown));
  for (const part of ['Docs that hold', 'Start']) expect(text).toContain(`"${part}"`);
  expect(getLinks(markdown).map(({ target }) => target)).toEqual(targets);
  for (const target of targets) expect(text).toContain(`"${target}"`);
  const moved = rewriteTargets(markdown, (target) => (target === '/guide/' ? 'a b, c.md' : undefined));
  expect(getLinks(moved).map(({ target }) => target)).toContain('a b, c.md');
  expect(getSections(markdown)[0]?.text).toMatch(/Docs that hold .*Start/);
  expect(shown(markdown.replace(/\n/g, '\r\n'))).toHaveLength(shown(markdown).length);
});

test('the title of a home page comes from its hero and is not repeated', () => {
  expect(getTitle(vitepress)).toBe('Acme');
  expect(shown(vitepress, { title: 'Acme' })).toMatchObject([
    paragraph('Docs that hold'),
    paragraph('Fast & small'),
    image('/logo.png'),
    { type: 'paragraph', nodes: [{ data: { kind: 'primary' } }, { data: { kind: 'secondary', label: 'Code' } }] },
    { type: 'table', data: { records: { r0: { values: { c2: { url: 'why.md' } } }, r1: {} } } },
  ]);
  expect(shown('---\nlayout: home\n---\n\ntext\n')).toMatchObject([paragraph('text')]);
});

test('content under a condition is not used as a hero', () => {
  expect(shown(vitepress.replace('Docs that hold', '"{% if visitor.claims.a %}secret"'))).toEqual([]);
});
