import type { Database } from '@octavo/db';
import { connect, countQueries, hasQueries, outbox } from '@octavo/db';
import type { ConsumedEventType, EventMessage } from '@octavo/schema';
import { getEventSchema } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { Environment } from './environment.ts';
import type { OutboxEvent, OutboxRow } from './outbox.ts';
import { leaseEvents, parseEvent, returnEvents, runAndRecord, sendMessages } from './outbox.ts';

/** A handler for events of a type whose work can be shared by all events of a space. */
interface EventGroupHandler<Type extends ConsumedEventType, Context> {
  type: Type;
  /** Divides the events of a space into groups of a limited size. */
  split: (events: OutboxEvent<Type>[]) => OutboxEvent<Type>[][];
  /** Maximum number of queries for a group. */
  maxQueries: number;
  handle: (events: OutboxEvent<Type>[], context: Context) => Promise<void>;
  createContext: (db: Database) => Context;
}

/**
 * Handles the messages of a batch like `handleEvent`, but handles new events of the same space in groups. Events that
 * had an earlier run are handled one by one. So if an event fails or ends the runtime, the other events of its group
 * lose at most one attempt or interruption. When the batch has no queries left for another group, the remaining events
 * are sent to their queue again.
 */
export async function handleEventGroups<Type extends ConsumedEventType, Context>(
  env: Environment,
  messages: EventMessage[],
  { type, split, maxQueries, handle, createContext }: EventGroupHandler<Type, Context>,
): Promise<Map<EventMessage, unknown>> {
  const failures = new Map<EventMessage, unknown>();
  const { DB } = countQueries({ DB: env.DB });
  const mayBegin = () => hasQueries({ DB }, maxQueries);
  const handleGroup = async (group: OutboxRow[]) => {
    const connection = connect(DB, { intent: 'write' });
    const parseRows = () => group.map((row) => parseEvent(type, row));
    await runAndRecord(connection, group, async () => handle(parseRows(), createContext(connection.db))).catch(
      (error: unknown) => {
        const failedIds = new Set(group.map(({ id }) => id));
        for (const message of messages.filter(({ id }) => failedIds.has(id))) failures.set(message, error);
      },
    );
  };
  const lease = (ids: string[], more?: ReturnType<typeof sql>) =>
    leaseEvents(DB, connect(DB, { intent: 'write' }), ids, more);
  const ids = [...new Set(messages.map(({ id }) => id))];
  if (ids.length === 0) return failures;
  const untried = await lease(ids, sql`AND ${outbox.attempts} = 0 AND ${outbox.interruptions} = 0`);
  const groups = groupBySpace({ type, split }, untried);
  while (groups.length > 0 && mayBegin()) await handleGroup(groups.shift() ?? []);
  const remaining = groups.flat();
  await returnEvents(connect(DB, { intent: 'write' }), remaining);
  const takenIds = new Set(untried.map(({ id }) => id));
  const retriedIds = ids.filter((each) => !takenIds.has(each));
  while (retriedIds.length > 0 && mayBegin()) {
    const [row] = await lease(retriedIds.splice(0, 1));
    if (row !== undefined) await handleGroup([row]);
  }
  const remainingIds = [...remaining.map(({ id }) => id), ...retriedIds];
  await sendMessages(
    env,
    remainingIds.map((id) => ({ id, type })),
  );
  return failures;
}

/** Groups the events of each space. Each event that cannot be parsed is a group of its own. */
function groupBySpace<Type extends ConsumedEventType>(
  { type, split }: Pick<EventGroupHandler<Type, unknown>, 'type' | 'split'>,
  rows: OutboxRow[],
): OutboxRow[][] {
  const isValid = ({ data }: OutboxRow) => getEventSchema(type).safeParse(data).success;
  const invalidRows = rows.filter((row) => !isValid(row)).map((row) => [row]);
  const groups = [...Map.groupBy(rows.filter(isValid), ({ space }) => space).values()];
  return [...groups.flatMap((group) => split(group.map((row) => parseEvent(type, row)))), ...invalidRows];
}
