import type { Check, Database, Parameter, RecordOf } from '@octavo/db';
import {
  commitChecked,
  computed,
  decodeCursor,
  deliveries,
  deliveryAttempts,
  getOnlyRow,
  nullable,
  outbox,
  paginateMatches,
  prepareQuery,
  readRow,
  readRows,
  runBatch,
  scanRows,
  selection,
} from '@octavo/db';
import type { ActorContext, HandlerInput, Urls } from '@octavo/runtime';
import type { integrations, OrganizationId, WebhookDelivery } from '@octavo/schema';
import { conflict, createPayload, formatTimestamp, maxRedelivered, notFound } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { aliasedTable, and, eq, sql } from 'drizzle-orm';
import { clearHeadTimes, makeHeadsDue, wake } from '../deliveries/schedule.ts';
import type { IntegrationsEnvironment } from '../environment.ts';
import { handler } from '../handler.ts';
import type { WebhookRecord } from '../webhooks/queries.ts';
import { findWebhook } from '../webhooks/queries.ts';

const d = aliasedTable(deliveries, 'd');

/** Selects from `deliveries d`. */
const deliveryRow = selection({
  seq: d.seq,
  id: d.id,
  subscription: d.subscription,
  event: d.event,
  type: d.type,
  status: d.status,
  dueAt: d.dueAt,
  attempts: d.attempts,
  answered: d.answered,
  error: d.error,
  createdAt: d.createdAt,
  settledAt: d.settledAt,
});
type DeliveryRecord = RecordOf<typeof deliveryRow>;

const selectDelivery = prepareQuery(deliveryRow, (select, webhook: Parameter<string>, id: Parameter<string>) =>
  select.from(d).where(and(eq(d.id, id), eq(d.subscription, webhook))),
);

const listedRow = selection({
  ...deliveryRow.fields,
  matches: nullable(computed(Boolean, sql`d.matches`)),
  place: nullable(computed(Number, sql`d.place`)),
});

export const listWebhookDeliveries = handler(
  'listWebhookDeliveries',
  async ({ params: { webhookId }, query }, { db, organization, urls }) => {
    const cursor = decodeCursor(query.page, ['number']);
    const webhook = await findWebhook(db, organization.id, webhookId);
    const deliveries = scanRows({
      columns: sql`*`,
      from: sql`FROM deliveries WHERE subscription = ${webhook.id}
      AND seq < ${cursor?.[0] ?? Number.MAX_SAFE_INTEGER}`,
      order: sql`seq DESC`,
      matches: getMatches(query),
      limit: query.limit,
    });
    const rows = await readRows(
      db,
      listedRow.query(sql`SELECT ${listedRow} FROM (${deliveries}) d ORDER BY d.seq DESC`),
    );
    return paginateMatches(rows, query.limit, {
      item: (record) => presentDelivery(record, { urls, organization: organization.id }),
      getCursor: ({ seq }) => [seq],
    });
  },
);

function getMatches({
  status,
  type,
}: HandlerInput<typeof integrations.listWebhookDeliveries>['query']): SQL | undefined {
  const matches = Object.entries({ status, type }).flatMap(([column, value]) =>
    value === undefined ? [] : [sql`${sql.identifier(column)} = ${value}`],
  );
  return matches.length === 0 ? undefined : sql.join(matches, sql` AND `);
}

const { id, type, organization: owner, space, actor, data, createdAt } = outbox;
const eventRow = selection({ id, type, organization: owner, space, actor, data, createdAt });

const selectEvent = prepareQuery(eventRow, (select, webhook: Parameter<string>, delivery: Parameter<string>) =>
  select
    .from(outbox)
    .where(
      eq(outbox.id, sql`(SELECT d.event FROM deliveries d WHERE d.id = ${delivery} AND d.subscription = ${webhook})`),
    ),
);

const attemptRow = selection({
  number: deliveryAttempts.number,
  at: deliveryAttempts.at,
  milliseconds: deliveryAttempts.milliseconds,
  status: deliveryAttempts.status,
  error: deliveryAttempts.error,
  answer: deliveryAttempts.answer,
});

/**
 * Maximum number of attempts that are listed. A day of retries has fewer attempts; only a delivery that is often sent
 * again has more.
 */
const maxAttempts = 200;

const selectAttempts = prepareQuery(attemptRow, (select, webhook: Parameter<string>, delivery: Parameter<string>) =>
  select
    .from(deliveryAttempts)
    .where(
      eq(
        deliveryAttempts.delivery,
        sql`(SELECT d.id FROM deliveries d WHERE d.id = ${delivery} AND d.subscription = ${webhook})`,
      ),
    )
    .orderBy(deliveryAttempts.number)
    .limit(maxAttempts),
);

export const getWebhookDelivery = handler(
  'getWebhookDelivery',
  async ({ params: { webhookId, deliveryId } }, { db, organization, urls }) => {
    const webhook = await findWebhook(db, organization.id, webhookId);
    const result = await runBatch(db, {
      deliveries: selectDelivery(webhook.id, deliveryId),
      events: selectEvent(webhook.id, deliveryId),
      attempts: selectAttempts(webhook.id, deliveryId),
    });
    const [delivery] = result.deliveries;
    if (delivery === undefined) throw notFound('delivery');
    return {
      ...presentDelivery(delivery, { urls, organization: organization.id }),
      log: result.attempts.map(({ number, at, milliseconds, status, error, answer: responseBody }) => ({
        ...{ number, at: formatTimestamp(at), milliseconds },
        ...(status === null ? {} : { status }),
        ...(error === null ? {} : { error }),
        ...(responseBody === null ? {} : { answer: responseBody }),
      })),
      payload: { ...createPayload(getOnlyRow(result.events)) },
    };
  },
);

