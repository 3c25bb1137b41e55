import type { Database, OpenAPIEntryRecord } from '@octavo/db';
import { computedEntries, given, openapiEntryRow, runBatch, selection, statement } from '@octavo/db';
import type { SQL } from 'drizzle-orm';
import { aliasedTable, sql } from 'drizzle-orm';
import type { MadePage } from './make-pages.ts';
import { isShort } from './short-description.ts';

/** How many operations, webhooks or models stand on one page. */
const maxShown = 1000;

/** What a page that nobody wrote holds. */
export interface MadeParts {
  slug: string;
  /** The text of one that an integration made, in Markdown, in the place of all else. */
  text?: string;
  /** What stands at the top of the text. */
  introduction: string;
  /** Operations, webhooks or models. */
  shown: OpenAPIEntryRecord[];
}

const partRow = selection({ ...openapiEntryRow.fields, page: given(Number) });

/** What stands on each of some pages: the entry itself, and those of its operations, all webhooks or all models. */
const readParts = statement((pages: SQL<string>) => {
  const columns = partRow.with({ page: sql`w.key` });
  return partRow.query(sql`
    SELECT ${columns} FROM json_each(${pages}) w CROSS JOIN openapi_entries e
      ON e.version = w.value->>0 AND e.ordinal = w.value->>1
    UNION ALL SELECT ${columns} FROM json_each(${pages}) w CROSS JOIN openapi_entries e INDEXED BY openapi_entries_of_kind
      ON e.version = w.value->>0 AND e.kind = w.value->>2 AND e.parent IS w.value->>3 AND e.ordinal > w.value->>1
    ORDER BY ${partRow.names.page}, ordinal LIMIT ${sql.raw(String(maxShown + 1))}`);
});

const e = aliasedTable(computedEntries, 'e');
const textRow = selection({ page: given(Number), text: e.text });

const readTexts = statement((pages: SQL<string>) =>
  textRow.query(sql`
    SELECT ${textRow.with({ page: sql`w.key` })} FROM json_each(${pages}) w CROSS JOIN computed_entries e
      ON e.version = w.value->>0 AND e.ordinal = w.value->>1 AND w.value->>2 = 'page'`),
);

/** A page, as far as what it is made of tells what it holds. */
export type Made = Pick<MadePage, 'madeOf'>;

/** Where the entries of a page are: its own, and which others of a kind and below a tag stand on it. */
function placeOf({ madeOf: { version, entry } }: Made) {
  const [ordinal, kind] = entry;
  const isTag = kind === 'tag';
  return [version, ordinal, isTag ? 'operation' : kind === 'operation' ? '' : kind, isTag ? ordinal : null];
}

/** What pages hold: of the first, and of as many after it as hold a page's worth together. */
export async function readMadeParts(db: Database, pages: Made[]): Promise<MadeParts[]> {
  if (pages.length === 0) return [];
  const places = JSON.stringify(pages.map(placeOf));
  const isWritten = pages.some(({ madeOf: { entry } }) => entry[1] === 'page');
  const { rows, texts } = await runBatch(db, { rows: readParts(places), texts: isWritten ? readTexts(places) : [] });
  const written = new Map(texts.map(({ page, text }) => [page, text]));
  const last = rows.length > maxShown ? rows.reduce((most, { page }) => Math.max(most, page), 1) : pages.length;
  const byPage = Map.groupBy(rows, (row) => row.page);
  return pages.slice(0, last).map((page, index) => {
    const text = written.get(index);
    const parts = partsOf(page, byPage.get(index) ?? []);
    return text === undefined ? parts : { ...parts, text };
  });
}

function partsOf({ madeOf: { slug, entry } }: Made, [own, ...others]: OpenAPIEntryRecord[]): MadeParts {
  if (own === undefined) return { slug, introduction: '', shown: [] };
  const [, kind] = entry;
  const hasText = kind === 'tag' || kind === 'operation';
  const introduction = hasText && !isShort(own.description) ? own.description : '';
  return { slug, introduction, shown: kind === 'tag' ? others : [own, ...others] };
}
