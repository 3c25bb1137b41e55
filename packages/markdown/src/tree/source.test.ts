import fc from 'fast-check';
import { expect, test } from 'vitest';
import { holds } from '../../../../test/support/random.ts';
import { getText } from './document-tree.ts';
import { parseTree, renderTree } from './parse-tree.ts';

const pieces = fc.constantFrom(
  ...[
    'a',
    'b c',
    '\n',
    '\n\n',
    '\r\n',
    '\r',
    '\t',
    '  ',
    '    ',
    '* ',
    '- ',
    '1. ',
    '2) ',
    '> ',
    '# ',
    '***',
    '---',
    '===',
  ],
  ...[
    '`',
    '```',
    '~~~',
    '[',
    ']',
    '(',
    ')',
    '[a]: b',
    '![',
    '<',
    '>',
    '<div>',
    '</div>',
    '<br>',
    '<!--',
    '-->',
    '&amp;',
    '\\',
  ],
  ...['{% hint style="info" %}', '{% endhint %}', '{% tabs %}', '{% tab title="a" %}', '{% endtab %}', '{% endtabs %}'],
  ...[
    '{% if a %}',
    '{% else %}',
    '{% endif %}',
    '{{ a }}',
    '$$',
    ':a:',
    '[^1]',
    '[^1]: ',
    '| a |',
    '|---|',
    '<details>',
  ],
  ...[
    '<summary>',
    '</summary>',
    '</details>',
    '<figure>',
    '<table>',
    '\ufeff',
    '\u0000',
    '\u00a0',
    '_',
    '**',
    '~~',
    '<kbd>',
    '</kbd>',
  ],
  ...[
    ':::tip',
    ':::',
    '!!! note "a"',
    '??? a',
    '=== "a"',
    '[!NOTE]',
    '<Tabs>',
    '</Tabs>',
    '<Tab a="b">',
    '</Tab>',
    '<A',
    '/>',
  ],
  ...[
    "import a from 'b'",
    'export const a = 1',
    '{/*',
    '*/}',
    '{#a}',
    '<a id="a"></a>',
    '<h2>',
    '</h2>',
    '{{< tip >}}',
    '{: .note }\n',
    '{% raw %}',
    '==a==',
    '<Code>',
    '</Code>',
    ':::row\n',
    '{a}',
  ],
);

test('preserves every text byte for byte', () => {
  holds(
    fc.property(fc.array(pieces, { maxLength: 30 }), (parts) => {
      const markdown = parts.join('');
      expect(renderTree(parseTree(markdown))).toBe(markdown);
    }),
    { numRuns: 2_000 },
  );
});

test('writes a changed block in its standard form, and preserves all others', () => {
  const read = parseTree('Title\n=====\n\n+   one\n+   two\n\n\nlast  \n');
  const [heading] = read.nodes;
  if (heading !== undefined) heading.nodes = [getText('Other')];
  expect(renderTree(read)).toBe('# Other\n\n+   one\n+   two\n\n\nlast  \n');
});

test("block keys depend only on the block's content, and equal blocks are numbered", () => {
  const getKeys = (markdown: string) => parseTree(markdown).nodes.map(({ key }) => key);
  const [one, two, again] = getKeys('one\n\ntwo\n\none\n');
  expect(again).toBe(`${one}-2`);
  expect(getKeys('new\n\ntwo\n\none\n').slice(1)).toEqual([two, one]);
});
