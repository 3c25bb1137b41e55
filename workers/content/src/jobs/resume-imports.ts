import { commit, connect, imports } from '@octavo/db';
import type { Background } from '@octavo/runtime';
import { sendEvents } from '@octavo/runtime';
import { sql } from 'drizzle-orm';
import { importLimits } from '../engine/imports/import-limits.ts';
import type { ImportRecord } from '../engine/imports/import-record.ts';
import { failed, writeStep } from '../engine/imports/import-steps.ts';
import type { ContentEnvironment } from '../environment.ts';
import { nextJob } from './import-job.ts';

const idleMilliseconds = 60_000;
const maxPerSweep = 50;

/** Takes up imports that stand still with no job that waits: their call was cut off, or a job ended as a dead letter. */
export async function resumeImports(
  env: ContentEnvironment,
  background: Background,
  idleSince = Date.now() - idleMilliseconds,
): Promise<void> {
  const { db } = connect(env.DB, { intent: 'write' });
  const idle = await db
    .select()
    .from(imports)
    .where(
      sql`phase <> 'ended' AND updated_at < ${idleSince} AND NOT EXISTS (
        SELECT 1 FROM outbox WHERE done_at IS NULL AND attempts < 10 AND type = 'import_content'
          AND data->>'import' = imports.id)`,
    )
    .orderBy(imports.updatedAt)
    .limit(maxPerSweep);
  for (const record of idle) {
    const isLost = record.status === 'running' && record.resumed >= importLimits.resumed;
    const step = isLost
      ? failed(record, 'The import stood still again and again.')
      : { changes: { resumed: record.resumed + 1 } };
    const { statements, events } = writeStep(db, record, step);
    const caller = callerOf(record);
    const { waiting } = await commit(db, caller, statements, [...events, nextJob(record)]);
    sendEvents(env, background, waiting);
  }
}

const callerOf = ({ createdBy, requestId, depth }: ImportRecord) => ({ actor: createdBy, requestId, depth });
