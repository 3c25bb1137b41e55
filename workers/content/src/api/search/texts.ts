import type { Database, Query, RowsOf } from '@octavo/db';
import { prepareForKeys, runBatch, searchTexts, selection } from '@octavo/db';
import type { Hit } from '@octavo/search';
import { aliasedTable, sql } from 'drizzle-orm';
import { LengthLimitedCache } from '../../engine/search/cache.ts';
import type { StoredPart, StoredSections } from '../../engine/search/texts.ts';
import { decompressSections, getPartName, sectionsPerPart } from '../../engine/search/texts.ts';
import type { HitRow } from './queries.ts';
import { readHeads } from './queries.ts';

export interface FoundSection {
  /** The number of the section in the page. */
  number: number;
  anchor: string;
  heading: string;
  text: string;
}

/** A page in a response, with the sections that are shown. */
export interface PageWithTexts extends HitRow {
  found: FoundSection[];
}

const t = aliasedTable(searchTexts, 't');
const partRow = selection({ key: t.key, part: t.part, sections: t.sections });

const readParts = prepareForKeys(['key', 'part'], (parts) =>
  partRow.query(sql`
    SELECT ${partRow} FROM ${parts} w CROSS JOIN search_texts t ON t.key = w.key AND t.part = w.part`),
);

/** The texts of a key never change, so they are cached. */
const cache = new LengthLimitedCache<StoredSections>(8_000_000);

/** Maximum number of sections whose text is in one response, and of sections per page. */
const maxSections = 100;
const maxSectionsPerPage = 5;

/** Returns how many sections of each page are shown: fewer if there are many pages, but at least one. */
const countSections = (pages: number): number =>
  Math.max(1, Math.min(maxSectionsPerPage, Math.floor(maxSections / pages)));

const getParts = (key: string, numbers: number[]): StoredPart[] =>
  [...new Set(numbers.map((number) => Math.floor(number / sectionsPerPart)))].map((part) => ({ key, part }));

interface ReadPages {
  pages: PageWithTexts[];
  /** The heads of the requested spaces, read at the same time as the pages. */
  heads: RowsOf<ReturnType<typeof readHeads>>;
}

interface ReadOptions {
  /** The spaces whose heads are read, in JSON. */
  spaces?: string;
  /** Texts that are not stored, by `getPartName`. */
  texts?: Map<string, StoredSections> | undefined;
}

/**
 * Reads the pages of a response and their texts. The texts of the best hits are read in the same round trip, because
 * most hits are visible.
 */
export async function readPages(
  db: Database,
  query: Query<HitRow>,
  hits: Hit[],
  { spaces = '[]', texts }: ReadOptions,
): Promise<ReadPages> {
  const likely = hits.slice(0, maxLikely).flatMap(({ key, sections }) => getParts(key, sections));
  const known = new Map(texts);
  const first = await runBatch(db, {
    rows: query,
    heads: readHeads(spaces),
    parts: readParts(listMissingParts(likely, known)),
  });
  await addStoredParts(first.parts, known);
  const count = countSections(first.rows.length);
  const pages = first.rows.map((row) => ({ ...row, numbers: row.sections[1].slice(0, count) }));
  const needed = pages.flatMap(({ sections: [key], numbers }) => getParts(key, numbers));
  const missing = listMissingParts(needed, known);
  if (missing.length > 0) {
    const { parts } = await runBatch(db, { parts: readParts(missing) });
    await addStoredParts(parts, known);
  }
  const pagesWithTexts = pages.flatMap(({ numbers, ...row }): PageWithTexts[] => {
    const [key] = row.sections;
    const sections = numbers.flatMap((number) => {
      const stored = known.get(getPartName({ key, part: Math.floor(number / sectionsPerPart) }));
      const section = stored?.[number % sectionsPerPart];
      return section === undefined ? [] : [{ number, anchor: section[0], heading: section[1], text: section[2] }];
    });
    return numbers.length > 0 && sections.length === 0 ? [] : [{ ...row, found: sections }];
  });
  return { pages: pagesWithTexts, heads: first.heads };
}

/** Maximum number of hits whose texts are read before it is known whether they are visible. */
const maxLikely = 20;
/** Returns the parts that are neither known nor cached. Cached parts are added to `known`. */
function listMissingParts(parts: StoredPart[], known: Map<string, StoredSections>): [key: string, part: number][] {
  const missing = new Map<string, StoredPart>();
  for (const part of parts) {
    const name = getPartName(part);
    const cached = known.get(name) ?? cache.get(name);
    if (cached === undefined) missing.set(name, part);
    else known.set(name, cached);
  }
  return [...missing.values()].map(({ key, part }) => [key, part]);
}

interface PartRow extends StoredPart {
  sections: string;
}

async function addStoredParts(rows: PartRow[], known: Map<string, StoredSections>): Promise<void> {
  const parts = await Promise.all(
    rows.map(async ({ sections, ...part }) => ({
      ...part,
      stored: await decompressSections(sections),
    })),
  );
  for (const { stored, ...part } of parts) {
    const length = stored.flat().reduce((sum, text) => sum + text.length, 0);
    known.set(getPartName(part), stored);
    cache.add(getPartName(part), stored, length);
  }
}
