import { given, readRow, selection, versions } from '@octavo/db';
import { eq, sql } from 'drizzle-orm';
import type { ImportContext, ImportRecord, ImportStep } from './import-record.ts';
import { perStep } from './import-record.ts';
import { archiveKey } from './plan-archive.ts';

const isDone = sql`NOT (kind = 'problem' OR (status = 'failed' AND kind IN ('page', 'file', 'content')))`;

const leftRow = selection({ addresses: given(Boolean), revisions: given(Boolean) });

/** Clears away a part of what an import that has ended gathered; what failed or was left out stays, to be told. */
export async function clean({ db, env }: ImportContext, record: ImportRecord): Promise<ImportStep> {
  const { id } = record;
  if (record.source === 'zip') await env.FILES.delete(archiveKey(id));
  const states = await db
    .select({ kind: versions.kind, id: versions.id, since: versions.since, document: versions.document })
    .from(versions)
    .where(eq(versions.branch, id))
    .limit(perStep.cleaned);
  const limit = sql.raw(String(perStep.cleaned));
  const [addresses, revisions] = [
    db.run(sql`DELETE FROM import_addresses WHERE import = ${id} AND address IN (
      SELECT address FROM import_addresses WHERE import = ${id} AND ${isDone} LIMIT ${limit})`),
    db.run(sql`DELETE FROM revisions WHERE branch = ${id} AND seq IN (
      SELECT seq FROM revisions WHERE branch = ${id} LIMIT ${limit})`),
  ];
  const left = leftRow.query(sql`
    SELECT EXISTS (SELECT 1 FROM import_addresses WHERE import = ${id} AND ${isDone}) AS addresses,
      EXISTS (SELECT 1 FROM revisions WHERE branch = ${id}) AS revisions`);
  const { addresses: hasAddresses, revisions: hasRevisions } = (await readRow(db, left)) ?? {};
  const isClean = states.length === 0 && !hasAddresses && !hasRevisions;
  if (isClean) return { changes: { phase: 'ended', robots: '', navigation: [] } };
  const keys = JSON.stringify(states.map((state) => [state.kind, state.id, state.since]));
  const hashes = JSON.stringify(states.flatMap(({ document }) => document ?? []));
  return {
    changes: {},
    statements: [
      db.run(sql`DELETE FROM versions WHERE branch = ${id} AND (kind, id, since) IN (
        SELECT value->>0, value->>1, value->>2 FROM json_each(${keys}))`),
      db.run(sql`DELETE FROM document_links WHERE hash IN (SELECT value FROM json_each(${hashes}))
        AND NOT EXISTS (SELECT 1 FROM versions WHERE versions.document = document_links.hash)`),
      db.run(sql`DELETE FROM documents WHERE hash IN (SELECT value FROM json_each(${hashes}))
        AND NOT EXISTS (SELECT 1 FROM versions WHERE versions.document = documents.hash)`),
      addresses,
      revisions,
    ],
  };
}