export const redeliverToWebhook = handler(
  'redeliverToWebhook',
  async ({ params: { webhookId, deliveryId } }, context) => {
    const { db, organization, urls } = context;
    const webhook = await findWebhook(db, organization.id, webhookId);
    const delivery = await readRow(db, selectDelivery(webhook.id, deliveryId));
    if (delivery === undefined) throw notFound('delivery');
    const isSettled = {
      condition: sql`EXISTS (SELECT 1 FROM deliveries WHERE id = ${deliveryId} AND status <> 'pending')`,
      createError: () => conflict('The event is still being delivered. Wait until the delivery ends.'),
    };
    const condition = sql`SELECT ${delivery.seq}`;
    const changed = await redeliver(context, { webhook, condition, count: 1, checks: [isSettled] });
    return presentDelivery(getOnlyRow(changed), { urls, organization: organization.id });
  },
);

/** Sends dead deliveries again, the oldest first. */
export const redeliverDeadToWebhook = handler(
  'redeliverDeadToWebhook',
  async ({ params: { webhookId }, body: { since } }, context) => {
    const { db, organization } = context;
    const webhook = await findWebhook(db, organization.id, webhookId);
    const dead = await readRows(
      db,
      deliveryRow.query(sql`
      SELECT ${deliveryRow} FROM deliveries d INDEXED BY deliveries_dead
      WHERE d.subscription = ${webhook.id} AND d.status = 'dead' AND d.settled_at >= ${Date.parse(since)}
      ORDER BY d.settled_at, d.seq LIMIT ${maxRedelivered + 1}`),
    );
    const chosenNumbers = dead.slice(0, maxRedelivered).map(({ seq }) => seq);
    if (chosenNumbers.length === 0) return { redelivered: 0, hasMore: false };
    const condition = sql`SELECT value FROM json_each(${JSON.stringify(chosenNumbers)})`;
    await redeliver(context, { webhook, condition, count: chosenNumbers.length });
    return { redelivered: chosenNumbers.length, hasMore: dead.length > maxRedelivered };
  },
);

const countRow = selection({ seq: deliveryRow.fields.seq });

interface Redelivery {
  webhook: WebhookRecord;
  /** Selects the `seq` of deliveries. */
  condition: SQL;
  /** The number of deliveries. */
  count: number;
  checks?: Check[];
}

interface RedeliveryContext extends Pick<ActorContext, 'commit'> {
  db: Database;
  env: IntegrationsEnvironment;
}

/** Makes settled deliveries pending again, with a new day of retries. Returns them. */
async function redeliver(
  { db, env, commit }: RedeliveryContext,
  { webhook, condition, count, checks = [] }: Redelivery,
): Promise<DeliveryRecord[]> {
  const { id, organization } = webhook;
  const now = Date.now();
  const isActive = {
    condition: sql`EXISTS (SELECT 1 FROM subscriptions WHERE id = ${id} AND status = 'active')`,
    createError: () => conflict('The webhook is paused. Resume it first.'),
  };
  const objects = sql`
    SELECT DISTINCT d.subscription, d.object FROM deliveries d WHERE d.subscription = ${id} AND d.seq IN (${condition})`;
  const statements = {
    overtaken: clearHeadTimes(objects),
    again: countRow.query(sql`
      UPDATE deliveries AS d SET status = 'pending', due_at = NULL, settled_at = NULL, retry_until = NULL, tries = 0,
        redeliveries = redeliveries + 1
      WHERE d.subscription = ${id} AND d.status <> 'pending' AND d.seq IN (${condition}) RETURNING seq`),
    heads: makeHeadsDue(objects, now),
    woken: db.run(sql`
      UPDATE subscriptions SET held_until = NULL, wake_at = CASE WHEN lease IS NULL THEN ${now} ELSE wake_at END
      WHERE id = ${id}`),
    changed: deliveryRow.query(sql`
      SELECT ${deliveryRow} FROM deliveries d WHERE d.subscription = ${id} AND d.seq IN (${condition}) ORDER BY d.seq`),
  };
  const { changed } = await commitChecked(db, [isActive, ...checks], (guards) =>
    commit({ guards, ...statements }, [
      { type: 'webhook.redelivered', organization, data: { webhook: id, deliveries: count } },
    ]),
  );
  await wake(env, [{ subscription: id, organization }]);
  return changed;
}

interface ShownDelivery {
  urls: Urls;
  organization: OrganizationId;
}

function presentDelivery(record: DeliveryRecord, { urls, organization }: ShownDelivery): WebhookDelivery {
  const { id, subscription, status, attempts, dueAt, answered, error, settledAt } = record;
  return {
    object: 'webhook-delivery',
    id,
    event: { id: record.event, type: record.type },
    status,
    attempts,
    ...(dueAt === null ? {} : { dueAt: formatTimestamp(dueAt) }),
    ...(answered === null ? {} : { answered }),
    ...(error === null ? {} : { error }),
    createdAt: formatTimestamp(record.createdAt),
    ...(settledAt === null ? {} : { settledAt: formatTimestamp(settledAt) }),
    urls: { location: urls.location(`/orgs/${organization}/webhooks/${subscription}/deliveries/${id}`) },
  };
}
