import type { NewEvent } from '@octavo/schema';
import { eq, sql } from 'drizzle-orm';
import type { Statement } from '../batch.ts';
import { must } from '../commit.ts';
import type { Database } from '../connect.ts';
import { lineageSources } from '../content.ts';
import type { Row } from '../row.ts';
import { optionalText, text } from '../row.ts';

/** The spaces that a space reads through its lineages; without one that is there and not being purged, `is_kept` is 0. */
export const selectSources = (db: Database, space: string): Statement =>
  db.all(sql`SELECT DISTINCT l.source, s.organization, s.id IS NOT NULL AND s.purging_at IS NULL AS is_kept
    FROM lineage_sources l LEFT JOIN spaces s ON s.id = l.source WHERE l.space = ${space}`);

/**
 * The space reads its own branch alone from here on. What it has held of a space that is gone, or being purged, goes by
 * a job; the batch fails where a purge has begun since the sources were read, as that one may have passed what was held.
 */
export function releaseSources(db: Database, space: string, sources: Row[]) {
  const kept = JSON.stringify(sources.filter((row) => row.is_kept === 1).map((row) => text(row, 'source')));
  const stillKept = sql`NOT EXISTS (SELECT 1 FROM json_each(${kept})
    WHERE NOT EXISTS (SELECT 1 FROM spaces WHERE id = value AND purging_at IS NULL))`;
  const statements: Statement[] =
    sources.length === 0 ? [] : [must(db, stillKept), db.delete(lineageSources).where(eq(lineageSources.space, space))];
  const events: NewEvent[] = sources
    .filter((row) => row.is_kept === 0)
    .map((row) => ({ type: 'purge_space', ...ownerOf(row), space: text(row, 'source'), data: { stage: 'versions' } }));
  return { statements, events };
}

function ownerOf(source: Row): { organization?: string } {
  const organization = optionalText(source, 'organization');
  return organization === null ? {} : { organization };
}
