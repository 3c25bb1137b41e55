import { deliveryAttempts, onlyRow, outbox, runBatch, selection } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { integrations } from '@octavo/schema';
import { notFound, payloadOf, timestamp } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { IntegrationsEnvironment } from '../environment.ts';
import { findWebhook } from '../webhooks/find-webhook.ts';
import { deliveryRow, presentDelivery } from './delivery-record.ts';

const { id, type, organization: owner, space, actor, data, createdAt } = outbox;
const eventRow = selection({ id, type, organization: owner, space, actor, data, createdAt });

const attemptRow = selection({
  number: deliveryAttempts.number,
  at: deliveryAttempts.at,
  milliseconds: deliveryAttempts.milliseconds,
  status: deliveryAttempts.status,
  error: deliveryAttempts.error,
  answer: deliveryAttempts.answer,
});

/** More than a day of attempts makes; one that is sent again often has more. */
const maxAttempts = 200;

export const getWebhookDelivery: Handler<typeof integrations.getWebhookDelivery, IntegrationsEnvironment> = async (
  { params: { webhookId, deliveryId } },
  { db, organization, urls },
) => {
  const webhook = await findWebhook(db, organization.id, webhookId);
  const ofWebhook = sql`d.id = ${deliveryId} AND d.subscription = ${webhook.id}`;
  const found = await runBatch(db, {
    deliveries: deliveryRow.query(sql`SELECT ${deliveryRow} FROM deliveries d WHERE ${ofWebhook}`),
    events: eventRow.query(sql`
      SELECT ${eventRow} FROM outbox WHERE id = (SELECT d.event FROM deliveries d WHERE ${ofWebhook})`),
    attempts: attemptRow.query(sql`
      SELECT ${attemptRow} FROM delivery_attempts
      WHERE delivery = (SELECT d.id FROM deliveries d WHERE ${ofWebhook}) ORDER BY number LIMIT ${maxAttempts}`),
  });
  const [delivery] = found.deliveries;
  if (delivery === undefined) throw notFound('delivery');
  return {
    ...presentDelivery(delivery, { urls, organization: organization.id }),
    log: found.attempts.map(({ number, at, milliseconds, status, error, answer }) => ({
      ...{ number, at: timestamp(at), milliseconds },
      ...(status === null ? {} : { status }),
      ...(error === null ? {} : { error }),
      ...(answer === null ? {} : { answer }),
    })),
    payload: { ...payloadOf(onlyRow(found.events)) },
  };
};
