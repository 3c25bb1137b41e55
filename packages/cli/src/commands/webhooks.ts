import { createHmac, timingSafeEqual } from 'node:crypto';
import { DeliveryStatus, type PausedReason, type Webhook, type WebhookDelivery } from '@octavo/schema';
import { type Api, connect } from '../api.ts';
import { findConnection } from '../connection.ts';
import { createMisuseError, Failure } from '../failure.ts';
import { type LocalRequest, type LocalResponse, listenLocally } from '../local-server.ts';
import { listAll, listOrganizations } from '../spaces.ts';
import { waitForInterrupt, warn } from '../terminal.ts';
import {
  type Command,
  createChoiceOption,
  createTextOption,
  getText,
  parseWholeNumber,
  printLine,
  printResult,
} from './command.ts';

export const webhooks: Command = {
  summary: 'List webhooks with their ids, states, URLs and events',
  arguments: [],
  options: {
    organization: createTextOption(
      '<id>',
      'The organization. The default is all organizations that you are an admin of',
    ),
  },
  json: { kind: 'list', fields: ['id', 'url', 'active', 'events'] },
  run: async (input, terminal) => {
    const { values } = input;
    const api = connect(await findConnection(terminal.env));
    const webhooks: Webhook[] = [];
    for (const organization of await getOrganizations(api, getText(values.organization)))
      webhooks.push(...(await listWebhooks(api, organization)));
    const lines = webhooks.length > 0 ? webhooks.map(describeWebhook) : 'There are no webhooks.';
    printResult(terminal, input, webhooks, lines);
    return 0;
  },
};

const reasons: Record<PausedReason, string> = {
  failing: 'no successful delivery for a week',
  gone: 'the receiver returned 410',
  full: 'too many pending deliveries',
  requested: 'paused by a user',
};

function getState({ active, pausedReason, pausedSince, failing }: Webhook): string {
  if (!active) {
    const reason = pausedReason === undefined ? '' : `: ${reasons[pausedReason]}`;
    return `paused${pausedSince === undefined ? '' : ` since ${pausedSince}`}${reason}`;
  }
  if (failing === undefined) return 'active';
  return `failing since ${failing.since} (${getAttempts(failing.attempts)}, ${failing.givenUp} given up)`;
}

function describeWebhook(webhook: Webhook): string {
  const { id, url, events } = webhook;
  return `${id}  ${getState(webhook)}  ${url}  ${events.join(', ')}`;
}

export const deliveries: Command = {
  summary: 'List the latest deliveries of a webhook, newest first',
  arguments: ['<id or address>'],
  options: {
    organization: createTextOption('<id>', 'The organization of the webhook'),
    status: createChoiceOption(DeliveryStatus.options, 'List only deliveries with this status'),
  },
  json: { kind: 'list', fields: ['id', 'createdAt', 'event', 'status', 'attempts'] },
  run: async (input, terminal) => {
    const {
      values,
      positionals: [nameOrId = ''],
    } = input;
    const status = DeliveryStatus.optional().safeParse(getText(values.status));
    if (!status.success) throw createMisuseError(`--status must be one of ${DeliveryStatus.options.join(', ')}.`);
    const api = connect(await findConnection(terminal.env));
    const params = await findWebhook(api, nameOrId, getText(values.organization));
    const query = { limit: '50', ...(status.data !== undefined && { status: status.data }) };
    const { items } = await api.listWebhookDeliveries({ params, query });
    const lines = items.length > 0 ? items.map(describeDelivery) : 'There are no deliveries.';
    printResult(terminal, input, items, lines);
    return 0;
  },
};

function describeDelivery({ id, createdAt, event, status, attempts, answered, error }: WebhookDelivery): string {
  const outcome = error ?? (answered === undefined ? '' : `returned ${answered}`);
  return `${id}  ${createdAt}  ${event.type}  ${status} (${getAttempts(attempts)})  ${outcome}`.trimEnd();
}

export const testWebhook: Command = {
  summary: 'Send a ping to a webhook and print the response. Exits with 1 if the delivery fails',
  arguments: ['<id or address>'],
  options: {
    organization: createTextOption('<id>', 'The organization of the webhook'),
  },
  json: { fields: ['delivered', 'milliseconds', 'status?', 'error?', 'answer?'] },
  run: async (input, terminal) => {
    const {
      values,
      positionals: [nameOrId = ''],
    } = input;
    const api = connect(await findConnection(terminal.env));
    const params = await findWebhook(api, nameOrId, getText(values.organization));
    const tested = await api.testWebhook({ params });
    const { delivered, milliseconds, status, error, answer } = tested;
    const result = status === undefined ? (error ?? 'no response') : `status ${status}${answer ? `: ${answer}` : ''}`;
    if (delivered || values.json) printResult(terminal, input, tested, `Delivered in ${milliseconds} ms, ${result}`);
    else warn(terminal, `octavo: Delivery failed after ${milliseconds} ms, ${result}`);
    return delivered ? 0 : 1;
  },
};

