import * as z from 'zod';
import { contract } from '../endpoint.ts';
import { Id } from '../ids.ts';
import { list, PageQuery } from '../list.ts';
import { Timestamp } from '../time.ts';
import { createDeliveredType } from './event-types.ts';

/** The status of a delivery. `dead`: abandoned after a day of attempts, or because the receiver rejected it. */
export const DeliveryStatus = z.enum(['pending', 'delivered', 'dead']).meta({ id: 'DeliveryStatus' });
export type DeliveryStatus = z.infer<typeof DeliveryStatus>;

/** Maximum number of dead deliveries that one request sends again. */
export const maxRedelivered = 500;

/** The delivery of an event to a webhook. */
export const WebhookDelivery = z
  .object({
    object: z.literal('webhook-delivery'),
    id: z.string(),
    event: z.object({ id: z.string(), type: z.string() }),
    status: DeliveryStatus,
    attempts: z.number().int(),
    /** The time of the next attempt. Absent if the delivery has to wait for an earlier delivery. */
    dueAt: Timestamp.optional(),
    /** The response status and the error of the last attempt. */
    answered: z.number().int().optional(),
    error: z.string().optional(),
    createdAt: Timestamp,
    settledAt: Timestamp.optional(),
    urls: z.object({ location: z.string() }),
  })
  .meta({ id: 'WebhookDelivery' });
export type WebhookDelivery = z.infer<typeof WebhookDelivery>;

/** An attempt to deliver an event. */
export const DeliveryAttempt = z
  .object({
    number: z.number().int(),
    at: Timestamp,
    milliseconds: z.number().int(),
    status: z.number().int().optional(),
    error: z.string().optional(),
    answer: z.string().optional(),
  })
  .meta({ id: 'DeliveryAttempt' });
export type DeliveryAttempt = z.infer<typeof DeliveryAttempt>;

export const WebhookDeliveryDetails = WebhookDelivery.extend({
  log: z.array(DeliveryAttempt),
  payload: z.record(z.string(), z.unknown()),
}).meta({ id: 'WebhookDeliveryDetails' });
export type WebhookDeliveryDetails = z.infer<typeof WebhookDeliveryDetails>;

const ofWebhook = z.object({ organizationId: Id, webhookId: Id });
const params = ofWebhook.extend({ deliveryId: Id });
const adminAccess = { access: { organization: 'admin' }, scope: 'unscoped' } as const;

export const deliveryEndpoints = contract({
  listWebhookDeliveries: {
    ...adminAccess,
    method: 'GET',
    path: '/v1/orgs/:organizationId/webhooks/:webhookId/deliveries',
    summary: 'List the deliveries of a webhook',
    params: ofWebhook,
    query: PageQuery.extend({ status: DeliveryStatus.optional(), type: createDeliveredType().optional() }),
    response: list(WebhookDelivery),
    success: 200,
  },
  getWebhookDelivery: {
    ...adminAccess,
    method: 'GET',
    path: '/v1/orgs/:organizationId/webhooks/:webhookId/deliveries/:deliveryId',
    summary: 'Get a delivery',
    params,
    response: WebhookDeliveryDetails,
    success: 200,
  },
  redeliverToWebhook: {
    ...adminAccess,
    method: 'POST',
    path: '/v1/orgs/:organizationId/webhooks/:webhookId/deliveries/:deliveryId/redeliver',
    summary: 'Send a delivery again',
    params,
    response: WebhookDelivery,
    success: 200,
    errors: ['conflict'],
  },
  redeliverDeadToWebhook: {
    ...adminAccess,
    method: 'POST',
    path: '/v1/orgs/:organizationId/webhooks/:webhookId/redeliver',
    summary: 'Send abandoned deliveries again',
    params: ofWebhook,
    body: z.object({ since: Timestamp }),
    response: z.object({ redelivered: z.number().int(), hasMore: z.boolean() }),
    success: 200,
    errors: ['conflict'],
  },
});
