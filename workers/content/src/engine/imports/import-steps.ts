import type { Database, Statement } from '@octavo/db';
import { imports, must } from '@octavo/db';
import type { NewEvent, OpenBranchId, SpaceId } from '@octavo/schema';
import { notFound } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import { advance, writeRevision } from '../store/revisions.ts';
import { clean } from './clean.ts';
import { gather } from './gather.ts';
import type { ImportContext, ImportRecord, ImportStep } from './import-record.ts';
import { ImportFailure } from './import-record.ts';
import { link } from './link.ts';
import { place } from './place.ts';

export const findImport = async (db: Database, id: string): Promise<ImportRecord | undefined> =>
  (await db.select().from(imports).where(sql`id = ${id}`))[0];

/** Where an import goes: the live content of a space (`branch` is the space's id), or a change request. */
interface ImportPlace {
  space: SpaceId;
  branch: OpenBranchId;
}

/** The import of an id, if it goes to this place. @throws ApiError not_found */
export async function requireImport(db: Database, { space, branch }: ImportPlace, id: string): Promise<ImportRecord> {
  const record = await findImport(db, id);
  if (record?.space !== space || record.branch !== branch) throw notFound('import');
  return record;
}

export const failed = ({ organization, space, id }: ImportRecord, error: string): ImportStep => ({
  changes: { status: 'failed', phase: 'clean', error, finishedAt: Date.now() },
  events: [{ type: 'import.failed', organization, space, data: { import: id } }],
});

/** The statements and events of a step, and the record after it. Two that start from one state: the later writes nothing. */
export function writeStep(
  db: Database,
  record: ImportRecord,
  step: ImportStep,
): { next: ImportRecord; statements: Statement[]; events: NewEvent[] } {
  const seq = record.seq + 1;
  const { writes = [], changes } = step;
  const revision = writes.length === 0 ? undefined : hiddenRevision(db, record, { seq, writes });
  const values = { ...(revision && { revision: revision.id }), ...changes, seq, updatedAt: Date.now() };
  const { id } = record;
  return {
    next: { ...record, ...values },
    statements: [
      must(db, sql`EXISTS (SELECT 1 FROM imports WHERE id = ${id} AND seq = ${record.seq})`),
      ...(step.statements ?? []),
      ...(revision?.statements ?? []),
      db.update(imports).set(values).where(sql`id = ${id}`),
    ],
    events: step.events ?? [],
  };
}

const hiddenRevision = (
  db: Database,
  record: ImportRecord,
  { seq, writes }: Required<Pick<ImportStep, 'writes'>> & { seq: number },
) =>
  writeRevision(db, {
    space: record.space,
    organization: record.organization,
    branch: record.id,
    seq,
    type: 'edits',
    parents: [record.revision],
    lineage: advance(record.lineage, record.id, seq),
    author: record.createdBy,
    summary: `Import of ${record.url}`,
    writes,
  });

/** The next step of an import: what it writes and the record after it. Arriving is the space head's to do. */
export async function nextStep(context: ImportContext, record: ImportRecord, attempts: number): Promise<ImportStep> {
  try {
    if (record.phase === 'clean') return await clean(context, record);
    if (record.phase === 'place') return await place(context, record);
    if (record.phase === 'link') return await link(context, record, attempts);
    return await gather(context, record, attempts);
  } catch (error) {
    if (error instanceof ImportFailure) return failed(record, error.message);
    throw error;
  }
}
