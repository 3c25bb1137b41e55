import type { Database } from '@octavo/db';
import { jsonChunks, maybe, rawQuery, runBatch, selection, subscriptions } from '@octavo/db';
import type { OrganizationId } from '@octavo/schema';
import { newId, objectOf } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import type { Fed, NextFed, Wanting } from './feed.ts';
import { feedOf, isTooDeep, isWanted, maxEventsPerStep } from './feed.ts';
import { lanesOf, makeHeadsDue, mayBeSentAt, wakeAt } from './schedule.ts';

/** One that nobody has looked after for so long is woken again: its message may be lost. */
const lostAfterMilliseconds = 2000;
/** A step takes as many events as make no more deliveries together, and one at least. */
const maxDeliveriesPerStep = 4000;
/** As many deliveries wait for a subscription, and no more are kept for it. */
export const maxWaiting = 100_000;

const wokenRow = selection({ id: subscriptions.id, wakeAt: maybe(subscriptions.wakeAt) });
const fullRow = selection({ id: subscriptions.id });

/** A delivery as it is written. */
interface NewDelivery {
  subscription: string;
  seq: number;
  id: string;
  event: string;
  type: string;
  object: string;
}

/** What a step did: who has something due now, which webhooks have all waiting that may, and whether the feed has more. */
interface Handed {
  woken: string[];
  full: string[];
  /** How many events no installation is told of, since too many runs of scripts led to them. */
  tooDeep: number;
  hasMore: boolean;
}

/**
 * Hands the next events of an organization's feed to its subscriptions. It bears being done twice at once: what is no
 * longer in the feed is handed to nobody.
 */
export async function fanOut(db: Database, organization: OrganizationId): Promise<Handed> {
  const next = await feedOf(db, organization);
  if (next.events.length === 0) return { woken: [], full: [], tooDeep: 0, hasMore: false };
  const now = Date.now();
  const step = stepOf(next);
  const { woken, closed, full } = await write(db, organization, step, now);
  // What is held is found by the sweep, at its time.
  const atOnce = [...woken, ...closed].filter((each) => each.wakeAt !== null && each.wakeAt <= now);
  return {
    woken: atOnce.map(({ id }) => id),
    full: full.map(({ id }) => id),
    tooDeep: step.events.filter(({ event, depth }) => isTooDeep(event, depth)).length,
    hasMore: step.events.length < next.events.length || next.events.length === maxEventsPerStep,
  };
}

interface Step {
  events: Fed[];
  made: NewDelivery[];
  /** Those that get nothing more, by their ids. */
  over: string[];
}

const tellsItsEnd = ({ installation }: Wanting, { event: { type, data } }: Fed): boolean =>
  type === 'installation.deleted' && data.installation === installation;

/** One that is leaving gets nothing that came after its end. */
function stepOf(next: NextFed): Step {
  const ends = new Map<string, number>();
  for (const to of next.wanting.filter(({ status }) => status === 'leaving')) {
    const end = next.events.find((fed) => tellsItsEnd(to, fed));
    if (end !== undefined) ends.set(to.id, end.seq);
  }
  const [made, events]: [NewDelivery[], Fed[]] = [[], []];
  for (const fed of next.events) {
    const more = deliveriesOf(fed, next, ends);
    if (events.length > 0 && made.length + more.length > maxDeliveriesPerStep) break;
    events.push(fed);
    for (const each of more) made.push(each);
  }
  const last = events.at(-1)?.seq ?? 0;
  return { events, made, over: [...ends].flatMap(([id, end]) => (end <= last ? [id] : [])) };
}

function deliveriesOf(
  { seq, event, depth }: Fed,
  { wanting, reach, statusAt }: NextFed,
  ends: ReadonlyMap<string, number>,
): NewDelivery[] {
  const of = { seq, event: event.id, type: event.type, object: objectOf(event) };
  return wanting
    .filter((to) => seq <= (ends.get(to.id) ?? seq) && isWanted(to, event, { status: statusAt(to, seq), depth, reach }))
    .map(({ id: subscription }) => ({ ...of, subscription, id: newId('delivery') }));
}

/** What is bound is cut, so that no parameter is larger than the database takes, however many subscriptions there are. */
function write(db: Database, organization: OrganizationId, { events, made, over }: Step, now: number) {
  const parts = jsonChunks(made);
  const last = Math.max(...events.map(({ seq }) => seq));
  return runBatch(db, {
    inserted: parts.map((part) => insertDeliveries(part, now)),
    taken: rawQuery(sql`DELETE FROM feed WHERE organization = ${organization} AND seq <= ${last}`),
    forgotten: rawQuery(sql`
      DELETE FROM former_statuses INDEXED BY former_statuses_of_organization
      WHERE organization = ${organization} AND seq <= ${last}`),
    heads: parts.map((part) => makeHeadsDue(lanesOf(part), now)),
    closed: wokenRow.query(sql`
      UPDATE subscriptions SET status = 'draining', wake_at = ${wakeAt(now)}
      WHERE id IN (SELECT value FROM json_each(${JSON.stringify(over)})) AND status = 'leaving'
      RETURNING ${wokenRow}`),
    woken: parts.map((part) =>
      wokenRow.query(sql`
        UPDATE subscriptions SET wake_at = ${mayBeSentAt(now)}
        WHERE id IN (${subscriptionsOf(part)}) AND status IN ('active', 'leaving')
          AND lease IS NULL
          AND (wake_at IS NULL OR wake_at > ${mayBeSentAt(now)} OR wake_at < ${now - lostAfterMilliseconds})
        RETURNING ${wokenRow}`),
    ),
    full: parts.map((part) =>
      fullRow.query(sql`
        SELECT ${fullRow} FROM subscriptions
        WHERE id IN (${subscriptionsOf(part)}) AND kind = 'webhook' AND status = 'active' AND waiting >= ${maxWaiting}`),
    ),
  });
}

const subscriptionsOf = (part: string): SQL => sql`SELECT value->>'subscription' FROM json_each(${part})`;

const insertDeliveries = (part: string, now: number) =>
  rawQuery(sql`
    INSERT INTO deliveries (subscription, seq, id, event, type, object, created_at)
    SELECT s.id, f.seq, made.value->>'id', f.event, made.value->>'type', made.value->>'object', ${now}
    FROM json_each(${part}) made
    CROSS JOIN feed f ON f.seq = made.value->>'seq'
    CROSS JOIN subscriptions s ON s.id = made.value->>'subscription' AND s.status <> 'ended'
      AND s.waiting < ${maxWaiting}`);
