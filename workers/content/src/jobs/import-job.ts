import { retryOnConflict } from '@octavo/db';
import type { OutboxEvent } from '@octavo/runtime';
import { commitStep } from '@octavo/runtime';
import type { NewEvent, OrganizationId, SpaceId } from '@octavo/schema';
import { findImport, nextStep, writeStep } from '../engine/imports/import-steps.ts';
import { crawlDelayOf } from '../engine/imports/read-website.ts';
import { headOf } from '../heads/space-head.ts';
import type { Job, JobContext } from './job.ts';

/** The job that takes an import one step on. */
export const nextJob = ({
  id,
  organization,
  space,
}: {
  id: string;
  organization: OrganizationId;
  space: SpaceId;
}): NewEvent => ({
  type: 'import_content',
  organization,
  space,
  data: { import: id },
});

/** One step of an import, and the job of the next. */
export const importContentJob: Job<'import_content'> = (taken, context) =>
  retryOnConflict(() => takeStep(taken, context));

async function takeStep(taken: OutboxEvent<'import_content'>, context: JobContext): Promise<void> {
  const { db, env } = context;
  const record = await findImport(db, taken.data.import);
  if (record === undefined || record.phase === 'ended')
    return void (await commitStep(context, taken, { statements: [] }));
  if (record.phase === 'arrive') {
    await headOf(env, record.space).arrive({ import: record.id, branch: record.branch });
    return void (await commitStep(context, taken, { statements: [], events: [nextJob(record)] }));
  }
  const { next, statements, events } = writeStep(db, record, await nextStep(context, record, taken.attempts));
  const further = next.phase === 'ended' ? [] : [nextJob(record)];
  const delaySeconds = next.phase === 'gather' ? Math.ceil(crawlDelayOf(next)) : 0;
  await commitStep(context, taken, { statements, events: [...events, ...further], delaySeconds });
}
