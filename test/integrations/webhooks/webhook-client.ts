import { callOperator } from '@octavo/platform';
import { json } from '../../support/content.ts';
import { queryDatabase, writeDatabaseAtOnce } from '../../support/database.ts';
import { until } from '../../support/own-platform.ts';
import type { RequestOptions, Server, TestOrganization } from '../../support/platform.ts';
import { platform } from '../../support/platform.ts';

export interface ShownWebhook {
  id: string;
  url: string;
  description?: string;
  events: string[];
  spaces?: string[];
  active: boolean;
  pausedReason?: string;
  pausedSince?: string;
  failing?: { attempts: number; givenUp: number; since: string; heldUntil?: string };
  previousSecretUntil?: string;
  secret?: string;
}

export interface ShownDelivery {
  id: string;
  event: { id: string; type: string };
  status: string;
  attempts: number;
  dueAt?: string;
  answered?: number;
  error?: string;
  settledAt?: string;
}

export interface ShownDetails extends ShownDelivery {
  log: { number: number; at: string; milliseconds: number; status?: number; error?: string; answer?: string }[];
  payload: Record<string, unknown>;
}

type Owner = Pick<TestOrganization, 'id' | 'token'>;

/** A client for the webhooks of an organization, with the admin's token. */
export function getWebhooks({ id, token }: Owner, server: Server = platform()) {
  const path = `/v1/orgs/${id}/webhooks`;
  const call = <Body>(below: string, options: RequestOptions = {}) =>
    json<Body>(`${path}${below}`, { token, ...options }, server);
  return {
    path,
    create: (url: string, more: object = {}) => call<Required<ShownWebhook>>('', { body: { url, ...more } }),
    get: (webhook: string) => call<ShownWebhook>(`/${webhook}`),
    list: () => call<{ items: ShownWebhook[] }>(''),
    update: (webhook: string, body: object) => call<ShownWebhook>(`/${webhook}`, { method: 'PATCH', body }),
    remove: (webhook: string) => server.request(`${path}/${webhook}`, { token, method: 'DELETE' }),
    ping: (webhook: string) =>
      call<{ delivered: boolean; status?: number; error?: string; answer?: string; milliseconds: number }>(
        `/${webhook}/test`,
        { method: 'POST' },
      ),
    rotate: (webhook: string) =>
      call<{ secret: string; previousSecretUntil: string }>(`/${webhook}/secret`, { method: 'POST' }),
    deliveries: (webhook: string, query = '') =>
      call<{ items: ShownDelivery[]; next?: { page: string } }>(`/${webhook}/deliveries${query}`),
    delivery: (webhook: string, delivery: string) => call<ShownDetails>(`/${webhook}/deliveries/${delivery}`),
    redeliver: (webhook: string, delivery: string) =>
      call<ShownDelivery>(`/${webhook}/deliveries/${delivery}/redeliver`, { method: 'POST' }),
    redeliverDead: (webhook: string, since: string) =>
      call<{ redelivered: number; hasMore: boolean }>(`/${webhook}/redeliver`, { body: { since } }),
  };
}

/** Runs the cron of the integrations worker that runs each minute. */
export const sweepDeliveries = (server: Server = platform()) =>
  callOperator(server.dataDir, '/cron', { worker: 'integrations', cron: '* * * * *' });

/** A response header that postpones the next try by an hour, so that only `makeDeliveriesDue` triggers it. */
export const inAnHour = { 'retry-after': '3600' };

/** Simulates that the delay before the next try is over. Repeats this until no delivery run sets a new delay. */
export async function makeDeliveriesDue(webhook: string, server: Server = platform()): Promise<void> {
  const held = 'SELECT 1 FROM subscriptions WHERE id = ? AND held_until > ?';
  await until(async () => {
    // Both are written in one transaction, because a delivery run that starts or ends between two writes could set a
    // new delay.
    await writeDatabaseAtOnce(server, [
      { sql: 'UPDATE deliveries SET due_at = 1 WHERE subscription = ? AND due_at IS NOT NULL', values: [webhook] },
      {
        sql: 'UPDATE subscriptions SET held_until = NULL, wake_at = 1 WHERE id = ? AND lease IS NULL',
        values: [webhook],
      },
    ]);
    return queryDatabase(server.dataDir, held, webhook, Date.now()).length === 0 ? true : undefined;
  });
  await sweepDeliveries(server);
}

/** Creates a webhook that rejected its only event and was then disabled. Returns its id. */
export async function makeDisabledWebhook(organization: Owner): Promise<string> {
  const hooks = getWebhooks(organization);
  const { id } = await hooks.create(`${platform().url}/nothing`, { events: ['webhook.created'] });
  await until(async () => ((await hooks.deliveries(id)).items[0]?.status === 'dead' ? true : undefined));
  await hooks.update(id, { active: false });
  return id;
}
