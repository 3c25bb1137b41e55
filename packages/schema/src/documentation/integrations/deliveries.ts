import { createLocationUrl, ids, organizationPath } from '../acme.ts';
import type { ResourceDocumentation } from '../documentation.ts';

const delivery = {
  object: 'webhook-delivery',
  id: ids.delivery,
  event: { id: ids.event, type: 'change_request.merged' },
  status: 'delivered',
  attempts: 1,
  answered: 200,
  createdAt: '2026-03-02T14:20:00.000Z',
  settledAt: '2026-03-02T14:20:01.000Z',
  urls: { location: createLocationUrl(`${organizationPath}/webhooks/${ids.webhook}/deliveries/${ids.delivery}`) },
} as const;

const attempt = { number: 1, at: '2026-03-02T14:20:01.000Z', milliseconds: 84, status: 200, answer: 'ok' } as const;

const properties = {
  event: 'The event that was delivered.',
  'event.id': 'The id of the event.',
  'event.type': 'The type of the event.',
  status: 'The status of the delivery.',
  attempts: 'The number of attempts so far.',
  dueAt: 'The time of the next attempt. Absent if there is none, or if the delivery waits for an earlier one.',
  answered: 'The HTTP status of the response to the last attempt. Absent if there was none.',
  error: 'The reason why the last attempt failed. Absent if it succeeded.',
  createdAt: 'The time at which the delivery was created.',
  settledAt: 'The time at which the event was delivered or the delivery was abandoned. Absent while it is pending.',
};

export const deliveries: ResourceDocumentation = {
  operations: {
    listWebhookDeliveries: {
      description:
        'Lists the deliveries of a webhook, newest first. They are stored for 30 days. With filters, a page ' +
        'searches at most 5,000 deliveries, so it can be short or empty although there is a `next`. Requires an ' +
        'admin.',
      parameters: {
        status: 'Lists only deliveries with this status.',
        type: 'Lists only deliveries of events of this type.',
      },
    },
    getWebhookDelivery: { description: 'Returns a delivery with its attempts and its payload. Requires an admin.' },
    redeliverToWebhook: {
      description:
        'Sends an event to a webhook again, with a new day of retries. Returns 409 if the delivery is still pending ' +
        'or the webhook is paused. Requires an admin.',
    },
    redeliverDeadToWebhook: {
      description:
        'Sends abandoned deliveries to a webhook again, the oldest first, at most 500 per request. Repeat the ' +
        'request while `hasMore` is true. Returns 409 if the webhook is paused. Requires an admin.',
      body: { since: 'Only deliveries that were abandoned at or after this time are sent again.' },
      response: {
        redelivered: 'The number of deliveries that are sent again.',
        hasMore: 'Whether more abandoned deliveries remain.',
      },
      example: { body: { since: '2026-03-01T00:00:00.000Z' }, response: { redelivered: 12, hasMore: false } },
    },
  },
  schemas: {
    WebhookDelivery: { description: 'The delivery of an event to a webhook.', properties, example: delivery },
    WebhookDeliveryDetails: {
      description: 'A delivery with its attempts and its payload.',
      properties: {
        ...properties,
        log: 'The attempts, oldest first, at most 200.',
        payload: 'The body of the requests.',
      },
      example: {
        ...delivery,
        log: [attempt],
        payload: {
          id: ids.event,
          type: 'change_request.merged',
          createdAt: '2026-03-02T14:20:00.000Z',
          organization: ids.organization,
          space: ids.space,
          actor: ids.user,
          data: { changeRequest: ids.changeRequest, revision: ids.revision },
        },
      },
    },
    DeliveryAttempt: {
      description: 'An attempt to deliver an event.',
      properties: {
        number: 'The number of the attempt.',
        at: 'The time of the attempt.',
        milliseconds: 'The duration of the request in milliseconds.',
        status: 'The HTTP status of the response. Absent if there was none.',
        error: 'The reason why the attempt failed. Absent if it succeeded.',
        answer: 'The beginning of the response body. Absent if there was none.',
      },
      example: attempt,
    },
    DeliveryStatus: {
      description:
        'The status of a delivery. `pending`: it will be sent, or sent again. `delivered`: the receiver accepted ' +
        'it. `dead`: abandoned after a day of attempts, or because the receiver rejected it.',
      example: 'delivered',
    },
  },
};
