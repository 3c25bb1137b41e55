import { createLocationUrl, ids, organizationPath } from '../acme.ts';
import type { ResourceDocumentation } from '../documentation.ts';

const webhook = {
  object: 'webhook',
  id: ids.webhook,
  url: 'https://hooks.acme.example/octavo',
  description: 'Posts to the chat',
  events: ['change_request.merged', 'comment.created'],
  spaces: [ids.space],
  active: true,
  createdBy: ids.user,
  createdAt: '2026-02-28T09:00:00.000Z',
  updatedAt: '2026-02-28T09:00:00.000Z',
  urls: { location: createLocationUrl(`${organizationPath}/webhooks/${ids.webhook}`) },
} as const;

const secret = 'whsec_V3kXq8ZpR1tYw6NbM4sLd7GhJ2fKc9Qe0TaUiOyP';

const body = {
  url: 'The URL to post events to. It must be public, unless the server allows private addresses.',
  description: 'A description for people.',
  events: 'The types of events to send. `*` selects all.',
  active: 'Whether the webhook is active. A paused webhook receives no events.',
};

const properties = {
  url: 'The URL that events are posted to.',
  description: 'A description for people. Absent if there is none.',
  events: 'The types of events that are sent. `*` selects all.',
  spaces: 'The ids of the spaces whose events are sent. Absent if those of the whole organization are.',
  active: 'Whether the webhook is active.',
  pausedReason: 'The reason why the webhook is paused. Absent while it is active.',
  pausedSince: 'The time at which the webhook was paused. Absent while it is active.',
  failing: 'The failures since the last successful delivery. Absent if there are none.',
  'failing.attempts': 'The number of failed or rejected attempts.',
  'failing.givenUp': 'The number of deliveries that were abandoned.',
  'failing.since': 'The time of the first failure.',
  'failing.heldUntil': 'The time until which nothing is sent. Absent if sending is not suspended.',
  previousSecretUntil:
    'The time until which requests are also signed with the previous secret. Absent if only the current one is used.',
  createdBy: 'The id of the user who created the webhook.',
};

export const webhooks: ResourceDocumentation = {
  operations: {
    listWebhooks: { description: 'Lists the webhooks of an organization, newest first. Requires an admin.' },
    createWebhook: {
      description:
        'Creates a webhook: events of the organization are posted to a URL. The response contains the secret that ' +
        'signs the requests; it is shown only once. An organization can have at most 20 webhooks. Unknown fields ' +
        'are rejected. Requires an admin.',
      body: {
        ...body,
        events: `${body.events} If omitted, all are sent.`,
        spaces: 'The ids of the spaces whose events are sent. If omitted, those of the whole organization are.',
      },
      example: {
        body: {
          url: webhook.url,
          description: webhook.description,
          events: webhook.events,
          spaces: webhook.spaces,
        },
      },
    },
    getWebhook: { description: 'Returns a webhook, without its secret. Requires an admin.' },
    updateWebhook: {
      description:
        'Changes, pauses or resumes a webhook. Omitted fields are unchanged. While it is paused, new events are not ' +
        'stored for it; pending deliveries are sent when it resumes. A new URL, or resuming, ends the wait after ' +
        'failures. Requires an admin.',
      body: {
        ...body,
        spaces: 'The ids of the spaces whose events are sent. Null sends those of the whole organization.',
      },
      example: { body: { active: false } },
    },
    deleteWebhook: { description: 'Deletes a webhook with its secrets and deliveries. Requires an admin.' },
    testWebhook: {
      description:
        'Posts a test event of the type `ping` to the webhook now, even if it is paused, and returns the response ' +
        'of the receiver. The test is not recorded as a delivery. Requires an admin.',
    },
    rotateWebhookSecret: {
      description:
        'Creates a new secret, which the response contains; it is shown only once. For a day, requests are signed ' +
        'with both the new and the previous secret. Requires an admin.',
    },
  },
  schemas: {
    Webhook: { description: 'A URL to which events of an organization are posted.', properties, example: webhook },
    WebhookWithSecret: {
      description: 'A new webhook with its secret.',
      properties: { ...properties, secret: 'The secret that signs the requests. It is shown only once.' },
      example: { ...webhook, secret },
    },
    WebhookEvents: {
      description: 'The types of events that are sent. `*` selects all.',
      example: ['change_request.merged', 'comment.created'],
    },
    WebhookSpaces: { description: 'The ids of the spaces whose events are sent.', example: [ids.space] },
    WebhookPausedReason: {
      description:
        'The reason why a webhook is paused. `requested`: by a user. `failing`: nothing was delivered for a week. ' +
        '`gone`: the receiver responded with 410. `full`: 100,000 deliveries are pending.',
      example: 'requested',
    },
    WebhookTest: {
      description: 'The result of a test of a webhook.',
      properties: {
        delivered: 'Whether the receiver accepted the event.',
        milliseconds: 'The duration of the request in milliseconds.',
        status: 'The HTTP status of the response. Absent if there was none.',
        error: 'The reason why the request failed. Absent if it succeeded.',
        answer: 'The beginning of the response body. Absent if there was none.',
      },
      example: { delivered: true, milliseconds: 84, status: 200, answer: 'ok' },
    },
    RotatedWebhookSecret: {
      description: 'The new secret of a webhook.',
      properties: {
        secret: 'The new secret. It is shown only once.',
        previousSecretUntil: 'The time until which requests are also signed with the previous secret.',
      },
      example: { secret, previousSecretUntil: '2026-03-03T14:00:00.000Z' },
    },
  },
};
