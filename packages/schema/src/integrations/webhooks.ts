import * as z from 'zod';
import { contract } from '../endpoint.ts';
import { webhookPauseReason } from '../events.ts';
import { Id } from '../ids.ts';
import { list, PageQuery } from '../list.ts';
import { createLineSchema } from '../text.ts';
import { Timestamp } from '../time.ts';
import { webAddress } from '../web-address.ts';
import { createDeliveredType, deliveredTypes } from './event-types.ts';

/** The event type of a test request to a webhook. */
export const pingType = 'ping';

const maxSpaces = 100;

const WebhookEvents = z.array(createDeliveredType('*')).min(1).max(deliveredTypes.length).meta({ id: 'WebhookEvents' });

const WebhookSpaces = z.array(Id).min(1).max(maxSpaces).meta({
  id: 'WebhookSpaces',
});

export const WebhookStatus = z.enum(['active', 'paused']).meta({ id: 'WebhookStatus' });
export type WebhookStatus = z.infer<typeof WebhookStatus>;

/** The reason why a webhook is paused: a reason of the event `webhook.paused`, or `requested` by a user. */
export const PausedReason = z.enum([...webhookPauseReason.options, 'requested']).meta({ id: 'WebhookPausedReason' });
export type PausedReason = z.infer<typeof PausedReason>;

/** The failures since the last successful delivery. */
const Failing = z.object({
  attempts: z.number().int(),
  givenUp: z.number().int(),
  since: Timestamp,
  heldUntil: Timestamp.optional(),
});

/** A URL to which the events of an organization are posted. */
export const Webhook = z
  .object({
    object: z.literal('webhook'),
    id: z.string(),
    url: z.string(),
    description: z.string().optional(),
    events: WebhookEvents,
    spaces: WebhookSpaces.optional(),
    active: z.boolean(),
    /** Set while the webhook is paused. */
    pausedReason: PausedReason.optional(),
    pausedSince: Timestamp.optional(),
    /** Set while deliveries fail. */
    failing: Failing.optional(),
    /** Until this time, requests are also signed with the secret from before the last rotation. */
    previousSecretUntil: Timestamp.optional(),
    createdBy: z.string(),
    createdAt: Timestamp,
    updatedAt: Timestamp,
    urls: z.object({ location: z.string() }),
  })
  .meta({ id: 'Webhook' });
export type Webhook = z.infer<typeof Webhook>;

/** A webhook with its signing secret, which is shown only once. */
export const WebhookWithSecret = Webhook.extend({ secret: z.string() }).meta({ id: 'WebhookWithSecret' });
export type WebhookWithSecret = z.infer<typeof WebhookWithSecret>;

/** The response of a receiver to a test, or the reason why there is none. */
export const WebhookTest = z
  .object({
    delivered: z.boolean(),
    milliseconds: z.number().int(),
    status: z.number().int().optional(),
    error: z.string().optional(),
    answer: z.string().optional(),
  })
  .meta({ id: 'WebhookTest' });
export type WebhookTest = z.infer<typeof WebhookTest>;

const RotatedSecret = z
  .object({ secret: z.string(), previousSecretUntil: Timestamp })
  .meta({ id: 'RotatedWebhookSecret' });

const Description = createLineSchema(0, 200);
/** Strict, because with a misspelled `spaces` or `events` the webhook would receive all events. */
const settings = {
  url: webAddress,
  description: Description.optional(),
  events: WebhookEvents.default(['*']),
  spaces: WebhookSpaces.optional(),
  active: z.boolean().default(true),
};

const ofOrganization = z.object({ organizationId: Id });
const params = ofOrganization.extend({ webhookId: Id });
const adminAccess = { access: { organization: 'admin' }, scope: 'unscoped' } as const;

export const webhookEndpoints = contract({
  listWebhooks: {
    ...adminAccess,
    method: 'GET',
    path: '/v1/orgs/:organizationId/webhooks',
    summary: 'List the webhooks of an organization',
    params: ofOrganization,
    query: PageQuery,
    response: list(Webhook),
    success: 200,
  },
  createWebhook: {
    ...adminAccess,
    method: 'POST',
    path: '/v1/orgs/:organizationId/webhooks',
    summary: 'Create a webhook',
    params: ofOrganization,
    body: z.strictObject(settings),
    response: WebhookWithSecret,
    success: 201,
    secret: true,
    errors: ['conflict'],
  },
  getWebhook: {
    ...adminAccess,
    method: 'GET',
    path: '/v1/orgs/:organizationId/webhooks/:webhookId',
    summary: 'Get a webhook',
    params,
    response: Webhook,
    success: 200,
  },
  updateWebhook: {
    ...adminAccess,
    method: 'PATCH',
    path: '/v1/orgs/:organizationId/webhooks/:webhookId',
    summary: 'Change, pause or resume a webhook',
    params,
    body: z.strictObject({
      url: webAddress.optional(),
      description: Description.optional(),
      events: WebhookEvents.optional(),
      spaces: WebhookSpaces.nullable().optional(),
      active: z.boolean().optional(),
    }),
    response: Webhook,
    success: 200,
  },
  deleteWebhook: {
    ...adminAccess,
    method: 'DELETE',
    path: '/v1/orgs/:organizationId/webhooks/:webhookId',
    summary: 'Delete a webhook',
    params,
    success: 205,
  },
  testWebhook: {
    ...adminAccess,
    method: 'POST',
    path: '/v1/orgs/:organizationId/webhooks/:webhookId/test',
    summary: 'Test a webhook',
    params,
    response: WebhookTest,
    success: 200,
    reads: true,
    rate: 'jobs',
  },
  rotateWebhookSecret: {
    ...adminAccess,
    method: 'POST',
    path: '/v1/orgs/:organizationId/webhooks/:webhookId/secret',
    summary: 'Rotate the secret of a webhook',
    params,
    response: RotatedSecret,
    success: 200,
    secret: true,
  },
});
