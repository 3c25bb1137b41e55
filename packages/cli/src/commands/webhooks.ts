import { createHmac, timingSafeEqual } from 'node:crypto';
import { paginate } from '@octavo/client';
import { DeliveryStatus, type PausedReason, type Webhook, type WebhookDelivery } from '@octavo/schema';
import { type Api, connect } from '../api.ts';
import { findConnection } from '../connection.ts';
import { Failure, misuse } from '../failure.ts';
import { type LocalAnswer, type LocalRequest, listenLocally } from '../local-server.ts';
import { collect, listOrganizations } from '../spaces.ts';
import { interrupted, print, warn } from '../terminal.ts';
import { type Command, getText, wholeNumber } from './command.ts';

export const webhooks: Command = {
  summary: 'List webhooks: their ids, whether they are active, their addresses and events',
  usage: 'octavo webhook list [--organization <id>] [--json]',
  options: { organization: { type: 'string' }, json: { type: 'boolean' } },
  arguments: 0,
  run: async ({ values }, terminal) => {
    const api = connect(await findConnection(terminal.env));
    const listed: Webhook[] = [];
    for (const organization of await getOrganizations(api, getText(values.organization)))
      listed.push(...(await listWebhooks(api, organization)));
    if (values.json) print(terminal, JSON.stringify(listed, null, 2));
    else if (listed.length > 0) for (const each of listed) print(terminal, describeWebhook(each));
    else print(terminal, 'There are no webhooks.');
    return 0;
  },
};

const reasons: Record<PausedReason, string> = {
  failing: 'nothing was delivered for a week',
  gone: 'its receiver answered 410',
  full: 'too much waited for it',
  requested: 'as somebody asked for',
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
  summary: 'List what was sent to a webhook last, the newest first',
  usage: 'octavo webhook deliveries <id or address> [--status pending|delivered|dead] [--organization <id>] [--json]',
  options: { organization: { type: 'string' }, status: { type: 'string' }, json: { type: 'boolean' } },
  arguments: 1,
  run: async ({ values, positionals: [wanted = ''] }, terminal) => {
    const status = DeliveryStatus.optional().safeParse(getText(values.status));
    if (!status.success) throw misuse(`--status is one of ${DeliveryStatus.options.join(', ')}.`);
    const api = connect(await findConnection(terminal.env));
    const params = await findWebhook(api, wanted, getText(values.organization));
    const query = { limit: '50', ...(status.data !== undefined && { status: status.data }) };
    const { items } = await api.listWebhookDeliveries({ params, query });
    if (values.json) print(terminal, JSON.stringify(items, null, 2));
    else if (items.length > 0) for (const each of items) print(terminal, describeDelivery(each));
    else print(terminal, 'There are no deliveries.');
    return 0;
  },
};

function describeDelivery({ id, createdAt, event, status, attempts, answered, error }: WebhookDelivery): string {
  const outcome = error ?? (answered === undefined ? '' : `answered ${answered}`);
  return `${id}  ${createdAt}  ${event.type}  ${status} (${getAttempts(attempts)})  ${outcome}`.trimEnd();
}

export const testWebhook: Command = {
  summary: 'Have a webhook sent a ping now, and tell what it answers; exits with 1 where it does not take it',
  usage: 'octavo webhook test <id or address> [--organization <id>]',
  options: { organization: { type: 'string' } },
  arguments: 1,
  run: async ({ values, positionals: [wanted = ''] }, terminal) => {
    const api = connect(await findConnection(terminal.env));
    const params = await findWebhook(api, wanted, getText(values.organization));
    const { delivered, milliseconds, status, error, answer } = await api.testWebhook({ params });
    const said = status === undefined ? (error ?? 'no answer') : `status ${status}${answer ? `: ${answer}` : ''}`;
    if (delivered) print(terminal, `Delivered in ${milliseconds} ms, ${said}`);
    else warn(terminal, `octavo: Not delivered after ${milliseconds} ms, ${said}`);
    return delivered ? 0 : 1;
  },
};

