import fc from 'fast-check';
import { expect, test } from 'vitest';
import { holds } from '../../../test/support/random.ts';
import { parseSummary } from './parse-summary.ts';
import { restyleSummary } from './restyle-summary.ts';
import type { RestyledEntry, RestyledGroup, RestyledItem } from './summary-writer.ts';

const former = `# Table of contents

* [Welcome](README.md)
* [Old name](guide/README.md#start)
    * [First](./guide/first.md)
    <!-- soon: * [Next](next.md) -->
    * [Second](guide/second.md "Quoted")

## Use it

- [Site](https://example.com)
- [C++ & more](use/c.md)

<!-- to the end -->
`;
const files = new Set(['README.md', 'guide/README.md', 'guide/first.md', 'guide/second.md', 'use/c.md', 'new.md']);

/** Returns the lines that a change to the items removes from the summary and adds to it. */
function listChangedLines(change: (items: RestyledItem[]) => unknown): string[] {
  const items = structuredClone(parseSummary(former)) as RestyledItem[];
  change(items);
  const after = restyleSummary(former, items, { files });
  const [before, now] = [former.split('\n'), after.split('\n')];
  const listCommonLines = (one: string[], other: string[]) => {
    const left = [...other];
    return one.filter((line) => {
      const at = left.indexOf(line);
      if (at >= 0) left.splice(at, 1);
      return at < 0;
    });
  };
  return [
    ...listCommonLines(before, now).map((line) => `-${line}`),
    ...listCommonLines(now, before).map((line) => `+${line}`),
  ];
}

const createEntry = (title: string, destination: string) =>
  ({ type: 'entry', title, destination, marks: [], items: [] }) as RestyledItem & { type: 'entry' };

test('preserves an unchanged summary byte for byte, even if several files have the same name', () => {
  expect(listChangedLines(() => {})).toEqual([]);
  const crlf = former.replaceAll('\n', '\r\n');
  expect(restyleSummary(crlf, parseSummary(crlf) as RestyledItem[], { files })).toBe(crlf);
  const items: RestyledItem[] = [createEntry('Elsewhere', 'README.md'), createEntry('Guide', 'guide/README.md')];
  const text = '[Read me](./)\n\n* [Guide](guide/)';
  expect(
    restyleSummary(text, [{ ...items[0], titleIsElsewhere: true } as RestyledItem, ...items.slice(1)], { files }),
  ).toBe(text);
});

test('a changed tree changes only the lines of the changed entries', () => {
  expect(listChangedLines((items) => items.splice(1, 0, createEntry('New', 'new.md')))).toEqual(['+* [New](new.md)']);
  expect(listChangedLines(([, guide]) => guide?.items.splice(1, 0, createEntry('New', 'new.md')))).toEqual([
    '+    * [New](new.md)',
  ]);
  expect(listChangedLines(([, guide]) => guide?.items.shift())).toEqual(['-    * [First](./guide/first.md)']);
  expect(listChangedLines(([, guide]) => guide?.items.pop())).toEqual(['-    * [Second](guide/second.md "Quoted")']);
  expect(listChangedLines(([, guide]) => guide && Object.assign(guide, { title: 'New [name]' }))).toEqual([
    '-* [Old name](guide/README.md#start)',
    '+* [New \\[name\\]](guide/README.md#start)',
  ]);
  expect(listChangedLines(([, , part]) => part && Object.assign(part, { title: 'Using it' }))).toEqual([
    '-## Use it',
    '+## Using it',
  ]);
  expect(
    listChangedLines((items) => items.push({ type: 'group', title: 'More', items: [createEntry('New', 'new.md')] })),
  ).toEqual(['+## More', '+* [New](new.md)', '+', '+']);
  expect(listChangedLines(([, guide]) => guide?.items.reverse())).toEqual([]);
  expect(listChangedLines((items) => items.push(...(items[1]?.items.splice(1, 1) ?? [])))).toEqual([
    '-    * [Second](guide/second.md "Quoted")',
    '+<!-- end of part -->',
    '+* [Second](guide/second.md "Quoted")',
    '+',
    '+',
  ]);
});

