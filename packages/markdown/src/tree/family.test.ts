import { describe, expect, test } from 'vitest';
import { parseTree, renderTree } from './parse-tree.ts';

const blocks: [name: string, markdown: string, tree: object[]][] = [
  [
    'a hint',
    '{% hint style="info" %}\ntext\n{% endhint %}',
    [{ type: 'hint', data: { style: 'info' }, nodes: [{ type: 'paragraph' }] }],
  ],
  [
    'tabs',
    '{% tabs %}\n{% tab title="One" %}\na\n{% endtab %}\n\n{% tab title="Two" %}\nb\n{% endtab %}\n{% endtabs %}',
    [
      {
        type: 'tabs',
        nodes: [
          { type: 'tabs-item', data: { title: 'One' } },
          { type: 'tabs-item', data: { title: 'Two' } },
        ],
      },
    ],
  ],
  [
    'a stepper',
    '{% stepper %}\n{% step %}\n### First\n{% endstep %}\n{% endstepper %}',
    [{ type: 'stepper', nodes: [{ type: 'stepper-step', nodes: [{ type: 'heading-3' }] }] }],
  ],
  [
    'columns',
    '{% columns %}\n{% column width="50%" %}\na\n{% endcolumn %}\n{% endcolumns %}',
    [{ type: 'columns', nodes: [{ type: 'column', data: { width: '50%' } }] }],
  ],
  [
    'code with a frame',
    '{% code title="a.js" overflow="wrap" lineNumbers="true" %}\n```js\nlet a;\n\nlet b;\n```\n{% endcode %}',
    [
      {
        type: 'code',
        data: { title: 'a.js', overflow: 'wrap', lineNumbers: true, syntax: 'js' },
        nodes: [{ type: 'code-line' }, { nodes: [] }, {}],
      },
    ],
  ],
  [
    'an embed',
    '{% embed url="https://a.b" %}',
    [{ type: 'embed', data: { ref: { kind: 'url', url: 'https://a.b' } }, nodes: [] }],
  ],
  [
    'a file with a caption',
    '{% file src="/files/a" %}\nA caption\n{% endfile %}',
    [{ type: 'file', nodes: [{ type: 'paragraph' }] }],
  ],
  [
    'a content reference',
    '{% content-ref url="./" %}\n[.](./)\n{% endcontent-ref %}',
    [{ type: 'content-ref', data: { ref: { url: './' } } }],
  ],
  ['an include', '{% include "a.md" %}', [{ type: 'reusable-content', data: { ref: { url: 'a.md' } }, isVoid: true }]],
  [
    'an OpenAPI operation',
    '{% openapi-operation spec="pets" path="/pets" method="get" %}\n[pets](pets.yaml)\n{% endopenapi-operation %}',
    [{ type: 'openapi-operation', data: { ref: { kind: 'openapi', spec: 'pets' }, path: '/pets', method: 'get' } }],
  ],
  [
    'schemas of a specification',
    '{% openapi-schemas spec="pets" schemas="Pet,Owner" grouped="false" %}\n{% endopenapi-schemas %}',
    [
      {
        type: 'openapi-schemas',
        data: { ref: { kind: 'openapi', spec: 'pets' }, schemas: ['Pet', 'Owner'], grouped: false },
      },
    ],
  ],
  [
    'a webhook of a specification',
    '{% openapi-webhook spec="pets" name="newPet" method="post" %}\n{% endopenapi-webhook %}',
    [{ type: 'openapi-webhook', data: { ref: { kind: 'openapi', spec: 'pets' }, name: 'newPet', method: 'post' } }],
  ],
  [
    'a condition',
    '{% if visitor.claims.a %}\nyes\n{% elseif space.vars.b == "%" %}\nmaybe\n{% else %}\nno\n{% endif %}',
    [
      {
        type: 'conditional',
        nodes: [
          { data: { condition: 'visitor.claims.a' } },
          { data: { condition: 'space.vars.b == "%"' } },
          { data: {} },
        ],
      },
    ],
  ],
  [
    'an expandable',
    '<details open>\n\n<summary>More</summary>\n\ntext\n\n</details>',
    [{ type: 'expandable', data: { title: 'More', open: true } }],
  ],
  [
    'an image with all attributes',
    '<div align="left"><figure><picture><source srcset="b.png" media="(prefers-color-scheme: dark)"><img src="a.png" alt="x" width="300"></picture><figcaption><p>Caption</p></figcaption></figure></div>',
    [
      {
        type: 'images',
        data: { align: 'left' },
        nodes: [
          {
            type: 'image',
            data: { ref: { url: 'a.png' }, refDark: { url: 'b.png' }, alt: 'x', width: '300', caption: 'Caption' },
          },
        ],
      },
    ],
  ],
  [
    'cards',
    '<table data-view="cards"><thead><tr><th></th><th data-hidden data-card-target data-type="content-ref"></th></tr></thead><tbody><tr><td><strong>A</strong></td><td><a href="a.md">a.md</a></td></tr></tbody></table>',
    [
      {
        type: 'table',
        data: { view: 'cards' },
        nodes: [{ data: { header: true } }, { nodes: [{}, { nodes: [{ type: 'link' }] }] }],
      },
    ],
  ],
  ['a table', '| a | b |\n| :--- | --- |\n| 1 \\| 2 | `x` |', [{ type: 'table', data: { align: ['left', ''] } }]],
  ['math', '$$\nx^2\n$$', [{ type: 'math', data: { formula: 'x^2' } }]],
  [
    'tasks',
    '* [ ] one\n* [x] two',
    [{ type: 'list-tasks', nodes: [{ data: { checked: false } }, { data: { checked: true } }] }],
  ],
  ['lists', '3. three\n   * one\n   * two\n4. four', [{ type: 'list-ordered', data: { start: 3 } }]],
  ['a divider', '***', [{ type: 'divider', isVoid: true }]],
  ['a quote', '> one\n>\n> two', [{ type: 'blockquote', nodes: [{ type: 'paragraph' }, { type: 'paragraph' }] }]],
  ['a footnote', '[^1]: A note', [{ type: 'footnote', data: { label: '1' } }]],
  ['a deep heading', '###### six', [{ type: 'heading-6' }]],
  [
    'unknown HTML',
    '<section>\n<b>x</b>\n</section>',
    [{ type: 'html', data: { html: '<section>\n<b>x</b>\n</section>' } }],
  ],
  ['an unknown tag', '{% unknown a %}', [{ type: 'html', data: { html: '{% unknown a %}' } }]],
];

