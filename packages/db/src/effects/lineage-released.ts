import type { NewEvent, SpaceId } from '@octavo/schema';
import { aliasedTable, eq, sql } from 'drizzle-orm';
import { must } from '../commit.ts';
import type { Database, Statement } from '../connect.ts';
import { lineageSources, spaces } from '../content.ts';
import type { RecordOf } from '../fields.ts';
import { computed, maybe } from '../fields.ts';
import type { Query } from '../selection.ts';
import { selection } from '../selection.ts';

const sourceRow = selection({
  source: aliasedTable(lineageSources, 'l').source,
  organization: maybe(aliasedTable(spaces, 's').organization),
  isKept: computed(Boolean, sql`s.id IS NOT NULL AND s.purging_at IS NULL`),
});

type Source = RecordOf<typeof sourceRow>;

/** The spaces that a space reads through its lineages; one is not kept that is gone or being purged. */
export const selectSources = (space: SpaceId): Query<Source> =>
  sourceRow.query(sql`SELECT DISTINCT ${sourceRow}
    FROM lineage_sources l LEFT JOIN spaces s ON s.id = l.source WHERE l.space = ${space}`);

/**
 * The space reads its own branch alone from here on. What it has held of a space that is gone, or being purged, goes by
 * a job; the batch fails where a purge has begun since the sources were read, as that one may have passed what was held.
 */
export function releaseSources(db: Database, space: SpaceId, sources: Source[]) {
  const kept = JSON.stringify(sources.filter(({ isKept }) => isKept).map(({ source }) => source));
  const stillKept = sql`NOT EXISTS (SELECT 1 FROM json_each(${kept})
    WHERE NOT EXISTS (SELECT 1 FROM spaces WHERE id = value AND purging_at IS NULL))`;
  const statements: Statement[] =
    sources.length === 0 ? [] : [must(db, stillKept), db.delete(lineageSources).where(eq(lineageSources.space, space))];
  const events: NewEvent[] = sources
    .filter(({ isKept }) => !isKept)
    .map(({ source, organization }) => ({
      type: 'purge_space',
      ...(organization === null ? {} : { organization }),
      space: source,
      data: { stage: 'versions' },
    }));
  return { statements, events };
}