export const listenToWebhook: Command = {
  summary: 'Receive webhook events on a port of this machine, check their signatures and print them, until Ctrl-C',
  arguments: [],
  options: {
    secret: createTextOption('<secret>', 'The secret of the webhook. You can set OCTAVO_WEBHOOK_SECRET instead'),
    port: createTextOption('<number>', 'The local port. The default is a free one'),
    status: createTextOption('<number>', 'The status of the responses; 204 by default'),
  },
  json: { kind: 'lines', fields: ['type', 'url?', 'delivery?', 'body?', 'error?'] },
  run: async (input, terminal) => {
    const { values } = input;
    const secret = getText(values.secret) ?? terminal.env.OCTAVO_WEBHOOK_SECRET;
    if (!secret) throw createMisuseError('--secret or OCTAVO_WEBHOOK_SECRET is required to check signatures.');
    const status = parseWholeNumber('status', getText(values.status) ?? '204', 200, 599);
    const port = parseWholeNumber('port', getText(values.port) ?? '0', 0, 65_535);
    const { url, close } = await listenLocally(port, async (request) => {
      const { event, line, answer } = receive(request, secret, status);
      printLine(terminal, input, event, line);
      return answer;
    });
    const line = `Listening on ${url}, responding with ${status}.`;
    printLine(terminal, input, { type: 'listening', url }, line);
    await waitForInterrupt();
    await close();
    return 0;
  },
};

function receive(
  { headers, body }: LocalRequest,
  secret: string,
  status: number,
): { event: object; line: string; answer: LocalResponse } {
  const type = headers['x-octavo-event'] ?? 'Unknown event';
  const fault = findSignatureFault(headers['x-octavo-signature'] ?? '', body, secret, Date.now());
  const delivery = headers['x-octavo-delivery'] ?? '';
  return fault === undefined
    ? { event: { type, delivery, body: `${body}` }, line: `${type} ${delivery} ${body}`, answer: { status } }
    : {
        event: { type, error: `The signature ${fault}.` },
        line: `${type} rejected: the signature ${fault}.`,
        answer: { status: 401, body: `The signature ${fault}.` },
      };
}

const getAttempts = (count: number): string => `${count} ${count === 1 ? 'attempt' : 'attempts'}`;

const listWebhooks = (api: Api, organizationId: string): Promise<Webhook[]> =>
  listAll((query) => api.listWebhooks({ params: { organizationId }, query }));

/** Returns the organizations whose webhooks the caller may see: the given one, or all that they are an admin of. */
async function getOrganizations(api: Api, organizationName: string | undefined): Promise<string[]> {
  if (organizationName !== undefined) return [organizationName];
  return (await listOrganizations(api)).filter(({ permissions }) => permissions.admin).map(({ id }) => id);
}

/** Finds a webhook by its ID or URL. @throws Failure if none or several match */
async function findWebhook(api: Api, nameOrId: string, organizationName: string | undefined) {
  const matches: { organizationId: string; webhookId: string }[] = [];
  for (const organizationId of await getOrganizations(api, organizationName))
    for (const { id, url } of await listWebhooks(api, organizationId))
      if (id === nameOrId || url === nameOrId) matches.push({ organizationId, webhookId: id });
  const [first, ...others] = matches;
  if (first === undefined)
    throw new Failure(`The webhook ${nameOrId} does not exist in any organization that you are an admin of.`);
  if (others.length === 0) return first;
  const ids = matches.map(({ webhookId }) => webhookId).join(', ');
  throw new Failure(`Several webhooks have the URL ${nameOrId}. Choose one by id: ${ids}.`);
}

const longestDifferenceSeconds = 300;

/** Returns why a webhook signature is not valid for this body, secret and time; undefined if it is valid. */
function findSignatureFault(signature: string, body: Uint8Array, secret: string, now: number): string | undefined {
  const parts = signature.split(',').map((part) => part.split('='));
  const getValues = (name: string) => parts.flatMap(([key, value = '']) => (key === name ? [value] : []));
  const [time = ''] = getValues('t');
  if (!/^\d+$/.test(time)) return 'is missing';
  const expected = createHmac('sha256', secret).update(`${time}.`).update(body).digest();
  const isRight = getValues('v1').some((value) => {
    const signature = Buffer.from(value, 'hex');
    return signature.length === expected.length && timingSafeEqual(signature, expected);
  });
  if (!isRight) return 'does not match';
  return Math.abs(now / 1000 - Number(time)) > longestDifferenceSeconds
    ? 'has a timestamp that is too old or in the future'
    : undefined;
}
