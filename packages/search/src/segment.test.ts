import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { buildIndex, continueAtOnce, MemoryBlocks, readPages } from '../../../test/support/memory-search.ts';
import { holds, holdsAsync } from '../../../test/support/random.ts';
import type { PageToIndex, SectionToIndex } from './build.ts';
import { buildSegment, headingFlag, lengthShift, mergeSegments, titleFlag } from './build.ts';
import { ByteReader, ByteWriter, decodeBase64, encodeBase64 } from './bytes.ts';
import type { Segment, SegmentHeader } from './segment.ts';
import {
  decodeBits,
  decodeHeader,
  decodeWords,
  encodeBits,
  findPage,
  findPageBlock,
  getConditionSet,
  slicePostings,
} from './segment.ts';
import { stopWords } from './stems.ts';
import { findWords, isTerm } from './words.ts';

const piece = fc.constantFrom(
  ...[
    'install',
    'Installing',
    'HashMap',
    'hash-map',
    'the',
    "don't",
    'café',
    '所有权',
    '\u{20000}',
    '\u{10428}\u{10428}',
  ],
  ...['\u{10429}', 'z', '\ue000', 'x'.repeat(45), `y${'\u{10428}'.repeat(30)}`, '42'],
);
const text = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(' '));
const conditions = fc.subarray(['=a', '+b', '-c']);
const section: fc.Arbitrary<SectionToIndex> = fc.record({ heading: text, text, conditions });
const page = fc.record({ key: fc.string(), title: text, conditions, sections: fc.array(section, { maxLength: 4 }) });
/** Random pages of random spaces, with distinct ids. */
const pages: fc.Arbitrary<PageToIndex[]> = fc
  .array(fc.tuple(fc.constantFrom('s1', 's2', 's3'), page), { maxLength: 10 })
  .chain((drawn) =>
    fc
      .shuffledSubarray(drawn, { minLength: drawn.length })
      .map((all) =>
        all.map(([space, each]) => ({ ...each, space, page: `pg_${drawn.findIndex((other) => other[1] === each)}` })),
      ),
  );

/** An occurrence of a word in a section, as it is stored. */
interface StoredWord {
  positions: number[];
  title: number | undefined;
  heading: number | undefined;
  length: number;
}

/** The content of an index: pages with the conditions and words of their sections. */
interface Content {
  space: string;
  page: string;
  key: string;
  title: string;
  conditions: string[];
  sections: { conditions: string[]; words: Record<string, StoredWord> }[];
}

const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);
const sortPages = <Page extends { space: string; page: string }>(all: Page[]): Page[] =>
  all.toSorted((one, other) => compare(one.space, other.space) || compare(one.page, other.page));

/** Returns the expected content of an index of these pages, without building the index. */
const scan = (all: PageToIndex[]): Content[] =>
  sortPages(all).map(({ sections, ...rest }) => ({
    ...rest,
    sections: sections.map((each, index) => ({
      conditions: each.conditions,
      words: scanWords({ title: index === 0 ? rest.title : '', ...each }),
    })),
  }));

function scanWords({ title, heading, text: body }: Record<'title' | 'heading' | 'text', string>) {
  const count = (of: string, name: string) => {
    const foundWords = [...findWords(of)];
    const { position = 0, parts = 1 } = foundWords.findLast((word) => word.text === name) ?? {};
    const terms = foundWords.filter(isTerm);
    const words = new Set(terms.map((word) => word.text));
    const others = [...words].filter((word) => !stopWords.has(word));
    const inside = new Set(
      terms.filter((word) => word.position >= position && word.position < position + parts).map((word) => word.text),
    );
    if (stopWords.has(name)) return words.size;
    return parts > 1 ? Math.max(1, others.filter((word) => !inside.has(word)).length + 1) : others.length;
  };
  const list = (of: string) => [...findWords(of)];
  const length = list(body).reduce((most, { position }) => Math.max(most, position + 1), 0);
  const names = new Set([title, heading, body].flatMap((of) => list(of).map((word) => word.text)));
  const has = (of: string, name: string) => list(of).some((word) => word.text === name);
  return Object.fromEntries(
    [...names].toSorted(compare).map((name): [string, StoredWord] => [
      name,
      {
        positions: list(body)
          .filter((word) => word.text === name)
          .slice(0, 3)
          .map(({ position }) => Math.min(255, Math.floor(position / 2))),
        title: has(title, name) ? count(title, name) : undefined,
        heading: has(heading, name) ? count(heading, name) : undefined,
        length: Math.min(15, Math.round(2 * Math.log2(1 + length / 16))),
      },
    ]),
  );
}

