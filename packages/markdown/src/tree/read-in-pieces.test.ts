import fc from 'fast-check';
import { expect, test } from 'vitest';
import { holds } from '../../../../test/support/random.ts';
import type { Block } from './document-tree.ts';
import { parseInPieces, parseTree, renderTree } from './parse-tree.ts';

/** Returns the content of a tree without the fields that preserve its source. */
function removeSources(nodes: Block['nodes']): unknown[] {
  return nodes.map((node) => {
    if (node.object === 'text') return node;
    const { markup, ...data } = node.data;
    const {
      before: _,
      source: __,
      ...kept
    } = typeof markup === 'object' && !Array.isArray(markup) ? { ...markup } : {};
    const shown = Object.keys(kept).length === 0 ? data : { ...data, markup: kept };
    return { type: node.type, data: shown, nodes: removeSources(node.nodes) };
  });
}

/** Link definitions are nodes only in trees that preserve their source, so they are filtered out. */
const parseWhole = (markdown: string) =>
  removeSources(parseTree(markdown).nodes.filter(({ type }) => type !== 'markdown'));
const parsePieces = (markdown: string, piece?: number) =>
  removeSources([...parseInPieces(markdown, piece === undefined ? {} : { piece })].flat());

const line = fc.constantFrom(
  '',
  '',
  'a *b* c',
  '# One',
  '- item',
  '  - inner',
  '1. first',
  '> quoted',
  '> - listed',
  '```',
  '$$',
  '> $$',
  '| a | b |',
  '|---|---|',
  '{% hint style="info" %}',
  '{% endhint %}',
  '- {% tabs %}',
  '{% tab title="x" %}',
  '{% endtab %}',
  '{% endtabs %}',
  '<details><summary>More</summary>',
  '</details>',
  '<div>',
  '</div>',
  '<!-- note',
  '-->',
  '    code',
  '<div className="a">',
  '    <section>',
  '        *text*',
  '        - inner',
  '    </section>',
  '<Foo>',
  '</Foo>',
  '===',
  '[x][known]',
  '[known]: https://a.example',
  '[^1]: Note.',
  ':::custom',
  ':::',
  '{{< custom >}}',
  '{{< /custom >}}',
);

test('parsing a document in parts gives the same tree as parsing it at once', () => {
  holds(
    fc.property(fc.array(line, { maxLength: 40 }), fc.integer({ min: 1, max: 200 }), (lines, piece) => {
      const markdown = `${lines.join('\n')}\n`;
      expect(parsePieces(markdown, piece)).toEqual(parseWhole(markdown));
    }),
    { numRuns: 2_000 },
  );
});

test('splitting a text into pieces for parsing does not change the tree', () => {
  holds(
    fc.property(fc.array(line, { maxLength: 40 }), fc.integer({ min: 1, max: 200 }), (lines, piece) => {
      const markdown = `${lines.join('\n')}\n`;
      const tree = parseTree(markdown, { piece });

      expect(tree).toEqual(parseTree(markdown, { piece: markdown.length }));
      expect(parseTree(markdown, { piece, sources: 'all' })).toEqual(parseTree(markdown, { sources: 'all' }));
      expect(renderTree(tree)).toBe(markdown);
    }),
    { numRuns: 2_000 },
  );
});

test('a definition at the end applies to text far before it', () => {
  const markdown = `[x][known]\n\n${'Words of it.\n\n'.repeat(5_000)}[known]: https://a.example\n`;
  expect(JSON.stringify(parsePieces(markdown)[0])).toContain('https://a.example');
});

test('a line inside a block that a piece cuts off defines nothing', () => {
  const markdown = '[x][known]\n- {% tabs %}\n[known]: https://a.example\n\n  - inner\n{% endtabs %}\n';
  for (const piece of [1, 20, 50]) expect(parsePieces(markdown, piece)).toEqual(parseWhole(markdown));
});

test.each([
  [':::custom', ':::'],
  ['{{< custom >}}', '{{< /custom >}}'],
])('the end of the container %s of an earlier piece is not shown', (start, end) => {
  const markdown = `${start}\n\nOne.\n\nTwo.\n\n${end}\n\nThree.\n`;
  for (let piece = 1; piece < markdown.length; piece += 1)
    expect(parsePieces(markdown, piece)).toEqual(parseWhole(markdown));
});
