import fc from 'fast-check';
import { expect, test } from 'vitest';
import { getFaults } from '../../../../test/support/official-documents.ts';
import { holds } from '../../../../test/support/random.ts';
import { readJsonTree } from './json-tree.ts';
import { parseTree, renderTree } from './parse-tree.ts';
import { publishTree } from './published-tree.ts';

const includes = (address: string) => (address === '' ? undefined : 'rc_a');

/** Returns a document as clients receive it. */
const publishMarkdown = (markdown: string, title?: string) =>
  JSON.parse(
    JSON.stringify(publishTree(parseTree(markdown, { sources: 'all' }), { includes, title, isKept: true })),
  ) as { data: object; nodes: Node[] };
type Node = { type: string; data: { [key: string]: unknown }; nodes: Node[]; markup?: object };

const renderPublished = (document: { data: unknown; nodes: unknown }) => renderTree(readJsonTree(document));

const pieces = [
  ...[
    '# One',
    '## Two {#x}',
    '## Two 2',
    'a\nb',
    'a  \nb',
    'a\\\nb',
    '* a\n* b',
    '- [x] a\n- [ ] b',
    '1) a\n2) b',
    '> a\n>\n> ```\n> x\n> ```',
  ],
  ...[
    '```js title="a.js" {1}\nx\n```',
    '| a | b |\n|:-:|---|\n| 1 | **2** |',
    '***',
    '$$\nx\n$$',
    '[^1]: a *note*',
    'b[^1] c[^1]',
  ],
  ...[
    '![alt](a.png)',
    '![a](a.png) and ![b](b.png)',
    '[![a](a.png)](x.md)',
    '<kbd>a</kbd> H<sub>2</sub>O',
    'a<br>b',
    '<!-- c -->',
  ],
  ...[
    '<figure><img src="a.png" alt="" width="50%"><figcaption><p>c *d*</p></figcaption></figure>',
    '<div><img src="x"><p>b</div>',
  ],
  ...[
    '<details><summary>T **b**</summary>\n\n{% tabs %}\n{% tab title="a" %}\n| a |\n|--|\n| b |\n{% endtab %}\n{% endtabs %}\n\n</details>',
  ],
  ...[
    '{% hint style="info" %}\n```\nx\n```\n\n![](a.png)\n{% endhint %}',
    '{% hint style="odd" %}\n> a\n\n* b\n  ![](c.png)\n{% endhint %}',
  ],
  ...[
    '{% embed url="https://a.b" %}\ncaption\n{% endembed %}',
    '{% file src="a.pdf" %}',
    '{% include "/reusable-contents/rc_a" %}',
  ],
  ...[
    '{% if a == "b" %}\nx\n{% elseif c %}\ny\n{% else %}\nz\n{% endif %}',
    '{% code title="a" lineNumbers="true" %}\n```\nx\n```\n{% endcode %}',
  ],
  ...[
    '{% openapi-operation spec="a" path="/b" method="get" %}\n{% endopenapi-operation %}',
    '{% openapi src="a.json" path="/b" method="get" %}\n{% endopenapi %}',
  ],
  ...[
    '{% stepper %}\n{% step %}\n## A\n\n{% tabs %}\n{% tab title="b" %}\nc\n{% endtab %}\n{% endtabs %}\n{% endstep %}\n{% endstepper %}',
  ],
  ...[
    '{% updates format="short" %}\n{% update date="2026-01-02" tags="a,b" %}\nx\n{% endupdate %}\n{% endupdates %}',
    '{% swagger %}\n{% endswagger %}',
  ],
  ...[
    '{% columns %}\n{% column width="50%" %}\na\n{% endcolumn %}\n{% column %}\n{% embed url="x" %}\n{% endcolumn %}\n{% endcolumns %}',
  ],
  ...[
    '<table data-view="cards"><thead><tr><th></th><th data-hidden data-card-target data-type="content-ref"></th></tr></thead><tbody><tr><td>a</td><td><a href="b.md">b</a></td></tr></tbody></table>',
  ],
  ...[
    '<mark style="color:#ff0000;">a</mark> <mark style="background-color:gray;">b</mark>',
    ':smile: @usr_a {{ space.vars.a }} $$x$$',
  ],
  ...[
    '<a href="x" class="button">a</a> <i class="fa-x">:x:</i> [m](/a "mention") [t](#b "title")',
    'Setext\n===',
    '###### six',
    '<',
    '{% hint',
  ],
];
const piece = fc.constantFrom(...pieces);
const texts = fc
  .tuple(
    fc.constantFrom('', '---\ntitle: a\n---\n'),
    fc.array(
      fc.tuple(fc.oneof({ arbitrary: piece, weight: 8 }, fc.string()), fc.constantFrom('\n\n', '\n', '\n\n\n', '\n> ')),
      {
        maxLength: 8,
      },
    ),
    fc.boolean(),
  )
  .map(([head, parts, isWide]) => {
    const text = head + parts.flat().join('');
    return isWide ? text.replaceAll('\n', '\r\n') : text;
  });

