import type { Parameter } from '@octavo/db';
import { commit, connect, imports, prepareQuery, readRows, selection } from '@octavo/db';
import type { Background, Environment } from '@octavo/runtime';
import {
  createCronRunner,
  deleteInBatches,
  deleteOldIdempotencyKeys,
  deleteSettledEvents,
  sendEvents,
  sweepOutbox,
} from '@octavo/runtime';
import type { NewEvent } from '@octavo/schema';
import { createId } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { ImportRecord } from '../engine/imports/import-record.ts';
import { importLimits, importRow } from '../engine/imports/import-record.ts';
import { toFailedStep, writeStep } from '../engine/imports/import-steps.ts';
import { archiveFolder, archiveKey } from '../engine/imports/plan-archive.ts';
import { deleteUnusedTexts } from '../engine/texts/unused-texts.ts';
import type { ContentEnvironment } from '../environment.ts';
import type { HeadEnvironment } from '../heads/space-head.ts';
import { createImportJob } from './import-job.ts';

/** Queues jobs that are not caused by a request. */
export async function queueJobs(env: ContentEnvironment, background: Background, jobs: NewEvent[]): Promise<void> {
  const { db } = connect(env.DB, { intent: 'write' });
  const { messages } = await commit(db, { actor: 'system', requestId: createId('request') }, [], jobs);
  sendEvents(env, background, messages);
}

const embedLifetime = 30 * 24 * 3_600_000;

/** Deletes titles of embedded pages after a month, because they may have changed. */
const deleteOldEmbeds = (env: Pick<Environment, 'DB'>): Promise<void> =>
  deleteInBatches(
    env,
    'embeds',
    (limit) => sql`DELETE FROM embeds WHERE url IN (
      SELECT url FROM embeds WHERE read_at < ${Date.now() - embedLifetime} ORDER BY read_at LIMIT ${limit}) RETURNING 1`,
  );

/** Queues the job that moves unused texts to the bucket, if it is switched on. */
async function queueTextMoves(env: ContentEnvironment, background: Background): Promise<void> {
  const days = Number(env.OCTAVO_TEXT_DAYS ?? 0);
  if (days > 0) await queueJobs(env, background, [{ type: 'move_texts', data: { days, after: '' } }]);
}

const day = 24 * 3_600_000;
const maxArchives = 1000;

const findRunningImports = prepareQuery(selection({ id: imports.id }), (select, ids: Parameter<string>) =>
  select.from(imports).where(sql`id IN (SELECT value FROM json_each(${ids})) AND phase <> 'ended'`),
);

/**
 * Deletes archives that are older than a day and that no import uses. The call that stored such an archive ended before
 * it wrote the import.
 */
async function sweepArchives(env: ContentEnvironment): Promise<void> {
  const { objects } = await env.FILES.list({ prefix: archiveFolder, limit: maxArchives });
  const old = objects.filter(({ uploaded }) => uploaded.getTime() < Date.now() - day).map(({ key }) => key);
  if (old.length === 0) return;
  const { db } = connect(env.DB, { intent: 'read' });
  const ids = JSON.stringify(old.map((key) => key.slice(archiveFolder.length)));
  const running = await readRows(db, findRunningImports(ids));
  const archiveKeys = new Set(running.map(({ id }) => archiveKey(id)));
  await env.FILES.delete(old.filter((key) => !archiveKeys.has(key)));
}

const idleMilliseconds = 60_000;
const maxResumed = 50;

const findIdleImports = prepareQuery(importRow, (select, idleSince: Parameter<number>, limit: Parameter<number>) =>
  select
    .from(imports)
    .where(
      sql`phase <> 'ended' AND updated_at < ${idleSince} AND NOT EXISTS (
        SELECT 1 FROM outbox WHERE done_at IS NULL AND attempts < 10 AND type = 'import_content'
          AND data->>'import' = imports.id)`,
    )
    .orderBy(imports.updatedAt)
    .limit(limit),
);

/**
 * Resumes stalled imports whose job is lost, because their request was interrupted or their job became a dead letter.
 */
export async function resumeImports(
  env: ContentEnvironment,
  background: Background,
  idleSince = Date.now() - idleMilliseconds,
): Promise<void> {
  const { db } = connect(env.DB, { intent: 'write' });
  const idle = await readRows(db, findIdleImports(idleSince, maxResumed));
  for (const record of idle) {
    const hasFailed = record.status === 'running' && record.resumed >= importLimits.resumed;
    const step = hasFailed
      ? toFailedStep(record, 'The import stalled too many times.')
      : { changes: { resumed: record.resumed + 1 } };
    const { statements, events } = writeStep(db, record, step);
    const caller = toCaller(record);
    const { messages } = await commit(db, caller, statements, [...events, createImportJob(record)]);
    sendEvents(env, background, messages);
  }
}

const toCaller = ({ createdBy, requestId, depth }: ImportRecord) => ({ actor: createdBy, requestId, depth });

/** Runs the tasks of the cron triggers in wrangler.toml. */
export const runCron = createCronRunner<HeadEnvironment>('content', {
  '* * * * *': [sweepOutbox, (env, background) => resumeImports(env, background)],
  '17 3 * * *': [
    (env, background) => queueJobs(env, background, [{ type: 'sweep_expired', data: {} }]),
    ...[
      queueTextMoves,
      deleteUnusedTexts,
      sweepArchives,
      deleteOldEmbeds,
      deleteOldIdempotencyKeys,
      deleteSettledEvents,
    ],
  ],
});
