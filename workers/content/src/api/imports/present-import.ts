import type { Database } from '@octavo/db';
import { importAddresses } from '@octavo/db';
import type { Urls } from '@octavo/runtime';
import type { Import } from '@octavo/schema';
import { notFound, timestamp } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { ImportRecord } from '../../engine/imports/import-record.ts';
import { findImport } from '../../engine/imports/import-steps.ts';

const maxFailures = 100;

/** Where an import goes: the live content of a space (`branch` is the space's id), or a change request. */
export interface ImportPlace {
  space: string;
  branch: string;
}

/** The import of an id, if it goes to this place. @throws ApiError not_found */
export async function requireImport(db: Database, { space, branch }: ImportPlace, id: string): Promise<ImportRecord> {
  const record = await findImport(db, id);
  if (record?.space !== space || record.branch !== branch) throw notFound('import');
  return record;
}

export async function readImport(
  db: Database,
  place: ImportPlace,
  { id, urls }: { id: string; urls: Urls },
): Promise<Import> {
  const record = await requireImport(db, place, id);
  const { skipped, failed, total, pages, files, createdAt, updatedAt, finishedAt } = record;
  const failures = failed === 0 ? [] : await findFailures(db, id);
  const branch = place.branch === place.space ? '' : `/change-requests/${place.branch}`;
  return {
    object: 'import',
    id,
    source: record.source,
    url: record.url,
    status: record.status,
    ...(record.error === null ? {} : { error: record.error }),
    revision: record.revision,
    importedResources: pages + files,
    totalResources: total,
    skippedResources: skipped,
    failedResources: failed,
    failures,
    createdAt: timestamp(createdAt),
    updatedAt: timestamp(updatedAt),
    ...(finishedAt === null ? {} : { finishedAt: timestamp(finishedAt) }),
    urls: { location: urls.location(`/spaces/${place.space}${branch}/content/import/${id}`) },
  };
}

async function findFailures(db: Database, id: string): Promise<Import['failures']> {
  const rows = await db
    .select({ url: importAddresses.url, error: importAddresses.error })
    .from(importAddresses)
    .where(sql`import = ${id} AND status = 'failed' AND kind IN ('page', 'file')`)
    .orderBy(importAddresses.rank, importAddresses.ordinal)
    .limit(maxFailures);
  return rows.map(({ url, error }) => ({ url, error: error ?? '' }));
}