/** Reads the content of a segment from its blocks. */
function read(segment: Segment): Content[] {
  const blocks = new MemoryBlocks();
  const index = blocks.add('1', segment);
  const { header, firstSections, pageOf } = index;
  const sections: Content['sections'] = Array.from({ length: header.sections }, () => ({ conditions: [], words: {} }));
  for (const [number, [start, set]] of header.runs.entries())
    for (const each of sections.slice(start, header.runs[number + 1]?.[0]))
      each.conditions = getConditionSet(header, set);
  const getBlocks = (kind: string) => segment.blocks.flatMap((each) => (each.kind === kind ? [each] : []));
  const postings = getBlocks('postings').map(({ data }) => decodeBase64(data));
  let last = '';
  for (const [number, { data }] of getBlocks('words').entries()) {
    const { words, counts, offsets } = decodeWords(data);
    expect(header.words[number]).toBe(words[0]);
    for (const [at, word] of words.entries()) {
      expect(number === 0 && at === 0 ? '' : last < word ? '' : `${last} >= ${word}`).toBe('');
      last = word;
      const bytes = slicePostings(offsets[at] ?? 0, offsets[at + 1] ?? 0, (each) => postings[each] ?? new Uint8Array());
      expect(
        readPostings(bytes, (section, stored) => Object.assign(sections[section]?.words ?? {}, { [word]: stored })),
      ).toBe(counts[at]);
    }
  }
  expect(postings.reduce((sum, { length }) => sum + length, 0)).toBe(header.postingsLength);
  return readPages(segment, index).map((each, number) => {
    const own = sections.slice(firstSections[number], firstSections[number + 1]);
    for (let at = firstSections[number] ?? 0; at < (firstSections[number + 1] ?? 0); at += 1)
      expect(pageOf[at]).toBe(number);
    return { ...each, sections: own };
  });
}

/** Reads the postings of a word, and returns their number. */
function readPostings(bytes: Uint8Array, add: (section: number, word: StoredWord) => void): number {
  const reader = new ByteReader(bytes);
  let [section, count] = [0, 0];
  while (!reader.isAtEnd) {
    section += reader.readNumber();
    const flags = reader.readByte();
    const positions = Array.from({ length: flags & 3 }, () => reader.readByte());
    const title = flags & titleFlag ? reader.readByte() : undefined;
    const heading = flags & headingFlag ? reader.readByte() : undefined;
    add(section, { positions, title, heading, length: flags >> lengthShift });
    count += 1;
  }
  return count;
}

/** Returns pages that need several blocks of each kind. */
const createManyPages = (): PageToIndex[] =>
  Array.from({ length: 600 }, (_, number) => ({
    ...{ space: `s${number % 3}`, page: `pg_${number}`, key: `key${number}`, title: `Page ${number}` },
    conditions: number % 7 === 0 ? ['=a'] : [],
    sections: Array.from({ length: 3 }, (_, at) => ({
      heading: `Heading ${at}`,
      text: `common words ${'filler '.repeat(number % 5)} unique${number}x${at} prefix${number * 7}suffix`,
      conditions: number % 7 === 0 ? ['=a'] : [],
    })),
  }));

describe('buildSegment', () => {
  test('stores the same content that a plain scan finds', () => {
    holds(
      fc.property(pages, (all) => {
        expect(read(buildSegment(all))).toEqual(scan(all));
      }),
      { numRuns: 200 },
    );
  });

  test('splits words and pages over several blocks', () => {
    const all = createManyPages();
    const segment = buildSegment(all);

    expect(read(segment)).toEqual(scan(all));
    for (const kind of ['words', 'postings', 'pages']) {
      const blocks = segment.blocks.filter((each) => each.kind === kind);
      expect(blocks.length, kind).toBeGreaterThan(1);
      for (const [number, block] of blocks.entries()) {
        expect(block.number).toBe(number);
        expect(block.data.length).toBeLessThan(60_000);
      }
    }
  });

  test('an empty segment has no blocks', () => {
    expect(buildSegment([]).blocks).toEqual([]);
    expect(decodeHeader(buildSegment([]).header).firstSections).toEqual(new Uint32Array(1));
  });

  test('stores a page without sections', () => {
    const empty = { space: 's', page: 'p', key: '', title: 'Title', conditions: ['=a'], sections: [] };

    expect(read(buildSegment([empty]))).toEqual([empty]);
  });
});