describe('parses a block into a tree that renders the same text without its source', () => {
  test.each(blocks)('%s', (_name, markdown, expected) => {
    const tree = parseTree(`${markdown}\n`);
    expect(tree.nodes).toMatchObject(expected);
    expect(JSON.stringify(tree)).not.toContain('"source":');
    expect(renderTree(tree)).toBe(`${markdown}\n`);
  });
});

const inlines: [markdown: string, node: object][] = [
  ['[a](b.md)', { type: 'link', data: { ref: { kind: 'url', url: 'b.md' } } }],
  ['[a](b.md "mention")', { type: 'mention' }],
  [
    '<a href="x" class="button primary" data-icon="rocket">Go</a>',
    { type: 'button', data: { kind: 'primary', icon: 'rocket' } },
  ],
  ['![a](b.png)', { type: 'inline-image', data: { alt: 'a' } }],
  [':smile:', { type: 'emoji', data: { name: 'smile' } }],
  ['<i class="fa-github">:github:</i>', { type: 'icon', data: { icon: 'github' } }],
  ['<code class="expression">space.vars.x</code>', { type: 'expression', data: { expression: 'space.vars.x' } }],
  ['{{ space.vars.x }}', { type: 'expression' }],
  ['$$a_b$$', { type: 'inline-math', data: { formula: 'a_b' } }],
  ['[^1]', { type: 'annotation', data: { label: '1' } }],
  ['**a**', { leaves: [{ text: 'a', marks: [{ object: 'mark', type: 'bold' }] }] }],
  ['_a_', { leaves: [{ marks: [{ type: 'italic' }] }] }],
  ['~~a~~', { leaves: [{ marks: [{ type: 'strikethrough' }] }] }],
  ['`a`', { leaves: [{ marks: [{ type: 'code' }] }] }],
  ['<kbd>a</kbd>', { leaves: [{ marks: [{ type: 'keyboard' }] }] }],
  ['<mark style="color:red;">a</mark>', { leaves: [{ marks: [{ type: 'color', data: { text: 'red' } }] }] }],
];

describe('parses an inline into a tree that renders the same text without its source', () => {
  test.each(inlines)('%s', (markdown, node) => {
    const tree = parseTree(`x ${markdown} y\n`);
    expect(JSON.stringify(tree)).not.toContain('"source":');
    expect(parseTree(`${markdown}\n\nx\n`).nodes[0]?.nodes).toMatchObject([node]);
    expect(renderTree(tree)).toBe(`x ${markdown} y\n`);
  });
});

describe('depth', () => {
  test('parses 10,000 nested tags, quotes or lists into a tree of limited depth', () => {
    for (const open of ['{% hint %}\n', '> ', '- ']) {
      const markdown = open.repeat(10_000) + '{% endhint %}\n'.repeat(open.startsWith('{') ? 10_000 : 0);
      expect(renderTree(parseTree(markdown))).toBe(markdown);
    }
  });

  test('rejects a tree of 100,000 levels', () => {
    let node = parseTree('> a\n').nodes.slice(0, 1);
    for (let level = 0; level < 100_000; level += 1)
      node = [{ object: 'block', type: 'blockquote', data: {}, nodes: node, isVoid: false }];
    expect(() => renderTree({ object: 'document', data: {}, nodes: node })).toThrow('at most 250 levels deep');
  });
});
