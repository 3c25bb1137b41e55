import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { holds } from '../../../test/support/random.ts';
import { parseSummary } from './parse-summary.ts';
import { marks, type SummaryEntry, type SummaryItem, writeSummary } from './summary.ts';

const awkward = fc.constantFrom(
  '[',
  ']',
  '(',
  ')',
  '`',
  '``',
  '|',
  '#',
  '# ',
  '*',
  '**',
  '_',
  '\\',
  '<',
  '>',
  '<!--',
  '&amp;',
  '~~',
  '!',
  '- ',
  '1. ',
  ' ',
  '\n',
  '\u2028',
  'é',
  '目次',
  'a',
);
const text = fc
  .oneof(
    fc.array(awkward, { minLength: 1, maxLength: 8 }).map((parts) => parts.join('')),
    fc.string({ minLength: 1, unit: 'binary' }),
  )
  .filter((each) => each !== '');

const { entry } = fc.letrec<{ entry: SummaryEntry }>((tie) => ({
  entry: fc.record(
    {
      type: fc.constant('entry' as const),
      title: text,
      destination: text,
      marks: fc.subarray([...marks]),
      items: fc.oneof({ maxDepth: 4 }, fc.constant<SummaryEntry[]>([]), fc.array(tie('entry'), { maxLength: 3 })),
    },
    { requiredKeys: ['type', 'title', 'marks', 'items'] },
  ),
}));
const group = fc.record({ type: fc.constant('group' as const), title: text, items: fc.array(entry, { maxLength: 3 }) });
const items: fc.Arbitrary<SummaryItem[]> = fc.array(fc.oneof(entry, group), { maxLength: 6 });

test('a written summary parses as the same tree', () => {
  holds(
    fc.property(items, (tree) => {
      expect(parseSummary(writeSummary(tree))).toEqual(tree);
    }),
    { numRuns: 2000 },
  );
});

const getTitles = (tree: SummaryItem[]): unknown[] =>
  tree.map(({ title, items }) => (items.length > 0 ? [title, ...getTitles(items)] : title));

test('mdBook: prefix chapters, parts, drafts and suffix chapters', () => {
  const summary = parseSummary(
    '# Summary\r\n\r\n[Preface](preface.md)\r\n\r\n# Part one\r\n\r\n- [The `match` *flow*](<a b.md> "quoted")\r\n    - [Draft]()\r\n    * Plain\r\n---\r\n- [Out](https://example.com/a_(b))\r\n\r\n[Credits](credits.md)\r\n',
  );
  expect(getTitles(summary)).toEqual(['Preface', ['Part one', ['The match flow', 'Draft', 'Plain']], 'Out', 'Credits']);
  const part = summary[1];
  expect(part?.items[0]?.destination).toBe('a b.md');
  expect(part?.items[0]?.items[0]).not.toHaveProperty('destination');
  expect(summary[2]).toMatchObject({ destination: 'https://example.com/a_(b)' });
});

test('GitBook: a first heading is the title, later ones are groups; comments and snake_case are handled', () => {
  const summary = parseSummary(
    'Table of contents\n=================\n\n* [Welcome](README.md)\n<!--\n* [Old](old.md)\n-->\n\n## Use **it**\n\n* [snake_case_name](b.md#anchor)\n  * [x \\[y\\] `[z]`](c.md)\n',
  );
  expect(getTitles(summary)).toEqual(['Welcome', ['Use it', ['snake_case_name', 'x [y] [z]']]]);
});

test('reads an underlined line as a heading', () => {
  expect(getTitles(parseSummary('- [A](a.md)\n\nPart one\n=====\n\n- [B](b.md)\n'))).toEqual(['A', ['Part one', 'B']]);
});

describe('hostile input is read within seconds', () => {
  const size = 200_000;
  test.each([
    ['runs of backticks', `- [\`\`a${'```a'.repeat(500)}](b)`],
    ['comment starts', '<!--'.repeat(size)],
    ['blanks in an item', `- a${' '.repeat(size)}b`],
    ['blanks in a heading', `# a${' '.repeat(size)}b`],
    ['blanks in a target', `- [a](b${' '.repeat(size)}c`],
    ['blanks before a title', `- [a](b${' '.repeat(size)}"c"${' '.repeat(size)}d`],
    ['number signs', `# a${' #'.repeat(size)} b`],
    ['brackets', `- ${'['.repeat(size)}`],
  ])('%s', (_name, text) => {
    const { user } = process.threadCpuUsage();
    parseSummary(text);
    expect((process.threadCpuUsage().user - user) / 1_000).toBeLessThan(3_000);
  });
});

test('allows brackets in a title with code, and closing # characters in a heading', () => {
  const text = '# Summary\n\n- [``a ] `` [b] `c`](d.md "e" )\n\n## Part ##\n\n### C#\n';
  expect(parseSummary(text)).toMatchObject([
    { type: 'entry', title: 'a ]  [b] c', destination: 'd.md' },
    { type: 'group', title: 'Part' },
    { type: 'group', title: 'C#' },
  ]);
});

test('removes the anchors that GitBook writes into titles', () => {
  const text =
    '# Summary\n\n## Guides <a href="#guides" id="guides"></a>\n\n* [A <a id="a"></a>](a.md)\n* Plain {#plain}\n\n## <a name="b"></a> `<a id="c"></a>`\n';
  expect(getTitles(parseSummary(text))).toEqual([['Guides', 'A', 'Plain'], '<a id="c"></a>']);
});

test('a horizontal rule ends a part even if no heading follows', () => {
  const text = '## One\n* [A](a.md)\n***\n\n## Two\n* [B](b.md)\n\n---\n* [C](c.md)\n---\n* [D](d.md)\n';
  expect(getTitles(parseSummary(text))).toEqual([['One', 'A'], ['Two', 'B'], 'C', 'D']);
});