describe('mergeSegments', () => {
  const merge = async (parts: PageToIndex[][], isRemoved: (page: { key: string; page: string }) => boolean) => {
    const { segments, blocks } = buildIndex(parts.map((each) => ({ pages: each, isRemoved })));
    return mergeSegments(segments, { blocks, pause: continueAtOnce });
  };

  test('creates the same segment as an index of the remaining pages', async () => {
    const split = pages.chain((all) =>
      fc.tuple(
        fc.constant(all),
        fc.array(fc.record({ part: fc.nat({ max: 4 }), isRemoved: fc.boolean(), hasOld: fc.boolean() }), {
          minLength: all.length,
          maxLength: all.length,
        }),
      ),
    );
    await holdsAsync(
      fc.asyncProperty(split, async ([all, drawn]) => {
        const parts: PageToIndex[][] = [[], [], [], [], [], []];
        for (const [index, each] of all.entries()) {
          const { part = 0, hasOld = false } = drawn[index] ?? {};
          parts[part]?.push(each);
          const old = { ...each, key: 'old', sections: [{ heading: 'Old', text: 'old zebra', conditions: ['=old'] }] };
          if (hasOld) parts[part + 1]?.push(old);
        }
        const removed = new Set(all.filter((_, index) => drawn[index]?.isRemoved).map((each) => each.page));
        const remainingPages = all.filter((each) => !removed.has(each.page));

        const merged = await merge(parts, ({ key, page: id }) => key === 'old' || removed.has(id));

        expect(merged).toEqual(buildSegment(remainingPages));
      }),
      { numRuns: 200 },
    );
  });

  test('merges segments that have several blocks', async () => {
    const all = createManyPages();
    const parts = [0, 1, 2, 3].map((part) => all.filter((_, index) => index % 4 === part));
    const isRemoved = ({ page: id }: { page: string }) => id.endsWith('3');

    const merged = await merge(parts, isRemoved);

    expect(merged).toEqual(buildSegment(all.filter((each) => !isRemoved(each))));
  });

  test('merges nothing into an empty segment', async () => {
    expect(await merge([], () => false)).toEqual(buildSegment([]));
    expect(await merge([createManyPages().slice(0, 2)], () => true)).toEqual(buildSegment([]));
  });
});

test('findPageBlock and findPage find each page, and no other', () => {
  const all = createManyPages();
  const segment = buildSegment(all);
  const index = decodeHeader(segment.header);
  const entries = readPages(segment, index);
  const find = (space: string, id: string) => {
    const block = findPageBlock(segment.header, space, id);
    if (block === undefined) return undefined;
    return findPage(entries.slice(block * 256, block * 256 + 256), block, space, id);
  };

  for (const [number, each] of entries.entries()) expect(find(each.space, each.page)).toBe(number);
  for (const [space, id] of [
    ['s0', 'pg_1'],
    ['s0', ''],
    ['s2', 'zz'],
    ['s', 'pg_0'],
    ['s9', 'pg_0'],
  ] as const)
    expect(find(space, id)).toBeUndefined();
});

test('findPageBlock and findPage compare few entries, whatever the size of the segment', () => {
  const count = 10_000;
  let reads = 0;
  const createCountingList = <Item>(create: (index: number) => Item): Item[] =>
    new Proxy<Item[]>([], {
      get: (items, name, receiver) => {
        if (name === 'length') return count;
        const index = typeof name === 'string' ? Number(name) : Number.NaN;
        if (Number.isNaN(index)) return Reflect.get(items, name, receiver) as unknown;
        reads += 1;
        return create(index);
      },
    });
  const toId = (index: number) => `id_${String(index).padStart(5, '0')}`;
  const header: SegmentHeader = {
    ...buildSegment([]).header,
    spaces: createCountingList((index) => [toId(index), index * 256]),
    pageBlocks: createCountingList((index) => [index, toId(index)]),
  };
  const pages = createCountingList((index) => ({ space: 's', page: toId(index), key: '', title: '', conditions: [] }));

  expect(findPageBlock(header, toId(7000), toId(7000))).toBe(7000);
  expect(findPageBlock(header, 'id', toId(1))).toBeUndefined();
  expect(findPage(pages, 0, 's', toId(7000))).toBe(7000);
  expect(findPage(pages, 0, 's', 'id')).toBeUndefined();
  expect(reads).toBeLessThan(100);
});

describe('encodings', () => {
  test('reads back numbers and bytes unchanged', () => {
    const item = fc.oneof(fc.nat({ max: 2 ** 31 - 1 }), fc.uint8Array({ maxLength: 300 }));
    holds(
      fc.property(fc.array(item), (items) => {
        const writer = new ByteWriter();
        for (const each of items)
          if (typeof each === 'number') writer.writeNumber(each);
          else writer.writeBytes(each);
        const reader = new ByteReader(decodeBase64(encodeBase64(writer.getBytes())));
        for (const each of items)
          expect(typeof each === 'number' ? reader.readNumber() : reader.readBytes(each.length)).toEqual(each);
        expect(reader.isAtEnd).toBe(true);
      }),
    );
  });

  test('reads back sets of numbers unchanged', () => {
    holds(
      fc.property(fc.uniqueArray(fc.nat({ max: 500 })), (numbers) => {
        const sorted = numbers.toSorted((one, other) => one - other);
        expect(decodeBits(encodeBits(numbers, Math.max(-1, ...numbers) + 1))).toEqual(sorted);
      }),
    );
  });
});