test('every returned document matches the official schema and can be converted back into its text', () => {
  for (const text of [...pieces, pieces.join('\n\n')]) {
    const document = publishMarkdown(text, 'One');
    expect(getFaults(document), text).toEqual([]);
    expect(renderPublished(document)).toBe(text);
  }
  holds(
    fc.property(texts, (text) => {
      const document = publishMarkdown(text, 'One');
      expect(getFaults(document), text).toEqual([]);
      expect(renderPublished(document)).toBe(text);
    }),
    { numRuns: 500 },
  );
});

test('the official schema rejects invalid documents', () => {
  expect(getFaults(JSON.parse(JSON.stringify(parseTree('| a |\n|---|\n'))))).toEqual([
    expect.stringContaining('nodes.0(table).nodes.0(table-row)'),
  ]);
  const document = publishMarkdown('{% hint style="info" %}\na\n{% endhint %}\n');
  Object.assign(document.nodes[0]?.data ?? {}, { style: 'odd' });
  expect(getFaults(document)).toEqual([expect.stringContaining('style')]);
});

test('writes a block changed by a client, and preserves all other blocks', () => {
  holds(
    fc.property(fc.array(piece, { minLength: 1, maxLength: 5 }), fc.nat(), (parts, at) => {
      const document = publishMarkdown(`intro\n\n${parts.join('\n\n')}\n`);
      const changed = document.nodes[at % document.nodes.length];
      if (changed === undefined) return;
      const added = { object: 'text', leaves: [{ object: 'leaf', text: 'added', marks: [] }] };
      Object.assign(changed, { type: 'paragraph', data: {}, fragments: undefined, nodes: [added] });
      const text = renderPublished(document);
      expect(text).toContain('added');
      const unchangedNodes = document.nodes.filter((node) => node !== changed);
      const again = publishMarkdown(text).nodes;
      expect(again.length, text).toBeGreaterThanOrEqual(unchangedNodes.length > 0 ? 1 : 0);
      expect(getFaults(publishMarkdown(text))).toEqual([]);
    }),
    { numRuns: 100 },
  );
});

test("renders a client's block the same after conversion to markdown and back", () => {
  const serializeVisible = (nodes: unknown[]) =>
    JSON.stringify(nodes, (key, value) => (['key', 'markup', 'meta', 'id'].includes(key) ? undefined : value));
  for (const text of [...pieces, pieces.join('\n\n')]) {
    const { nodes } = publishTree(parseTree(text), { includes });
    const built = JSON.parse(JSON.stringify(nodes)) as unknown[];
    const again = publishTree(parseTree(renderPublished({ data: {}, nodes: built })), { includes }).nodes;
    expect(serializeVisible(again), text).toBe(serializeVisible(built));
  }
});

test('renders a document the same with and without the source of its blocks', () => {
  const publishText = (markdown: string, sources: 'needed' | 'none') =>
    publishTree(parseTree(markdown, { sources }), { includes });

  holds(
    fc.property(texts, (text) => {
      expect(publishText(text, 'none')).toEqual(publishText(text, 'needed'));
    }),
  );
});
