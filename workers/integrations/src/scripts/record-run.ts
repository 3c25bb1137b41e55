import type { Database } from '@octavo/db';
import { integrationEvents, runBatch } from '@octavo/db';
import type { ScriptEvent } from '@octavo/schema';
import { createId } from '@octavo/schema';
import type { ScriptOutcome } from '@octavo/script-isolate';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import type { ScriptCall, ScriptTarget } from './script-target.ts';
import { isOfOwner } from './script-target.ts';

/** Events that anonymous requests can cause at any rate. */
const publicEventTypes = new Set(['fetch', 'fetch_published_script', 'ui_render']);
/** Status of a script that does not handle this type of event. */
export const NOT_HANDLED = 406;

interface Run {
  call: Pick<ScriptCall, 'event' | 'isFrequent'>;
  outcome: ScriptOutcome;
  /** Secrets that must be removed from texts. */
  hidden: string[];
}

/** Returns why a run failed, or undefined if it did not. */
export function getFailure(outcome: ScriptOutcome): string | undefined {
  if (!outcome.ok) return outcome.message;
  const { status } = outcome;
  return status >= 400 && status !== NOT_HANDLED ? `The script returned ${status}.` : undefined;
}

/** The logged reason. The response to an anonymous request may contain personal data and is not quoted. */
function getLoggedFailure({ call, outcome, hidden }: Run): string | undefined {
  const failure = getFailure(outcome);
  if (failure === undefined) return undefined;
  const reason = publicEventTypes.has(call.event.type) ? undefined : getReason(outcome, hidden);
  return reason === undefined ? redact(failure, hidden) : `${failure.replace(/\.$/, ':')} ${reason}`;
}

const { payload, logs: lines } = integrationEvents;
const periodMilliseconds = 600_000;
const maxAnonymousRuns = 100;

/** Inserts a run. Runs that anonymous requests caused are dropped if there were too many recently. */
function insertRun(row: typeof integrationEvents.$inferInsert, isAnonymous: boolean): SQL {
  const { id, integration, organization, installation, createdAt, status, error, logs } = row;
  const hasRoom = sql`(SELECT COUNT(*) FROM (SELECT 1 FROM integration_events INDEXED BY integration_events_of_integration
    WHERE integration = ${integration} AND organization = ${organization}
      AND created_at > ${createdAt - periodMilliseconds} LIMIT ${maxAnonymousRuns})) < ${maxAnonymousRuns}`;
  return sql`INSERT INTO integration_events
      (id, integration, organization, installation, created_at, payload, status, error, logs)
    SELECT ${id}, ${integration}, ${organization}, ${installation}, ${createdAt}, ${sql.param(row.payload, payload)},
      ${status}, ${error}, ${sql.param(logs, lines)} WHERE ${isAnonymous ? hasRoom : sql`TRUE`}`;
}

const createLogEntry = (target: ScriptTarget, event: ScriptEvent, hidden: string[]) => ({
  id: createId('event'),
  integration: target.visibleIntegration.integration.name,
  organization: target.visibleIntegration.integration.organization,
  createdAt: Date.now(),
  installation: target.installed?.installation.id ?? null,
  payload: toLoggedEvent(event, target, hidden),
});

/**
 * Logs that the response of a run was faulty, although the run itself did not fail. If there were too many such logs
 * recently, nothing is logged.
 */
export async function recordFault(
  db: Database,
  target: ScriptTarget,
  event: ScriptEvent,
  error: string,
): Promise<void> {
  const row = { ...createLogEntry(target, event, []), status: 'failed' as const, error, logs: [] };
  await runBatch(db, [db.run(insertRun(row, true))]);
}

/** Logs a run and returns the logged reason of its failure. Runs that never started are not logged. */
export async function recordRun(db: Database, target: ScriptTarget, run: Run): Promise<string | undefined> {
  const { call, outcome, hidden } = run;
  const error = getLoggedFailure(run);
  const isSkipped = outcome.ok
    ? outcome.status === NOT_HANDLED
    : outcome.fault === 'busy' || outcome.fault === 'unavailable';
  if (isSkipped || (call.isFrequent && error === undefined)) return error;
  const row = {
    ...createLogEntry(target, call.event, hidden),
    status: error === undefined ? ('success' as const) : ('failed' as const),
    error: error ?? null,
    logs: outcome.logs.map((line) => ({ ...line, message: redact(line.message, hidden) })),
  };
  await runBatch(db, [db.run(insertRun(row, publicEventTypes.has(call.event.type)))]);
  return error;
}

/** Maximum length of the part of a script's response that is quoted. */
export const maxReasonCharacters = 200;
/** A longer response is not quoted: cutting it before secrets are removed could leave a part of a secret. */
const maxBytes = 65_536;

/** JSON is parsed first, because escaped characters would hide secrets. */
function redactJson(text: string, hidden: string[]): string {
  try {
    const value = JSON.parse(text, (_, part: unknown) => (typeof part === 'string' ? redact(part, hidden) : part));
    return typeof value?.error === 'string' ? value.error : redact(JSON.stringify(value), hidden);
  } catch {
    return redact(text, hidden);
  }
}

/** Returns the beginning of a script's error response without secrets; for a `Refusal`, its message. */
function getReason(outcome: ScriptOutcome, hidden: string[]): string | undefined {
  if (!outcome.ok || outcome.body.length > maxBytes) return undefined;
  const text = redactJson(new TextDecoder().decode(outcome.body), hidden);
  const line = text.replace(/\p{Cc}+/gu, ' ').trim();
  return line === '' ? undefined : line.slice(0, maxReasonCharacters);
}

const maxPayloadCharacters = 16_384;
const maxIdCharacters = 100;

/** Removes secrets from a text. */
export const redact = (text: string, hidden: string[]): string =>
  hidden.reduce((redacted, secret) => redacted.replaceAll(secret, '…'), text);

/** Returns only the ids of an event. */
const reduceToIds = (event: ScriptEvent): ScriptEvent => ({
  ...Object.fromEntries(
    Object.entries(event).filter(
      ([name, value]) => name.endsWith('Id') && typeof value === 'string' && value.length <= maxIdCharacters,
    ),
  ),
  ...{ eventId: event.eventId, type: event.type },
});

const shownHeaders = ['content-type', 'user-agent'];

/** Removes headers and query parameters of a request that could be credentials of its sender. */
function removeCredentials({ request, ...event }: ScriptEvent): ScriptEvent {
  if (typeof request !== 'object' || request === null || !('url' in request) || !('headers' in request)) return event;
  const headers = Object.entries(request.headers ?? {}).filter(([name]) => shownHeaders.includes(name));
  const url = String(request.url).replace(/\?.*/s, '');
  return { ...event, request: { ...request, url, headers: Object.fromEntries(headers) } };
}

/**
 * Returns the logged form of an event, without secrets. If the event is long, only its ids are logged. The publisher
 * can read the log, so only ids are logged for installations of other organizations too.
 */
function toLoggedEvent(event: ScriptEvent, target: ScriptTarget, hidden: string[]): ScriptEvent {
  if (!isOfOwner(target, event)) return reduceToIds(event);
  const text = JSON.stringify(removeCredentials(event), (_, value: unknown) =>
    typeof value === 'string' ? redact(value, hidden) : value,
  );
  return text.length > maxPayloadCharacters ? reduceToIds(event) : (JSON.parse(text) as ScriptEvent);
}
