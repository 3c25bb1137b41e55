import type { Database } from '@octavo/db';
import { documents, fromQuery, nullable, readRows, selection } from '@octavo/db';
import type { TargetReading } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { aliasedTable, sql } from 'drizzle-orm';
import { createLineageCte, queryAncestors, selectIds } from '../../engine/store/lineage.ts';

/** Selects the lineage if it belongs to a revision of the space. */
export function selectValidLineage({ space, lineage }: TargetReading): SQL {
  const [branch, seq] = lineage[0] ?? ['', 0];
  return sql`(SELECT ${JSON.stringify(lineage)} WHERE EXISTS (
    SELECT 1 FROM revisions WHERE space = ${space} AND branch = ${branch} AND seq = ${seq}))`;
}

/** A requested block, and the current document of its page. */
export interface BlockLookup {
  node: string;
  page: string;
  current: string;
  before: string | undefined;
  suggestion: string | undefined;
}

/** Maximum total size of documents read in one call, in bytes. */
const maxBytes = 8 * 1024 * 1024;

const d = aliasedTable(documents, 'd');

const textRow = selection({ hash: d.hash, markdown: nullable(fromQuery(d.markdown)) });

/** Reads current and former texts of pages, by hash; null for texts beyond the size limit. */
export async function readTexts(
  db: Database,
  lineage: SQL,
  lookups: BlockLookup[],
): Promise<Map<string, string | null>> {
  if (lookups.length === 0) return new Map();
  const pairs = lookups.flatMap(({ page, current, before }) => [
    { page, hash: current },
    ...(before === undefined ? [] : [{ page, hash: before }]),
  ]);
  const distinct = [...new Map(pairs.map((pair) => [`${pair.page} ${pair.hash}`, pair])).values()];
  const texts = textRow.query(sql`
    WITH ${createLineageCte(lineage)}, wanted(ordinal, page, hash) AS MATERIALIZED (
      SELECT key, value->>'page', value->>'hash' FROM json_each(${JSON.stringify(distinct)})
    ), sized(hash, total) AS MATERIALIZED (
      SELECT w.hash, SUM(d.bytes) OVER (ORDER BY w.ordinal) FROM wanted w CROSS JOIN documents d ON d.hash = w.hash
      WHERE EXISTS (SELECT 1 FROM lineage l CROSS JOIN versions x INDEXED BY versions_documents
        ON x.document = w.hash AND x.branch = l.branch AND x.kind = 'page' AND x.id = w.page AND x.since <= l.seq)
    )
    SELECT ${textRow.with({ markdown: sql`CASE WHEN s.total <= ${maxBytes} THEN d.markdown END` })}
    FROM (SELECT hash, MIN(total) AS total FROM sized GROUP BY hash) s CROSS JOIN documents d ON d.hash = s.hash`);
  return new Map((await readRows(db, texts)).map(({ hash, markdown }) => [hash, markdown]));
}

/** Returns the query for pages and their ancestors. */
export const queryPagesWithAncestors = (lineage: SQL, ids: Iterable<string>) => queryAncestors(lineage, selectIds(ids));
