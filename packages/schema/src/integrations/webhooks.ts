import * as z from 'zod';
import { contract } from '../endpoint.ts';
import { whyPaused } from '../events.ts';
import { Id } from '../ids.ts';
import { list, PageQuery } from '../list.ts';
import { lineOfText } from '../text.ts';
import { Timestamp } from '../time.ts';
import { webAddress } from '../web-address.ts';
import { deliveredType, deliveredTypes } from './event-types.ts';

/** What a webhook is sent when it is tried. */
export const pingType = 'ping';

const maxSpaces = 100;

const WebhookEvents = z
  .array(deliveredType('*'))
  .min(1)
  .max(deliveredTypes.length)
  .meta({ id: 'WebhookEvents', description: 'The types of events that are sent; `*` stands for all.' });

const WebhookSpaces = z.array(Id).min(1).max(maxSpaces).meta({
  id: 'WebhookSpaces',
  description: 'The spaces whose events alone are sent; without them those of the organization.',
});

export const WebhookStatus = z.enum(['active', 'paused']).meta({ id: 'WebhookStatus' });
export type WebhookStatus = z.infer<typeof WebhookStatus>;

/** Why a webhook is paused: by itself, as the event `webhook.paused` tells, or because somebody asked for it. */
export const PausedReason = z.enum([...whyPaused.options, 'requested']).meta({ id: 'WebhookPausedReason' });
export type PausedReason = z.infer<typeof PausedReason>;

/** What came to nothing since something was delivered last. */
const Failing = z.object({
  attempts: z.number().int().meta({ description: 'Attempts without success, failed or refused.' }),
  givenUp: z.number().int().meta({ description: 'Deliveries that were given up.' }),
  since: Timestamp,
  heldUntil: Timestamp.optional(),
});

/** An address that the events of an organization are posted to. */
export const Webhook = z
  .object({
    object: z.literal('webhook'),
    id: z.string(),
    url: z.string(),
    description: z.string().optional(),
    events: WebhookEvents,
    spaces: WebhookSpaces.optional(),
    active: z.boolean(),
    /** There while it is paused. */
    pausedReason: PausedReason.optional(),
    pausedSince: Timestamp.optional(),
    /** There while what is sent comes to nothing. */
    failing: Failing.optional(),
    /** Until then the secret before the last rotation signs too. */
    previousSecretUntil: Timestamp.optional(),
    createdBy: z.string(),
    createdAt: Timestamp,
    updatedAt: Timestamp,
    urls: z.object({ location: z.string() }),
  })
  .meta({ id: 'Webhook' });
export type Webhook = z.infer<typeof Webhook>;

/** With the secret that signs what is sent, which is shown this once. */
export const WebhookWithSecret = Webhook.extend({ secret: z.string() }).meta({ id: 'WebhookWithSecret' });
export type WebhookWithSecret = z.infer<typeof WebhookWithSecret>;

/** What a receiver answered, or why there is no answer. */
export const WebhookTest = z
  .object({
    delivered: z.boolean(),
    milliseconds: z.number().int(),
    status: z.number().int().optional(),
    error: z.string().optional(),
    answer: z.string().optional().meta({ description: 'The beginning of what was answered.' }),
  })
  .meta({ id: 'WebhookTest' });
export type WebhookTest = z.infer<typeof WebhookTest>;

const RotatedSecret = z
  .object({ secret: z.string(), previousSecretUntil: Timestamp })
  .meta({ id: 'RotatedWebhookSecret' });

const Description = lineOfText(0, 200);
/** What is misspelt is refused: without its `spaces` or `events` an address would be sent those of all. */
const settings = {
  url: webAddress,
  description: Description.optional(),
  events: WebhookEvents.default(['*']),
  spaces: WebhookSpaces.optional(),
  active: z.boolean().default(true),
};

const ofOrganization = z.object({ organizationId: Id });
const params = ofOrganization.extend({ webhookId: Id });
const byAdmins = { access: { organization: 'admin' }, scope: 'unscoped' } as const;

export const webhookEndpoints = contract({
  listWebhooks: {
    ...byAdmins,
    method: 'GET',
    path: '/v1/orgs/:organizationId/webhooks',
    summary: 'List the webhooks of an organization',
    params: ofOrganization,
    query: PageQuery,
    response: list(Webhook),
    success: 200,
  },
  createWebhook: {
    ...byAdmins,
    method: 'POST',
    path: '/v1/orgs/:organizationId/webhooks',
    summary: 'Have events of an organization posted to an address',
    params: ofOrganization,
    body: z.strictObject(settings),
    response: WebhookWithSecret,
    success: 201,
    secret: true,
    errors: ['conflict'],
  },
  getWebhook: {
    ...byAdmins,
    method: 'GET',
    path: '/v1/orgs/:organizationId/webhooks/:webhookId',
    summary: 'Get a webhook',
    params,
    response: Webhook,
    success: 200,
  },
  updateWebhook: {
    ...byAdmins,
    method: 'PATCH',
    path: '/v1/orgs/:organizationId/webhooks/:webhookId',
    summary: 'Change a webhook, pause it, or let it go on',
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
    ...byAdmins,
    method: 'DELETE',
    path: '/v1/orgs/:organizationId/webhooks/:webhookId',
    summary: 'Delete a webhook with its deliveries',
    params,
    success: 205,
  },
  testWebhook: {
    ...byAdmins,
    method: 'POST',
    path: '/v1/orgs/:organizationId/webhooks/:webhookId/test',
    summary: 'Send a `ping` to a webhook now, and tell what it answers',
    params,
    response: WebhookTest,
    success: 200,
    reads: true,
    rate: 'jobs',
  },
  rotateWebhookSecret: {
    ...byAdmins,
    method: 'POST',
    path: '/v1/orgs/:organizationId/webhooks/:webhookId/secret',
    summary: 'Give a webhook another secret; the one before signs too for a day',
    params,
    response: RotatedSecret,
    success: 200,
    secret: true,
  },
});
