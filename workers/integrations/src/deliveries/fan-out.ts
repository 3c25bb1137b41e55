import type { Database } from '@octavo/db';
import { nullable, rawQuery, runBatch, selection, splitIntoJson, subscriptions } from '@octavo/db';
import type { OrganizationId } from '@octavo/schema';
import { createId, getTargetId } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import type { FedEvent, FedSubscription, FeedStep } from './feed.ts';
import { isTooDeep, matchesSubscription, maxEventsPerStep, readFeed } from './feed.ts';
import { getEarliestSendTime, getWakeTime, makeHeadsDue, selectPairs } from './schedule.ts';

/** A subscription that is overdue for this long is woken again, because its message may be lost. */
const lostAfterMilliseconds = 2000;
/** A step processes events until they result in this many deliveries, but always at least one event. */
const maxDeliveriesPerStep = 4000;
/** Maximum number of deliveries that wait for a subscription. Further ones are dropped. */
export const maxWaiting = 100_000;

const wokenRow = selection({ id: subscriptions.id, wakeAt: nullable(subscriptions.wakeAt) });
const fullRow = selection({ id: subscriptions.id });

/** A new row of `deliveries`. */
interface NewDelivery {
  subscription: string;
  seq: number;
  id: string;
  event: string;
  type: string;
  object: string;
}

/**
 * The result of a step: subscriptions with deliveries due now, webhooks whose queue is full, and whether the feed has
 * more events.
 */
interface FanOutResult {
  woken: string[];
  full: string[];
  /**
   * Number of events that installations do not receive because the chain of script runs that led to them is too long.
   */
  droppedForDepth: number;
  hasMore: boolean;
}

/**
 * Distributes the next events of an organization's feed to its subscriptions. Running it twice at once is safe: events
 * that have left the feed are not distributed again.
 */
export async function fanOut(db: Database, organization: OrganizationId): Promise<FanOutResult> {
  const next = await readFeed(db, organization);
  if (next.events.length === 0) return { woken: [], full: [], droppedForDepth: 0, hasMore: false };
  const now = Date.now();
  const step = createStep(next);
  const { woken, closed, full } = await writeFanOut(db, organization, step, now);
  // The sweep wakes subscriptions that are on hold when the hold ends.
  const atOnce = [...woken, ...closed].filter((each) => each.wakeAt !== null && each.wakeAt <= now);
  return {
    woken: atOnce.map(({ id }) => id),
    full: full.map(({ id }) => id),
    droppedForDepth: step.events.filter(({ event, depth }) => isTooDeep(event, depth)).length,
    hasMore: step.events.length < next.events.length || next.events.length === maxEventsPerStep,
  };
}

interface Step {
  events: FedEvent[];
  newDeliveries: NewDelivery[];
  /** Ids of the subscriptions that get no further events. */
  endedSubscriptions: string[];
}

const endsSubscription = ({ installation }: FedSubscription, { event: { type, data } }: FedEvent): boolean =>
  type === 'installation.deleted' && data.installation === installation;

/** If a subscription is leaving, it gets no events after the event that ends it. */
function createStep(next: FeedStep): Step {
  const ends = new Map<string, number>();
  for (const to of next.subscriptions.filter(({ status }) => status === 'leaving')) {
    const end = next.events.find((fedEvent) => endsSubscription(to, fedEvent));
    if (end !== undefined) ends.set(to.id, end.seq);
  }
  const [newDeliveries, events]: [NewDelivery[], FedEvent[]] = [[], []];
  for (const fedEvent of next.events) {
    const deliveries = getDeliveries(fedEvent, next, ends);
    if (events.length > 0 && newDeliveries.length + deliveries.length > maxDeliveriesPerStep) break;
    events.push(fedEvent);
    for (const delivery of deliveries) newDeliveries.push(delivery);
  }
  const last = events.at(-1)?.seq ?? 0;
  return { events, newDeliveries, endedSubscriptions: [...ends].flatMap(([id, end]) => (end <= last ? [id] : [])) };
}

function getDeliveries(
  { seq, event, depth }: FedEvent,
  { subscriptions, reach, statusAt }: FeedStep,
  ends: ReadonlyMap<string, number>,
): NewDelivery[] {
  const delivery = { seq, event: event.id, type: event.type, object: getTargetId(event) };
  return subscriptions
    .filter(
      (to) =>
        seq <= (ends.get(to.id) ?? seq) && matchesSubscription(to, event, { status: statusAt(to, seq), depth, reach }),
    )
    .map(({ id: subscription }) => ({ ...delivery, subscription, id: createId('delivery') }));
}

/** The parameters are split into chunks, so that none exceeds the database's limit with any number of subscriptions. */
function writeFanOut(
  db: Database,
  organization: OrganizationId,
  { events, newDeliveries, endedSubscriptions }: Step,
  now: number,
) {
  const parts = splitIntoJson(newDeliveries);
  const last = Math.max(...events.map(({ seq }) => seq));
  return runBatch(db, {
    inserted: parts.map((part) => insertDeliveries(part, now)),
    taken: rawQuery(sql`DELETE FROM feed WHERE organization = ${organization} AND seq <= ${last}`),
    forgotten: rawQuery(sql`
      DELETE FROM former_statuses INDEXED BY former_statuses_of_organization
      WHERE organization = ${organization} AND seq <= ${last}`),
    heads: parts.map((part) => makeHeadsDue(selectPairs(part), now)),
    closed: wokenRow.query(sql`
      UPDATE subscriptions SET status = 'draining', wake_at = ${getWakeTime(now)}
      WHERE id IN (SELECT value FROM json_each(${JSON.stringify(endedSubscriptions)})) AND status = 'leaving'
      RETURNING ${wokenRow}`),
    woken: parts.map((part) =>
      wokenRow.query(sql`
        UPDATE subscriptions SET wake_at = ${getEarliestSendTime(now)}
        WHERE id IN (${getSubscriptions(part)}) AND status IN ('active', 'leaving')
          AND lease IS NULL
          AND (wake_at IS NULL OR wake_at > ${getEarliestSendTime(now)} OR wake_at < ${now - lostAfterMilliseconds})
        RETURNING ${wokenRow}`),
    ),
    full: parts.map((part) =>
      fullRow.query(sql`
        SELECT ${fullRow} FROM subscriptions
        WHERE id IN (${getSubscriptions(part)}) AND kind = 'webhook' AND status = 'active' AND waiting >= ${maxWaiting}`),
    ),
  });
}

const getSubscriptions = (part: string): SQL => sql`SELECT value->>'subscription' FROM json_each(${part})`;

const insertDeliveries = (part: string, now: number) =>
  rawQuery(sql`
    INSERT INTO deliveries (subscription, seq, id, event, type, object, created_at)
    SELECT s.id, f.seq, made.value->>'id', f.event, made.value->>'type', made.value->>'object', ${now}
    FROM json_each(${part}) made
    CROSS JOIN feed f ON f.seq = made.value->>'seq'
    CROSS JOIN subscriptions s ON s.id = made.value->>'subscription' AND s.status <> 'ended'
      AND s.waiting < ${maxWaiting}`);