test('preserves horizontal rules, anchors, and entries that other files define', () => {
  const text = `# Summary

## Guides <a href="#guides" id="guides"></a>

* [Second](guide/second.md#there)
* [Other](guide/second.md)

***

## Use

* [C](use/c.md)

---

* [Welcome](README.md)
`;
  const items = parseSummary(text) as RestyledItem[];
  expect(restyleSummary(text, items, { files })).toBe(text);
  const [guides, use, welcome] = structuredClone(items) as [RestyledItem, RestyledGroup, RestyledEntry];
  guides.items[0]?.marks.push('link');
  welcome.hiddenIsElsewhere = true;
  const added = restyleSummary(text, [guides, use, createEntry('New', 'new.md'), welcome], { files });
  expect(added).toBe(text.replace('* [Welcome]', '* [New](new.md)\n* [Welcome]'));
  const longer = { ...structuredClone(use), items: [...use.items, createEntry('More', 'use/more.md')] };
  expect(restyleSummary(text, [guides, longer, welcome], { files })).toBe(
    text.replace('* [C](use/c.md)', '* [C](use/c.md)\n* [More](use/more.md)'),
  );
  expect(restyleSummary(text, [guides, use], { files })).not.toContain('end of part');
});

const file = fc.constantFrom(...files, 'https://example.com/', 'gone.md');
const { node } = fc.letrec<{ node: RestyledEntry }>((tie) => ({
  node: fc.record({
    type: fc.constant('entry' as const),
    title: fc.constantFrom('One', 'Two', 'a [b]', 'C#', '*'),
    destination: file,
    marks: fc.subarray(['hidden' as const]),
    items: fc.oneof({ maxDepth: 3 }, fc.constant<RestyledEntry[]>([]), fc.array(tie('node'), { maxLength: 3 })),
  }),
}));
const group = fc.record({
  type: fc.constant('group' as const),
  title: fc.constantFrom('Part', 'Other'),
  items: fc.array(node, { maxLength: 3 }),
});
const tree = fc.array(fc.oneof(node, group), { maxLength: 5 }) as fc.Arbitrary<RestyledItem[]>;
const noise = fc.constantFrom('', '<!-- note -->', '---', '  ', 'words', '# Part', '<!-- end of part -->');

test('a changed summary parses as the requested tree, and rewriting it again changes nothing', () => {
  holds(
    fc.property(tree, tree, fc.array(noise, { maxLength: 12 }), fc.boolean(), (before, wantedItems, lines, isFirst) => {
      const plain = restyleSummary('', before, { files }).split('\n');
      const start = plain.flatMap((line, index) => [line, ...(lines[index] === undefined ? [] : [lines[index]])]);
      const after = restyleSummary((isFirst ? plain : start).join('\n'), wantedItems, { files });
      expect(parseSummary(after)).toEqual(parseSummary(restyleSummary('', wantedItems, { files })));
      expect(restyleSummary(after, wantedItems, { files })).toBe(after);
    }),
    { numRuns: 500 },
  );
});

test('writes a link to another anchor of a page, and keeps a link whose anchor is unknown', () => {
  const text = '# S\n\n- [A](a.md)\n-   [Put](./a.md#put) <!-- kept -->\n- [Get](a.md#g%65t)\n';
  const writeLinks = (...places: string[]) => {
    const links = places.map(
      (place, index): RestyledEntry => ({
        type: 'entry',
        title: ['Put', 'Get'][index] ?? '',
        destination: `a.md${place}`,
        marks: ['link'],
        items: [],
      }),
    );
    const page: RestyledEntry = { type: 'entry', title: 'A', destination: 'a.md', marks: [], items: [] };
    return restyleSummary(text, [page, ...links], { files: new Set(['a.md']) });
  };
  expect(writeLinks('', '')).toBe(text);
  expect(writeLinks('#put', '#get')).toBe(text);
  expect(writeLinks('#put', '#head')).toBe(text.replace('a.md#g%65t', 'a.md#head'));
});
