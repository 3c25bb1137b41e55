import { expect, test } from 'vitest';
import { publishText } from '../../../../test/support/shown-text.ts';

const toText = (words: string, ...marks: string[]) => ({
  leaves: [{ text: words, marks: marks.map((type) => ({ type })) }],
});
const toParagraph = (words: string, ...marks: string[]) => ({
  type: 'paragraph',
  nodes: [toText(words, ...marks)],
});
const toImage = (url: string, more = {}) => ({
  type: 'images',
  nodes: [{ data: { ref: { kind: 'url', url }, ...more } }],
});
const toList = (type: string, ...items: object[]) => ({
  type: `list-${type}`,
  nodes: items.map((node) => ({ type: 'list-item', nodes: [node] })),
});
const toCode = (data: object, ...lines: string[]) => ({
  type: 'code',
  data,
  nodes: lines.map((line) => ({ nodes: line === '' ? [] : [toText(line)] })),
});
const columns = {
  type: 'columns',
  nodes: ['a', 'b'].map((each) => ({ type: 'column', nodes: [toParagraph(each)] })),
};
const hint = (style: string, ...nodes: object[]) => ({ type: 'hint', data: { style }, nodes });

test.each<[name: string, markdown: string, ...shown: object[]]>([
  [
    'code in HTML',
    '<pre class="language-bash" data-title="x"><code class="lang-bash">npm <b>i</b>\n\n&lt;a&gt;\n</code></pre>\n',
    toCode({ syntax: 'bash', title: 'x' }, 'npm i', '', '<a>'),
  ],
  [
    'lists in HTML',
    '<ul>\n<li>one</li>\n<li>two\n<ol><li>in</ol>\n<li>three\n</ul>\n',
    {
      type: 'list-unordered',
      nodes: [
        { nodes: [toParagraph('one')] },
        { nodes: [toParagraph('two'), toList('ordered', toParagraph('in'))] },
        { nodes: [toParagraph('three')] },
      ],
    },
  ],
  [
    'a table in HTML of any form',
    '<table class="a">\n<caption>Cap</caption>\n<tr><th>A<th>B\n<tr><td><p>b</p><td><img src="x.png">\n</table>\n',
    toParagraph('Cap'),
    { type: 'table', data: { definition: { c0: { title: 'A' }, c1: { title: 'B' } }, records: { r0: {} } } },
  ],
  [
    'other elements',
    '<blockquote>q</blockquote>\n\n<hr/>\n\n<dl><dt>T</dt><dd>D</dd></dl>\n\n<section><h3>H</h3></section>\n',
    { type: 'blockquote', nodes: [toParagraph('q')] },
    { type: 'divider' },
    toParagraph('T', 'bold'),
    toParagraph('D'),
    { type: 'heading-3', nodes: [toText('H')] },
  ],
  [
    'films',
    '<iframe src="https://a.b/c" width="1"></iframe>\n\n<video controls src="https://a.b/d.mp4"></video>\n',
    { type: 'embed', data: { url: 'https://a.b/c' } },
    { type: 'embed', data: { url: 'https://a.b/d.mp4' } },
  ],
  [
    'the content of a head element is not shown',
    '<head>\n<title>x</title>\n<meta name="a" />\n</head>\n\ntext\n',
    toParagraph('text'),
  ],
  [
    'HTML that contains markdown',
    '<figure markdown="span">\n  ![A](a.png){ width="300" }\n  <figcaption>Cap</figcaption>\n</figure>\n\n<div class="grid" markdown>\n**b**\n</div>\n',
    toImage('a.png'),
    toParagraph('Cap'),
    toParagraph('b', 'bold'),
  ],
  [
    'indented markdown in elements of MDX',
    '<div\n  className="a"\n>\n    <section>\n\n        **b** and\n        - c\n\n            d\n\n    </section>\n    ```js\n      e\n    ```\n</div>\n\n    code\n',
    { type: 'paragraph', nodes: [{ leaves: [toText('b', 'bold').leaves[0], { text: ' and' }] }] },
    { type: 'list-unordered', nodes: [{ type: 'list-item', nodes: [toParagraph('c'), toParagraph('d')] }] },
    toCode({ syntax: 'js' }, '  e'),
    toCode({}, 'code'),
  ],
  [
    'indented markdown in unknown components and, beside an import, in other elements',
    "import A from './a'\n\n<A>\n    **b**\n</A>\n\n<details>\n<summary>S</summary>\n\n    **c**\n\n</details>\n\n<table>\n  <tr>\n    <td>\n\n      **d**\n\n    </td>\n  </tr>\n</table>\n",
    toParagraph('b', 'bold'),
    { type: 'expandable', fragments: [{}, { nodes: [toParagraph('c', 'bold')] }] },
    { type: 'table', fragments: [{ nodes: [toParagraph('d', 'bold')] }] },
  ],
  [
    'indented code in other HTML, and in elements that are not closed',
    '<script setup>\nimport A from "./a"\n</script>\n\n<div class="a">\n\n    **a**\n\n</div>\n\n<Foo>\n\n    **b**\n',
    toCode({}, '**a**'),
    toCode({}, '**b**'),
  ],
  ['a highlight in a named color', '<mark style="background-color:$primary;">a</mark>\n', toParagraph('a', 'color')],
  [
    'attributes of elements and of MDX',
    '<span style={{color: "red"}}>red</span> <button @click="a">b</button>\n',
    toParagraph('red b'),
  ],
  [
    'code of a component',
    '<CodeBlock language="js" title="a.js" showLineNumbers>\n  {`let a;\nlet b;`}\n</CodeBlock>\n',
    toCode({ syntax: 'js', title: 'a.js', lineNumbers: true }, 'let a;', 'let b;'),
  ],
  ['code in an attribute', '<Code code={`a(\'x\');`} lang="js" />\n', toCode({ syntax: 'js' }, "a('x');")],
  ['code on one line', '<CodeBlock language="sh">npm i</CodeBlock>\n', toCode({ syntax: 'sh' }, 'npm i')],
  [
    'a button',
    '<LinkButton href="/a" variant="secondary">Go</LinkButton>\n',
    { nodes: [{ type: 'button', data: { label: 'Go', kind: 'secondary', ref: { url: '/a' } } }] },
  ],
  [
    'tabs whose labels are listed by value',
    "<Tabs values={[{label: 'Windows', value: 'win'}, {value: 'mac', label: 'macOS'}]}>\n<TabItem value=\"win\">a</TabItem>\n<TabItem value=\"mac\">b</TabItem>\n</Tabs>\n",
    { type: 'tabs', nodes: [{ data: { title: 'Windows' } }, { data: { title: 'macOS' } }] },
  ],
  [
    'a collapsed block whose summary is a script',
    '<Details summary={<summary>More</summary>}>\n\na\n\n</Details>\n',
    { type: 'expandable', fragments: [{ nodes: [toParagraph('More')] }, {}] },
  ],
  [
    'the title and attributes of a component',
    '<Listing number="1-1" file-name="a.rs" caption="Does `x`">\n\n```rust\na\n```\n\n</Listing>\n',
    toParagraph('a.rs', 'bold'),
    { type: 'paragraph', nodes: [{ leaves: [{ text: 'Listing 1-1: Does ' }, { text: 'x' }] }] },
    toCode({ syntax: 'rust' }, 'a'),
  ],
  ['a container with an unknown name', '::: raw\ntext\n\n:::\n', toParagraph('text')],
  [
    'a table of contents',
    '[[toc]]\n\n[TOC]\n\n1. TOC\n{:toc}\n\n* Here\n{: .a toc}\n\n- kept\n',
    toList('unordered', toParagraph('kept')),
  ],
  [
    'comments and options of kramdown',
    '{::comment}\nhidden\n\n- hidden\n{:/comment}\n\n{::options toc_levels="2..3" /}\n\na{::comment}hidden{:/} b\n',
    toParagraph('a b'),
  ],
  ['a comment of kramdown that is not closed', '{::comment}\n', toParagraph('{::comment}')],
  [
    'templates in reference definitions',
    '[A][a]\n\n[a]: {% link docs/b.md %}\n[c]: {{ site.baseurl }}/c/\n',
    { nodes: [{ type: 'link', data: { ref: { url: '/docs/b.md' } } }] },
  ],
  ['an aligned text', '<p align="center">A <b>b</b></p>\n', { type: 'paragraph', data: { align: 'center' } }],
  ['an aligned heading', '<h2 align="right">A</h2>\n', { type: 'heading-2', data: { align: 'end' } }],
  [
    'an aligned div',
    '<div align="center">\n\n# A\n\n<div>b</div>\n\n<p align="left">c</p>\n\n- d\n\n</div>\n\ne\n',
    { type: 'heading-1', data: { id: 'a', align: 'center' } },
    { type: 'paragraph', data: { align: 'center' } },
    { type: 'paragraph', data: { align: 'center' } },
    { type: 'list-unordered' },
    { type: 'paragraph', data: {} },
  ],
  [
    'a mention with its own text',
    '<a href="a.md" data-mention>How to do it</a> <a href="b/a.md" data-mention>a.md</a>\n',
    {
      nodes: [
        { type: 'link', nodes: [{ leaves: [{ text: 'How to do it' }] }] },
        { leaves: [{ text: ' ' }] },
        { type: 'mention' },
      ],
    },
  ],
  ['components without content', '<Note />\n\n<Tabs />\n\n<Card />\n\n<Hero title="Shown" />\n', toParagraph('Shown')],
  [
    'attributes after their element',
    '[a](b){:target="_blank"} **c**{: .d } `e`{.f}\n\n![x](y.png){ width="1" }\n',
    { nodes: [{ type: 'link' }, { leaves: [{ text: ' ' }, { text: 'c' }, { text: ' ' }, { text: 'e' }] }] },
    toImage('y.png', { alt: 'x' }),
  ],
  ['braces that are not attributes', 'a {.b} {c} and f(x){ return }\n', toParagraph('a {.b} {c} and f(x){ return }')],
  [
    'attributes on a line of their own',
    '# T\n{: .no_toc }\n\n| a |\n|---|\n| b |\n{: .c }\n\ntext\n{ .annotate }\n',
    { type: 'heading-1' },
    { type: 'table', data: { records: { r0: {} } } },
    toParagraph('text'),
  ],
  [
    'hints of Just the Docs',
    '{: .note }\nA note\n\n{: .warning }\n> One\n>\n> two\n\nlast\n',
    hint('info', toParagraph('A note')),
    hint('warning', toParagraph('One'), toParagraph('two')),
    toParagraph('last'),
  ],
  [
    'keys and marks',
    '++ctrl+alt++ ==a b== i++ + ++j, a == b == c\n',
    {
      nodes: [{ leaves: [{ text: 'ctrl+alt' }, { text: ' ' }, { text: 'a b' }, { text: ' i++ + ++j, a == b == c' }] }],
    },
  ],
  ['icons of MkDocs', ':material-check: a\n', toParagraph(' a')],
  [
    'footnotes of several lines',
    'a[^1]\n\n[^1]: One\n    two\n\n    three\n\nlast\n',
    {
      nodes: [
        toText('a'),
        { type: 'annotation', fragments: [{ nodes: [toParagraph('One two'), toParagraph('three')] }] },
      ],
    },
    toParagraph('last'),
  ],
  [
    'footnotes with blocks, on the next line and in a quotation',
    'a[^1] b[^q]\n\n[^1]:\n    One\n    two\n\n    ```sh\n    make\n    ```\n\n    - x\n\n> c[^q]\n>\n> [^q]: Said\n',
    {
      nodes: [
        toText('a'),
        {
          type: 'annotation',
          fragments: [
            {
              nodes: [toParagraph('One two'), toCode({ syntax: 'sh' }, 'make'), toList('unordered', toParagraph('x'))],
            },
          ],
        },
        toText(' b'),
        { type: 'annotation', fragments: [{ nodes: [toParagraph('Said')] }] },
      ],
    },
    {
      type: 'blockquote',
      nodes: [{ nodes: [toText('c'), { type: 'annotation', fragments: [{ nodes: [toParagraph('Said')] }] }] }],
    },
  ],
  [
    'emphasis beside punctuation of Chinese, Japanese and Korean',
    '**注意：**请。これは**「重要」**です。**마크(Mark)**을 *斜体。*后\n',
    {
      nodes: [
        {
          leaves: [
            ...[toText('注意：', 'bold'), toText('请。これは'), toText('「重要」', 'bold'), toText('です。')],
            ...[toText('마크(Mark)', 'bold'), toText('을 '), toText('斜体。', 'italic'), toText('后')],
          ].flatMap(({ leaves }) => leaves),
        },
      ],
    },
  ],
  [
    'code in a hint',
    '{% hint style="info" %}\nRun\n\n```sh title="a"\ncd app\n  npm i\n```\n{% endhint %}\n',
    hint('info', toParagraph('Run'), toParagraph('a', 'bold'), {
      ...toParagraph('cd app\n  npm i', 'code'),
      meta: { code: { syntax: 'sh' } },
    }),
  ],
  [
    'ids outside of headings',
    '- item <a id="in-list"></a>one\n\nText <a name="in-text"></a>here.\n\n<div id="box">\n\n**b**\n\n</div>\n\n> <a id="q"></a>\n\n| a |\n|---|\n| <span id="cell"></span>x |\n\n<a id="end"></a>\n',
    {
      type: 'list-unordered',
      nodes: [{ nodes: [{ type: 'paragraph', meta: { aliases: ['in-list'] } }] }],
    },
    { type: 'paragraph', meta: { aliases: ['in-text'] } },
    { ...toParagraph('b', 'bold'), meta: { aliases: ['box'] } },
    { type: 'blockquote', nodes: [] },
    {
      type: 'table',
      fragments: [{ nodes: [{ type: 'paragraph', meta: { aliases: ['cell'] } }] }],
      meta: { aliases: ['end', 'q'] },
    },
  ],
  [
    'figures and videos of Hugo',
    '{{< figure src="/a.png" alt="A" caption="Cap" width="300" >}}\n\n{{< youtube id="x_1" >}}\n\n{{< vimeo 146022717 >}}\n',
    toImage('/a.png', { alt: 'A', width: 300 }),
    { type: 'embed', data: { url: 'https://www.youtube.com/watch?v=x_1' } },
    { type: 'embed', data: { url: 'https://vimeo.com/146022717' } },
  ],
  [
    'code of Hugo',
    '{{< highlight go "linenos=table,hl_lines=2" >}}\na\nb\n{{< /highlight >}}\n\n{{< mermaid >}}\ngraph TD\n{{< /mermaid >}}\n',
    { type: 'code', data: { syntax: 'go', lineNumbers: true } },
    toCode({ syntax: 'mermaid' }, 'graph TD'),
  ],
  [
    'tabs of Hugo',
    '{{< tabs items="A,B" >}}\n  {{< tab >}}**a**{{< /tab >}}\n  {{< tab >}}b{{< /tab >}}\n{{< /tabs >}}\n',
    { type: 'tabs', nodes: [{ data: { title: 'A' } }, { data: { title: 'B' }, nodes: [toParagraph('b')] }] },
  ],
  [
    'steps and cards of Hugo',
    '{{% steps %}}\n### A\na\n{{% /steps %}}\n\n{{< cards >}}\n{{< card link="b" title="B" subtitle="c" >}}\n{{< /cards >}}\n',
    { type: 'stepper', nodes: [{ nodes: [{ type: 'heading-3' }, toParagraph('a')] }] },
    { type: 'table', data: { view: { type: 'cards' }, records: { r0: { values: { c2: { url: 'b' } } } } } },
  ],
  [
    'a collapsed block of Hugo',
    '{{% details "T" open %}}\na\n{{% /details %}}\n',
    { type: 'expandable', data: { defaultExpanded: true } },
  ],
  [
    'columns of Hugo',
    '{{< columns >}}\na\n\n<--->\n\nb\n{{< /columns >}}\n\n{{% columns %}}\n- a\n- b\n{{% /columns %}}\n',
    columns,
    columns,
  ],
  [
    'buttons and gists of Hugo',
    '{{< button relref="/a" >}}Go{{< /button >}}\n\n{{< gist b 12 "c.js" >}}\n',
    { nodes: [{ type: 'button', data: { label: 'Go', ref: { url: '/a' } } }] },
    { type: 'embed', data: { url: 'https://gist.github.com/b/12' } },
  ],
  [
    'a shortcode with an unknown name',
    '{{< foo a="b" >}}\ntext\n{{< /foo >}}\n\n{{< foo >}}\n',
    toParagraph('text'),
    toParagraph('{{< foo >}}'),
  ],
  [
    'images for light and dark themes',
    "import D from './d.png';\n\n<ThemedImage\n  alt=\"A\"\n  sources={{ light: useBaseUrl('/l.png'), dark: D }}\n/>\n\na <ThemedImage sources={{light: 'e.png', dark: 'f.png'}} />\n",
    toImage('/l.png', { refDark: { kind: 'url', url: './d.png' }, alt: 'A' }),
    { nodes: [toText('a '), { type: 'inline-image', data: { ref: { url: 'e.png' }, refDark: { url: 'f.png' } } }] },
  ],
  [
    'terms',
    'One\n: first\n: second\n  goes on\n\n`Two`\n\n:   * a\n\n    more\n\nlast\n',
    toParagraph('One', 'bold'),
    toParagraph('first'),
    toParagraph('second goes on'),
    toParagraph('Two', 'bold', 'code'),
    toList('unordered', toParagraph('a')),
    toParagraph('more'),
    toParagraph('last'),
  ],
  [
    'terms in a quotation',
    '> a\n> : b\n>\n> c\n',
    { nodes: [toParagraph('a', 'bold'), toParagraph('b'), toParagraph('c')] },
  ],
  ['text that is not a term', '# A\n: b\n\n: c\n', { type: 'heading-1' }, toParagraph(': b'), toParagraph(': c')],
  ['abbreviations', 'HTML\n\n*[W3C]: World\n\n*[b]: c*\n', toParagraph('HTML'), toParagraph('[b]: c', 'italic')],
  [
    'suggested edits',
    '{++a++}{--b--}{==c==}{>>d<<}{~~e~>f~>g~~} {--}\n',
    { nodes: [{ leaves: ['a', 'b', 'c', 'e', 'f~>g {--}'].map((each) => ({ text: each })) }] },
  ],
  [
    'superscript',
    'x^2^ 2^10 and 3^5 ^a^ b^c d^\n',
    {
      nodes: [
        {
          leaves: [
            { text: 'x' },
            { text: '2', marks: [{ type: 'superscript' }] },
            { text: ' 2^10 and 3^5 ^a^ b^c d^' },
          ],
        },
      ],
    },
  ],
  ['comments of Jekyll', '{% comment %}\nhidden\n\n{% endcomment %}\n\ntext\n', toParagraph('text')],
  [
    'an older reference of GitBook',
    '{% page-ref page="a.md" %}\n',
    { type: 'content-ref', data: { ref: { url: 'a.md' } } },
  ],
  [
    'a prompt for an assistant',
    '{% prompt description="Ask" %}\nDo this\n{% endprompt %}\n',
    toParagraph('Ask', 'bold'),
    toParagraph('Do this'),
  ],
])('renders blocks of other generators: %s', (_name, markdown, ...expected) => {
  expect(publishText(markdown)).toMatchObject(expected);
  expect(publishText(markdown)).toHaveLength(expected.length);
});
