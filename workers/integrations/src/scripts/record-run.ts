import type { Database } from '@octavo/db';
import { integrationEvents, runBatch } from '@octavo/db';
import type { ScriptEvent } from '@octavo/schema';
import { newId } from '@octavo/schema';
import type { ScriptOutcome } from '@octavo/script-isolate';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import type { ScriptCall, ScriptTarget } from './script-target.ts';
import { isOfOwner } from './script-target.ts';

/** What comes as often as somebody outside asks, and not as often as something happens. */
const askedByAnybody = new Set(['fetch', 'fetch_published_script', 'ui_render']);
/** The script does not handle such events. */
export const NOT_HANDLED = 406;

interface Run {
  call: Pick<ScriptCall, 'event' | 'isFrequent'>;
  outcome: ScriptOutcome;
  /** What must not be read anywhere. */
  hidden: string[];
}

/** Why a run failed; undefined where it did not. */
export function failureOf(outcome: ScriptOutcome): string | undefined {
  if (!outcome.ok) return outcome.message;
  const { status } = outcome;
  return status >= 400 && status !== NOT_HANDLED ? `The script answered ${status}.` : undefined;
}

/** The same as the log has it. What is answered to anybody who asks may be about them, and is no part of that. */
function loggedFailure({ call, outcome, hidden }: Run): string | undefined {
  const failure = failureOf(outcome);
  if (failure === undefined) return undefined;
  const reason = askedByAnybody.has(call.event.type) ? undefined : reasonOf(outcome, hidden);
  return reason === undefined ? without(failure, hidden) : `${failure.replace(/\.$/, ':')} ${reason}`;
}

const { payload, logs: lines } = integrationEvents;
const periodMilliseconds = 600_000;
const keptOfAsked = 100;

/** The row of a run; of what anybody may ask for, none where the log has had enough for the moment. */
function insertRun(row: typeof integrationEvents.$inferInsert, isAsked: boolean): SQL {
  const { id, integration, organization, installation, createdAt, status, error, logs } = row;
  const hasRoom = sql`(SELECT COUNT(*) FROM (SELECT 1 FROM integration_events INDEXED BY integration_events_of_integration
    WHERE integration = ${integration} AND organization = ${organization}
      AND created_at > ${createdAt - periodMilliseconds} LIMIT ${keptOfAsked})) < ${keptOfAsked}`;
  return sql`INSERT INTO integration_events
      (id, integration, organization, installation, created_at, payload, status, error, logs)
    SELECT ${id}, ${integration}, ${organization}, ${installation}, ${createdAt}, ${sql.param(row.payload, payload)},
      ${status}, ${error}, ${sql.param(logs, lines)} WHERE ${isAsked ? hasRoom : sql`TRUE`}`;
}

const loggedFor = (target: ScriptTarget, event: ScriptEvent, hidden: string[]) => ({
  id: newId('event'),
  integration: target.shown.integration.name,
  organization: target.shown.integration.organization,
  createdAt: Date.now(),
  installation: target.installed?.installation.id ?? null,
  payload: keptEvent(event, target, hidden),
});

/** Keeps in the log that what a script answered is of no use, which its run did not show, where the log has room. */
export async function recordFault(
  db: Database,
  target: ScriptTarget,
  event: ScriptEvent,
  error: string,
): Promise<void> {
  const row = { ...loggedFor(target, event, []), status: 'failed' as const, error, logs: [] };
  await runBatch(db, [db.run(insertRun(row, true))]);
}

/** Keeps a run in the log, and gives why it failed as the log has it. What did not begin is none. */
export async function recordRun(db: Database, target: ScriptTarget, run: Run): Promise<string | undefined> {
  const { call, outcome, hidden } = run;
  const error = loggedFailure(run);
  const isSkipped = outcome.ok
    ? outcome.status === NOT_HANDLED
    : outcome.fault === 'busy' || outcome.fault === 'unavailable';
  if (isSkipped || (call.isFrequent && error === undefined)) return error;
  const row = {
    ...loggedFor(target, call.event, hidden),
    status: error === undefined ? ('success' as const) : ('failed' as const),
    error: error ?? null,
    logs: outcome.logs.map((line) => ({ ...line, message: without(line.message, hidden) })),
  };
  await runBatch(db, [db.run(insertRun(row, askedByAnybody.has(call.event.type)))]);
  return error;
}

/** So much of a script's own words stands beside what is said of it. */
export const maxReasonCharacters = 200;
/** What is longer is no sentence: of what is cut before secrets are taken out of it, a part of one could be left. */
const maxBytes = 65_536;

/** Secrets are looked for in texts as they are, and not as JSON has them. */
function withoutSecrets(text: string, hidden: string[]): string {
  try {
    const value = JSON.parse(text, (_, part: unknown) => (typeof part === 'string' ? without(part, hidden) : part));
    return typeof value?.error === 'string' ? value.error : without(JSON.stringify(value), hidden);
  } catch {
    return without(text, hidden);
  }
}

/** Why a script refused, by the beginning of its answer: the sentence of a refusal, as the library answers with it. */
function reasonOf(outcome: ScriptOutcome, hidden: string[]): string | undefined {
  if (!outcome.ok || outcome.body.length > maxBytes) return undefined;
  const text = withoutSecrets(new TextDecoder().decode(outcome.body), hidden);
  const line = text.replace(/\p{Cc}+/gu, ' ').trim();
  return line === '' ? undefined : line.slice(0, maxReasonCharacters);
}

const maxPayloadCharacters = 16_384;
const maxIdCharacters = 100;

/** A text without what must not be read anywhere. */
export const without = (text: string, hidden: string[]): string =>
  hidden.reduce((left, secret) => left.replaceAll(secret, '…'), text);

/** What the object of an event is, and nothing that stands in it. */
const idsOf = (event: ScriptEvent): ScriptEvent => ({
  ...Object.fromEntries(
    Object.entries(event).filter(
      ([name, value]) => name.endsWith('Id') && typeof value === 'string' && value.length <= maxIdCharacters,
    ),
  ),
  ...{ eventId: event.eventId, type: event.type },
});

const shownHeaders = ['content-type', 'user-agent'];

/** Of a request, what tells it from others: what else it brings may be a key of whoever sent it. */
function withoutKeys({ request, ...event }: ScriptEvent): ScriptEvent {
  if (typeof request !== 'object' || request === null || !('url' in request) || !('headers' in request)) return event;
  const headers = Object.entries(request.headers ?? {}).filter(([name]) => shownHeaders.includes(name));
  const url = String(request.url).replace(/\?.*/s, '');
  return { ...event, request: { ...request, url, headers: Object.fromEntries(headers) } };
}

/**
 * An event as the log of its integration keeps it: without secrets, and of one that is long no more than what it is. The
 * publisher reads it, so that of installations of others the ids are all that it has.
 */
function keptEvent(event: ScriptEvent, target: ScriptTarget, hidden: string[]): ScriptEvent {
  if (!isOfOwner(target, event)) return idsOf(event);
  const text = JSON.stringify(withoutKeys(event), (_, value: unknown) =>
    typeof value === 'string' ? without(value, hidden) : value,
  );
  return text.length > maxPayloadCharacters ? idsOf(event) : (JSON.parse(text) as ScriptEvent);
}
