import fc from 'fast-check';
import { expect, test } from 'vitest';
import { holds } from '../../../../test/support/random.ts';
import { parseTree } from '../tree/parse-tree.ts';
import { referencesIn } from '../tree/references.ts';
import { linksOf } from './links-of.ts';

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
const linked = fc.nat(9).map((page) => `![image](${page}.png)`);

test('what the tree of a document refers to is among its links', () => {
  holds(
    fc.property(fc.array(fc.oneof(line, line, linked), { maxLength: 24 }), (lines) => {
      const markdown = lines.join('\n');
      const found = new Set(linksOf(markdown).map(({ target }) => target));
      const missing = [...referencesIn(parseTree(markdown).nodes)].filter(({ url }) => !found.has(url));
      expect(missing.map(({ url }) => url)).toEqual([]);
    }),
    { numRuns: 20_000 },
  );
});
