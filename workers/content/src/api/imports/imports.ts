import type { Database, Parameter, RevisionPoint, SpaceRecord, Statement } from '@octavo/db';
import {
  computed,
  getOnlyRow,
  ignoreConflict,
  importAddresses,
  imports,
  prepareQuery,
  readRows,
  retryOnConflict,
  selection,
} from '@octavo/db';
import type {
  Caller,
  EditableBranchId,
  Import,
  ImportResult,
  ImportSource,
  NewEvent,
  OrganizationId,
} from '@octavo/schema';
import { conflict, createId, formatTimestamp, preconditionFailed } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import { writeAddresses } from '../../engine/imports/address-book.ts';
import type { ImportRecord } from '../../engine/imports/import-record.ts';
import { callBudget, importLimits } from '../../engine/imports/import-record.ts';
import { findImport, requireImport, runNextStep, writeStep } from '../../engine/imports/import-steps.ts';
import { getCrawlDelay } from '../../engine/imports/read-website.ts';
import { handler } from '../../handler.ts';
import { getHead } from '../../heads/call-head.ts';
import type { HeadEnvironment } from '../../heads/space-head.ts';
import { createImportJob } from '../../jobs/import-job.ts';
import { openSource } from './open-source.ts';

export const importContent = handler('importContent', ({ body }, context) => {
  const { space, changeRequest, point } = context;
  if (changeRequest?.status === 'merged' || changeRequest?.status === 'archived')
    throw conflict(`The change request is ${changeRequest.status} and cannot be edited.`);
  if (changeRequest === undefined && space.editMode === 'locked')
    throw preconditionFailed('Live edits are locked in this space. Import into a change request instead.');
  return startImport(context, { ...body, space, branch: changeRequest?.id ?? space.id, point });
});

interface StartContext {
  env: HeadEnvironment;
  db: Database;
  caller: Caller;
  commit(statements: Statement[], events: NewEvent[]): Promise<unknown>;
}

interface ImportRequest {
  space: SpaceRecord;
  branch: EditableBranchId;
  /** The head of the branch. */
  point: RevisionPoint;
  url: string;
  source: ImportSource;
}

/** Starts an import: reads the address at once, and runs as many steps as the call has time for. */
async function startImport(context: StartContext, order: ImportRequest): Promise<ImportResult> {
  const deadline = Date.now() + callBudget.milliseconds;
  const record = createRecord(context, order);
  await checkRunningLimit(context, record);
  const { record: openedRecord, rows, step } = await openSource(context, record);
  const { statements, events, next } = writeStep(context.db, openedRecord, step);
  await context.commit(
    [context.db.insert(imports).values(openedRecord), ...writeAddresses(context.db, rows), ...statements],
    [
      { type: 'import.started', organization: record.organization, space: record.space, data: { import: record.id } },
      ...events,
    ],
  );
  return presentImport(await runSteps(context, next, deadline));
}

function createRecord({ caller }: StartContext, { space, branch, point, url, source }: ImportRequest): ImportRecord {
  const now = Date.now();
  return {
    id: createId('import'),
    space: space.id,
    organization: space.organization,
    branch,
    source,
    url,
    status: 'running',
    phase: 'gather',
    error: null,
    folder: '',
    robots: '',
    navigation: [],
    base: point.id,
    lineage: point.lineage,
    revision: point.id,
    seq: 0,
    cursor: 0,
    known: 0,
    total: 0,
    pages: 0,
    files: 0,
    skipped: 0,
    failed: 0,
    bytes: 0,
    resumed: 0,
    createdBy: caller.actor,
    requestId: caller.requestId,
    depth: caller.depth ?? 0,
    createdAt: now,
    updatedAt: now,
    finishedAt: null,
  };
}

const countRunning = prepareQuery(
  selection({ running: computed(Number, sql`count(*)`) }),
  (select, organization: Parameter<OrganizationId>) =>
    select.from(imports).where(sql`organization = ${organization} AND status = 'running'`),
);

async function checkRunningLimit({ db }: StartContext, { organization }: ImportRecord): Promise<void> {
  const { running } = getOnlyRow(await readRows(db, countRunning(organization)));
  if (running >= importLimits.running)
    throw conflict(`The organization already has ${importLimits.running} running imports. Wait for one to finish.`);
}

