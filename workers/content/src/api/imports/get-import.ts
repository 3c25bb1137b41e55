import type { Database } from '@octavo/db';
import { importAddresses } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { content, Import, Served } from '@octavo/schema';
import { timestamp } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { ImportRecord } from '../../engine/imports/import-record.ts';
import { requireImport } from '../../engine/imports/import-steps.ts';
import type { ContentEnvironment } from '../../environment.ts';

const maxFailures = 100;
const maxProblems = 500;

export const getImport: Handler<Served<typeof content, 'getImport'>, ContentEnvironment> = async (
  { params: { importId: id } },
  { db, space, changeRequest, urls },
) => {
  const place = { space: space.id, branch: changeRequest?.id ?? space.id };
  const record = await requireImport(db, place, id);
  const { skipped, failed, total, pages, files, createdAt, updatedAt, finishedAt } = record;
  const [failures, problems] = await Promise.all([failed === 0 ? [] : findFailures(db, id), findProblems(db, record)]);
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
    problems,
    createdAt: timestamp(createdAt),
    updatedAt: timestamp(updatedAt),
    ...(finishedAt === null ? {} : { finishedAt: timestamp(finishedAt) }),
    urls: { location: urls.location(`/spaces/${place.space}${branch}/content/import/${id}`) },
  };
};

async function findFailures(db: Database, id: string): Promise<Import['failures']> {
  const rows = await db
    .select({ url: importAddresses.url, error: importAddresses.error })
    .from(importAddresses)
    .where(sql`import = ${id} AND status = 'failed' AND kind IN ('page', 'file', 'content')`)
    .orderBy(importAddresses.rank, importAddresses.ordinal)
    .limit(maxFailures);
  return rows.map(({ url, error }) => ({ url, error: error ?? '' }));
}

/** What an archive's reading told beside failures. */
async function findProblems(db: Database, { id, source }: ImportRecord): Promise<Import['problems']> {
  if (source !== 'zip') return [];
  const { url, error, title } = importAddresses;
  const rows = await db
    .select({ url, error, title })
    .from(importAddresses)
    .where(sql`import = ${id} AND kind = 'problem'`)
    .orderBy(importAddresses.ordinal)
    .limit(maxProblems);
  return rows.map((row) => ({
    kind: row.title === 'skipped' ? 'skipped' : 'warning',
    url: row.url,
    message: row.error ?? '',
  }));
}
