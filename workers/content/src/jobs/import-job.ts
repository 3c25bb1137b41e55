import { retryOnConflict } from '@octavo/db';
import type { OutboxEvent } from '@octavo/runtime';
import { commitStep, getRunNumber } from '@octavo/runtime';
import type { NewEvent, OrganizationId, SpaceId } from '@octavo/schema';
import { findImport, runNextStep, writeStep } from '../engine/imports/import-steps.ts';
import { getCrawlDelay } from '../engine/imports/read-website.ts';
import { getHead } from '../heads/call-head.ts';
import type { Job, JobContext } from './job.ts';

/** Creates the job that runs the next step of an import. */
export const createImportJob = ({
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

/** Runs one step of an import and queues the next one. */
export const importContentJob: Job<'import_content'> = (event, context) =>
  retryOnConflict(() => runImportStep(event, context));

async function runImportStep(event: OutboxEvent<'import_content'>, context: JobContext): Promise<void> {
  const { db, env } = context;
  const record = await findImport(db, event.data.import);
  if (record === undefined || record.phase === 'ended')
    return void (await commitStep(context, event, { statements: [] }));
  if (record.phase === 'arrive') {
    await getHead(env, record.space).finishImport({ import: record.id, branch: record.branch });
    return void (await commitStep(context, event, { statements: [], events: [createImportJob(record)] }));
  }
  const { next, statements, events } = writeStep(db, record, await runNextStep(context, record, getRunNumber(event)));
  const further = next.phase === 'ended' ? [] : [createImportJob(record)];
  const delaySeconds = next.phase === 'gather' ? Math.ceil(getCrawlDelay(next)) : 0;
  await commitStep(context, event, { statements, events: [...events, ...further], delaySeconds });
}
