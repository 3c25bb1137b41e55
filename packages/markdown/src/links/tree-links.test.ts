import fc from 'fast-check';
import { expect, test } from 'vitest';
import { holds } from '../../../../test/support/random.ts';
import { parseTree } from '../tree/parse-tree.ts';
import { findReferences } from '../tree/references.ts';
import { getLinks } from './find-links.ts';

const line = fc.constantFrom(
  ...[
    '{% if a %}',
    '{% else %}',
    '{% endif %}',
    '{% hint style="info" %}',
    '{% endhint %}',
    '{% tabs %}',
    '{% endtabs %}',
  ],
  ...['{% tab title="x" %}', '{% endtab %}', '<details>', '<details><summary>x</summary>', '<summary>x</summary>'],
  ...['</details>', '<p>x</p>', '<div>', '</div>', '<!-- x', '-->', '<pre>', '</pre>', '<custom>', 'text', '- item'],
  ...[
    '```',
    '> quote',
    '> {% if a %}',
    '> {% endif %}',
    '> <p>x</p>',
    '# Heading',
    '$$',
    '| a | b |',
    '|---|---|',
    '    in',
  ],
  '',
);
/** Lines in the syntax of other generators. */
const foreign = fc.constantFrom(
  ...[
    ':::tip',
    ':::',
    '::::note [x](9.png)',
    '::::',
    ':::details ![x](9.png)',
    '!!! note "![x](8.png)"',
    '??? tip',
    '=== "A"',
  ],
  ...[
    '> [!NOTE]',
    '> [!TIP]- ![x](8.png)',
    '> text',
    '    ![in](7.png)',
    '<Tabs>',
    '</Tabs>',
    '<TabItem label="![x](6.png)">',
  ],
  ...[
    '</TabItem>',
    '<Card title="x" href="5.png">',
    '<Card',
    'href={"5.png"}',
    '>',
    '</Card>',
    '<LinkCard href="4.png" />',
  ],
  ...[
    '<Tab>![x](3.png)</Tab>',
    '<Unknown a={b}>',
    '</Unknown>',
    "import x from 'y'",
    'export const a = 1',
    '{/* x',
    '*/}',
  ],
  ...[
    '<h2 id="x">![x](2.png)</h2>',
    '<a id="x"></a>',
    '<img src={require("./1.png").default} alt="" />',
    '{{< hint >}}',
  ],
  ...['{{< /hint >}}', '<Steps>', '</Steps>', '1. ![x](0.png)', '# A {#b}', '<p align="center"><img src="1.png"></p>'],
);
/** Shortcodes, templates and other syntax of site generators. */
const templates = fc.constantFrom(
  ...[
    '{{< figure src="1.png" >}}',
    '{{< card link="2.png" title="x" >}}',
    '[x]({{< ref "3.md" >}})',
    '![x]({{ site.baseurl }}/4.png)',
    '{{< tab >}}![x](9.png){{< /tab >}}',
    '{% page-ref page="6.md" %}',
  ],
  ...[
    "import a from './5.png'",
    '<img src={a} />',
    '<Image src={a} alt="x" />',
    '<Code code="x" />',
    '<Code>',
    '</Code>',
  ],
  ...[
    '<LinkButton href="3.png">x</LinkButton>',
    '<Tab>a</Tab><Tab>![x](2.png)</Tab>',
    '<video src="5.mp4">',
    '</video>',
  ],
  ...['{: .note }', '{: .a }', '[^1]: ![x](7.png)', '    ![x](8.png)', '{% comment %}', '{% endcomment %}', '[[toc]]'],
  ...[
    '<figure markdown>',
    '</figure>',
    '::: row',
    '{% raw %}',
    '{% highlight x %}',
    '{% endhighlight %}',
    '{{< cards >}}',
  ],
  ...['{{< /cards >}}', '{{< highlight x >}}', '{{< /highlight >}}', '<iframe src="https://a.b"></iframe>', ''],
);
const linked = fc.nat(9).map((page) => `![image](${page}.png)`);

test('a formula that starts with the word import is not an import', () => {
  const { nodes } = parseTree("$$\nimport a from './5.png'\n![x](1.png)\n$$");
  expect([...findReferences(nodes)].map(({ url }) => url)).toEqual(['1.png']);
});

test('getLinks returns every reference of the document tree', () => {
  holds(
    fc.property(fc.array(fc.oneof(line, line, foreign, templates, linked), { maxLength: 24 }), (lines) => {
      const markdown = lines.join('\n');
      const targets = new Set(getLinks(markdown).map(({ target }) => target));
      const missing = [...findReferences(parseTree(markdown).nodes)].filter(({ url }) => !targets.has(url));
      expect(missing.map(({ url }) => url)).toEqual([]);
    }),
    { numRuns: 8_000 },
  );
});