export const listenToWebhook: Command = {
  summary: 'Receive what a webhook posts on a port of this machine: check signatures, print events, until Ctrl-C',
  usage: 'octavo webhook listen --secret <secret> [--port <number>] [--status <number>]',
  options: { secret: { type: 'string' }, port: { type: 'string' }, status: { type: 'string' } },
  arguments: 0,
  run: async ({ values }, terminal) => {
    const secret = getText(values.secret) ?? terminal.env.OCTAVO_WEBHOOK_SECRET;
    if (!secret) throw misuse('Signatures are checked with --secret, or with OCTAVO_WEBHOOK_SECRET.');
    const status = wholeNumber('status', getText(values.status) ?? '204', 200, 599);
    const port = wholeNumber('port', getText(values.port) ?? '0', 0, 65_535);
    const { url, close } = await listenLocally(port, async (request) => {
      const { line, answer } = receive(request, secret, status);
      print(terminal, line);
      return answer;
    });
    print(terminal, `Listening on ${url}, and answering with ${status}.`);
    await interrupted();
    await close();
    return 0;
  },
};

function receive(
  { headers, body }: LocalRequest,
  secret: string,
  status: number,
): { line: string; answer: LocalAnswer } {
  const type = headers['x-octavo-event'] ?? 'No event';
  const fault = faultOfSignature(headers['x-octavo-signature'] ?? '', body, secret, Date.now());
  return fault === undefined
    ? { line: `${type} ${headers['x-octavo-delivery'] ?? ''} ${body}`, answer: { status } }
    : {
        line: `${type} refused for its signature: ${fault}.`,
        answer: { status: 401, body: `The signature: ${fault}.` },
      };
}

const limit = '100';

const getAttempts = (count: number): string => `${count} ${count === 1 ? 'attempt' : 'attempts'}`;

const listWebhooks = (api: Api, organizationId: string): Promise<Webhook[]> =>
  collect(paginate((page) => api.listWebhooks({ params: { organizationId }, query: { limit, page } })));

/** Returns the organizations whose webhooks the caller may see: the given one, or all that they are an admin of. */
async function getOrganizations(api: Api, named: string | undefined): Promise<string[]> {
  if (named !== undefined) return [named];
  return (await listOrganizations(api)).filter(({ permissions }) => permissions.admin).map(({ id }) => id);
}

/** Finds a webhook by its ID or URL. @throws Failure if none or several match */
async function findWebhook(api: Api, wanted: string, named: string | undefined) {
  const found: { organizationId: string; webhookId: string }[] = [];
  for (const organizationId of await getOrganizations(api, named))
    for (const { id, url } of await listWebhooks(api, organizationId))
      if (id === wanted || url === wanted) found.push({ organizationId, webhookId: id });
  const [first, ...others] = found;
  if (first === undefined)
    throw new Failure(`There is no webhook ${wanted} in the organizations that you are an admin of.`);
  if (others.length === 0) return first;
  const ids = found.map(({ webhookId }) => webhookId).join(', ');
  throw new Failure(`More than one webhook has the address ${wanted}: name one by its id, of ${ids}.`);
}

const longestDifferenceSeconds = 300;

/** Returns why a webhook signature is not valid for this body, secret and time; undefined if it is valid. */
function faultOfSignature(signature: string, body: Uint8Array, secret: string, now: number): string | undefined {
  const parts = signature.split(',').map((part) => part.split('='));
  const getValues = (name: string) => parts.flatMap(([key, value = '']) => (key === name ? [value] : []));
  const [time = ''] = getValues('t');
  if (!/^\d+$/.test(time)) return 'there is none';
  const expected = createHmac('sha256', secret).update(`${time}.`).update(body).digest();
  const isRight = getValues('v1').some((value) => {
    const given = Buffer.from(value, 'hex');
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
  if (!isRight) return 'it is wrong';
  return Math.abs(now / 1000 - Number(time)) > longestDifferenceSeconds ? 'it is of another time' : undefined;
}
