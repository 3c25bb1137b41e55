import type { Database, OpenAPIEntryRecord } from '@octavo/db';
import { given, openapiEntryRow, readRows, selection, statement } from '@octavo/db';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import type { MadePage } from './make-pages.ts';
import { isShort } from './short-description.ts';

/** How many operations, webhooks or models stand on one page. */
const maxShown = 1000;

/** What a page that is made of a specification holds. */
export interface MadeParts {
  slug: string;
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
  const rows = await readRows(db, readParts(JSON.stringify(pages.map(placeOf))));
  const last = rows.length > maxShown ? Math.max(1, rows.at(-1)?.page ?? 1) : pages.length;
  const byPage = Map.groupBy(rows, (row) => row.page);
  return pages.slice(0, last).map((page, index) => partsOf(page, byPage.get(index) ?? []));
}

function partsOf({ madeOf: { slug, entry } }: Made, [own, ...others]: OpenAPIEntryRecord[]): MadeParts {
  if (own === undefined) return { slug, introduction: '', shown: [] };
  const [, kind] = entry;
  const hasText = kind === 'tag' || kind === 'operation';
  const introduction = hasText && !isShort(own.description) ? own.description : '';
  return { slug, introduction, shown: kind === 'tag' ? others : [own, ...others] };
}
