import type { Database, OpenAPISpecRecord, Statement } from '@octavo/db';
import { abortUnless, ignoreConflict, openapiSpecs, readRow, runBatch, scheduleForSpecification } from '@octavo/db';
import type { Background, OutboxEvent } from '@octavo/runtime';
import { commitStep, isLastAttempt } from '@octavo/runtime';
import type { OpenAPIProcessErrorCode } from '@octavo/schema';
import { SpecificationFault } from '@octavo/specification';
import { sql } from 'drizzle-orm';
import type { PublishingEnvironment } from '../environment.ts';
import { createVersion } from './create-version.ts';
import { markUnreferenced } from './objects.ts';
import { readSource, SourceFault } from './read-source.ts';
import { rereadMilliseconds, specWithSource } from './specs.ts';

interface ProcessContext {
  db: Database;
  env: PublishingEnvironment;
  background: Background;
}

type Changes = Partial<typeof openapiSpecs.$inferInsert>;

interface Outcome {
  changes: Changes;
  statements: Statement[];
  /** Whether to emit `openapi_spec.processed`: something changed, or the source is new. */
  hasNewState: boolean;
}

/**
 * Reads the source of a specification and commits the result. Commits nothing if the source was replaced meanwhile,
 * since the new source has its own job. A second run only leaves unreferenced objects, which are swept.
 */
export async function processOpenAPI(job: OutboxEvent<'process_openapi'>, context: ProcessContext): Promise<void> {
  const { db } = context;
  const spec = await startSpec(job, db);
  const settle = () => commitStep(context, job, { statements: [] });
  if (spec === undefined) return void (await settle());
  try {
    const outcome = await readVersion(spec, job.data.again, context);
    const result = await ignoreConflict(() => commitOutcome(spec, outcome, { event: job, context }));
    if (result === undefined) await settle();
  } catch (error) {
    if (isLastAttempt(job)) await abandonSpec(db, spec);
    throw error;
  }
}

async function startSpec(
  { data: { spec: id, source, again } }: OutboxEvent<'process_openapi'>,
  db: Database,
): Promise<OpenAPISpecRecord | undefined> {
  const isCurrent = sql`id = ${id} AND source = ${source}`;
  if (!again) await runBatch(db, [db.update(openapiSpecs).set({ state: 'progress' }).where(isCurrent)]);
  return readRow(db, specWithSource(id, source));
}

async function readVersion(spec: OpenAPISpecRecord, isReread: boolean, context: ProcessContext): Promise<Outcome> {
  try {
    const text = await readSource(spec, context.env);
    if (text === 'not modified')
      return { changes: {}, statements: [], hasNewState: !isReread || spec.errorCode !== null };
    const { bytes, ...validators } = text;
    const newVersion = await createVersion(spec, bytes, context);
    const hasNewState = !isReread || newVersion.changes.version !== undefined || spec.errorCode !== null;
    return { changes: { ...validators, ...newVersion.changes }, statements: newVersion.statements, hasNewState };
  } catch (error) {
    const fault = toFault(error);
    if (fault === undefined) throw error;
    const hasNewState = !isReread || spec.errorCode !== fault.errorCode || spec.errorMessage !== fault.errorMessage;
    return { changes: fault, statements: [dropText(spec, context.db)], hasNewState };
  }
}

interface Fault {
  errorCode: OpenAPIProcessErrorCode;
  errorMessage: string;
}

const maxMessageLength = 2000;

function toFault(error: unknown): Fault | undefined {
  if (error instanceof SourceFault) return { errorCode: error.code, errorMessage: error.message };
  if (!(error instanceof SpecificationFault)) return undefined;
  return { errorCode: 'PARSE_ERROR', errorMessage: error.message.slice(0, maxMessageLength).toWellFormed() };
}

const dropText = ({ sourceObject }: OpenAPISpecRecord, db: Database): Statement =>
  markUnreferenced(db, sql`${sourceObject}`);

async function commitOutcome(
  spec: OpenAPISpecRecord,
  { changes, statements, hasNewState }: Outcome,
  { event, context }: { event: OutboxEvent<'process_openapi'>; context: ProcessContext },
): Promise<true> {
  const { db } = context;
  const { organization } = spec;
  const now = Date.now();
  const isUnchanged = sql`id = ${spec.id} AND source = ${spec.source} AND version IS ${spec.version}`;
  const ended: Changes = {
    state: 'complete',
    errorCode: null,
    errorMessage: null,
    ...changes,
    sourceObject: null,
    processedAt: now,
    readAt: spec.sourceUrl === null ? null : now + rereadMilliseconds,
  };
  await commitStep(context, event, {
    statements: [
      abortUnless(db, sql`EXISTS (SELECT 1 FROM openapi_specs WHERE ${isUnchanged})`),
      ...statements,
      db.update(openapiSpecs).set(ended).where(isUnchanged),
      ...(changes.version === undefined ? [] : [scheduleForSpecification(db, spec)]),
    ],
    events: [
      ...(hasNewState ? [{ type: 'openapi_spec.processed' as const, organization, data: { spec: spec.id } }] : []),
      ...(changes.version === undefined
        ? []
        : [{ type: 'index_computed' as const, organization, data: { spec: spec.slug } }]),
    ],
  });
  return true;
}

/** Called after the last attempt. The previous version stays. */
async function abandonSpec(db: Database, { id, source }: OpenAPISpecRecord): Promise<void> {
  await runBatch(db, [
    db.update(openapiSpecs).set(createAbandonedState()).where(sql`id = ${id} AND source = ${source}`),
  ]);
}

export const createAbandonedState = () => ({
  state: 'complete' as const,
  errorCode: 'PARSE_ERROR' as const,
  errorMessage: 'The specification could not be processed. Publish it again.',
  processedAt: Date.now(),
});
