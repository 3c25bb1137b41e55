import type { Caller, EventMessage, NewEvent } from '@octavo/schema';
import { AuditOrigin, audited, eventSchema, isConsumed, newId } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { RowsOf, Statement, Statements } from './batch.ts';
import { runBatch } from './batch.ts';
import type { Database } from './connect.ts';
import { jsonChunks } from './json-chunks.ts';
import { toStored } from './stored-json.ts';

/** A write that lost a race: a unique index, a foreign key or a `must` refused its batch, and nothing was written. */
export class CommitConflict extends Error {
  override name = 'CommitConflict';
}

/** For a write past `commit` that came too late: thrown, it makes `retryOnConflict` try again. */
export const lostRace = (what: string): Error => new CommitConflict(what);

/** What the statements gave, by their names, and the events that wait for a consumer. */
export interface Committed<Given> {
  rows: RowsOf<Given>;
  waiting: EventMessage[];
}

/**
 * Writes everything in one D1 batch, all or nothing: the statements, then the events that they cause.
 * The waiting events are to be sent to their queue; the sweep sends those that are not.
 * @throws CommitConflict when a unique index, a foreign key or a `must` refuses the batch.
 */
export async function commit<Given extends Statements>(
  db: Database,
  caller: Caller,
  statements: Given,
  events: NewEvent[],
): Promise<Committed<Given>> {
  const now = Date.now();
  const told = events.map((event) => ({
    ...event,
    id: newId('event'),
    data: toStored<unknown>(eventSchema(event.type), event.data),
    doneAt: isConsumed(event.type) ? null : now,
    ...(audited[event.type] === null || caller.origin === undefined
      ? {}
      : { origin: toStored(AuditOrigin, caller.origin) }),
  }));
  const records = jsonChunks(told).map((json) =>
    db.run(sql`
    INSERT INTO outbox (id, type, organization, space, actor, request_id, data, created_at, sent_at, done_at, origin)
    SELECT value->>'id', value->>'type', value->>'organization', value->>'space', ${caller.actor}, ${caller.requestId},
      value->>'data', ${now}, ${now}, value->>'doneAt', value->>'origin'
    FROM json_each(${json})`),
  );
  const batch = { statements, records, key: markKey(db, caller) };
  const { statements: rows } = await runBatch(db, batch).catch((error: unknown) => {
    throw isRace(error) ? new CommitConflict('A concurrent write came first.', { cause: error }) : error;
  });
  return { rows, waiting: told.flatMap(({ id, type }) => (isConsumed(type) ? [{ id, type }] : [])) };
}

/** Marks the caller's key as carried out; aborts the batch where another request has taken the claim over. */
function markKey(db: Database, { actor, key, requestId }: Caller): Statement[] {
  if (key === undefined) return [];
  const ours = sql`actor = ${actor} AND key = ${key} AND request = ${requestId} AND state <> 'done'`;
  return [
    must(db, sql`EXISTS (SELECT 1 FROM idempotency_keys WHERE ${ours})`),
    db.run(sql`UPDATE idempotency_keys SET state = 'committed' WHERE ${ours}`),
  ];
}

/**
 * A statement that aborts its batch unless `condition` holds: a guard at write time, where an earlier read may be stale.
 * (Malformed JSON is the one error that SQLite raises from an expression outside a trigger.)
 */
export const must = (db: Database, condition: ReturnType<typeof sql>): Statement =>
  db.run(sql`SELECT CASE WHEN ${condition} THEN 1 ELSE json('the state has moved') END`);

function isRace(error: unknown): boolean {
  const messages = [error, error instanceof Error ? error.cause : undefined].map((each) => String(each));
  return messages.some((message) => /(?:UNIQUE|FOREIGN KEY) constraint failed|malformed JSON/.test(message));
}