/** Runs steps while the call has time, and queues the rest. */
async function runSteps(context: StartContext, start: ImportRecord, deadline: number): Promise<ImportRecord> {
  let record = start;
  let gathered = 0;
  while (record.status === 'running' && Date.now() < deadline && gathered < callBudget.steps) {
    if (record.phase === 'gather') gathered += 1;
    record = await runStep(context, record);
    if (getCrawlDelay(record) > 0) break;
  }
  if (record.status === 'failed') throw conflict(record.error ?? 'The import failed.');
  if (record.status !== 'cancelled') await context.commit([], [createImportJob(record)]);
  return record;
}

async function runStep(context: StartContext, record: ImportRecord): Promise<ImportRecord> {
  if (record.phase === 'arrive') {
    await getHead(context.env, record.space).finishImport({ import: record.id, branch: record.branch });
    return (await findImport(context.db, record.id)) ?? record;
  }
  const { next, statements, events } = writeStep(context.db, record, await runNextStep(context, record, 0));
  const isTaken = await ignoreConflict(async () => {
    await context.commit(statements, events);
    return next;
  });
  return isTaken ?? (await findImport(context.db, record.id)) ?? record;
}

const presentImport = ({ id, revision, pages, files, total }: ImportRecord): ImportResult => ({
  id,
  revision,
  importedResources: pages + files,
  totalResources: total,
});

const maxFailures = 100;
const maxProblems = 500;

export const getImport = handler(
  'getImport',
  async ({ params: { importId: id } }, { db, space, changeRequest, urls }) => {
    const location = { space: space.id, branch: changeRequest?.id ?? space.id };
    const record = await requireImport(db, location, id);
    const { skipped, failed, total, pages, files, createdAt, updatedAt, finishedAt } = record;
    const [failures, problems] = await Promise.all([
      failed === 0 ? [] : findFailures(db, id),
      findProblems(db, record),
    ]);
    const branch = location.branch === location.space ? '' : `/change-requests/${location.branch}`;
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
      createdAt: formatTimestamp(createdAt),
      updatedAt: formatTimestamp(updatedAt),
      ...(finishedAt === null ? {} : { finishedAt: formatTimestamp(finishedAt) }),
      urls: { location: urls.location(`/spaces/${location.space}${branch}/content/import/${id}`) },
    };
  },
);

const { url, error, title, rank, ordinal } = importAddresses;

const readFailures = prepareQuery(
  selection({ url, error }),
  (select, id: Parameter<string>, limit: Parameter<number>) =>
    select
      .from(importAddresses)
      .where(sql`import = ${id} AND status = 'failed' AND kind IN ('page', 'file', 'content')`)
      .orderBy(rank, ordinal)
      .limit(limit),
);

async function findFailures(db: Database, id: string): Promise<Import['failures']> {
  const rows = await readRows(db, readFailures(id, maxFailures));
  return rows.map(({ url, error }) => ({ url, error: error ?? '' }));
}

const readProblems = prepareQuery(
  selection({ url, error, title }),
  (select, id: Parameter<string>, limit: Parameter<number>) =>
    select.from(importAddresses).where(sql`import = ${id} AND kind = 'problem'`).orderBy(ordinal).limit(limit),
);

/** Returns the parts of an archive that were skipped or changed. Failed parts are not included. */
async function findProblems(db: Database, { id, source }: ImportRecord): Promise<Import['problems']> {
  if (source !== 'zip') return [];
  const rows = await readRows(db, readProblems(id, maxProblems));
  return rows.map((row) => ({
    kind: row.title === 'skipped' ? 'skipped' : 'warning',
    url: row.url,
    message: row.error ?? '',
  }));
}

/** Cancels a running import; its job deletes what it gathered. */
export const cancelImport = handler(
  'cancelImport',
  ({ params: { importId: id } }, { db, space, changeRequest, commit }) =>
    retryOnConflict(async () => {
      const location = { space: space.id, branch: changeRequest?.id ?? space.id };
      const record = await requireImport(db, location, id);
      if (record.status !== 'running') throw conflict(`The import is already ${record.status}.`);
      const { statements, events } = writeStep(db, record, {
        changes: { status: 'cancelled', phase: 'clean', revision: record.base, finishedAt: Date.now() },
        events: [
          {
            type: 'import.cancelled',
            organization: record.organization,
            space: record.space,
            data: { import: id },
          },
        ],
      });
      await commit(statements, [...events, createImportJob(record)]);
      return undefined;
    }),
);
