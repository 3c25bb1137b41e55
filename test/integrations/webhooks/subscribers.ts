import { query, writeDatabase } from '../../support/database.ts';
import { until } from '../../support/own-platform.ts';
import type { TestOrganization } from '../../support/platform.ts';
import { platform } from '../../support/platform.ts';
import { installWithWebhook } from './installed.ts';
import { getWebhooks } from './webhook-client.ts';

/** Creates a subscription of each kind for `space.updated`, by kind. */
export const subscribe = {
  'a webhook': async (organization: TestOrganization, url: string) => {
    const hooks = getWebhooks(organization);
    const { id, secret } = await hooks.create(url, { events: ['space.updated'] });
    const activate = (active: boolean) => hooks.update(id, { active });
    return { id, secret, activate, moveTo: (other: string) => hooks.update(id, { url: other }) };
  },
  'an installation': async (organization: TestOrganization, url: string) => {
    const described = { scopes: ['space:metadata:read'], events: ['space.updated'] };
    const { installation, secret, publishAgain, update } = await installWithWebhook(organization, {
      webhook: url,
      ...described,
    });
    const changeAddress = (webhook: string) => publishAgain({ webhook, ...described });
    const activate = (active: boolean) => update({ status: active ? 'active' : 'paused' });
    return { id: `${installation}-webhook`, secret, activate, moveTo: changeAddress };
  },
};

interface ShownSubscription {
  status: string;
  failures: number;
  failing_since: number | null;
  held_until: number | null;
  wake_at: number | null;
  lease: string | null;
  waiting: number;
}

/** Copies a webhook `count` times. The copies share its secret, and their ids start with its id. */
export const copyWebhook = (id: string, count: number): Promise<unknown> =>
  writeDatabase(
    platform(),
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
      INSERT INTO subscriptions (
        id, organization, kind, url, events, secret, sealed_for, held_until, created_by, created_at, updated_at)
      SELECT id || '-' || i, organization, kind, url, events, secret, sealed_for, held_until, created_by, created_at, updated_at
      FROM n, subscriptions WHERE id = ?`,
    ...[count, id],
  );

/** Reads a subscription from the database. */
export function getSubscription(id: string): ShownSubscription {
  const [row] = query<ShownSubscription>('SELECT * FROM subscriptions WHERE id = ?', id);
  if (row === undefined) throw new Error(`There is no subscription ${id}.`);
  return row;
}

const hour = 3_600_000;

/** Postpones all deliveries to an installation by an hour, once none is in progress. `more` sets further columns. */
export const holdAllDeliveries = (installation: string, more = ''): Promise<true> =>
  until(async () => {
    const heldUntil = Date.now() + hour;
    await writeDatabase(
      platform(),
      `UPDATE subscriptions SET held_until = ?, wake_at = ? ${more} WHERE installation = ? AND lease IS NULL`,
      ...[heldUntil, heldUntil, installation],
    );
    const free = 'SELECT 1 FROM subscriptions WHERE installation = ? AND (lease IS NOT NULL OR held_until IS NULL)';
    return query(free, installation).length === 0 ? true : undefined;
  });

let fed = 0;

/** Inserts feed events of these spaces that are not dispatched yet. Returns their ids in order. */
export async function feedEvents({ id }: TestOrganization, spaces: string[]): Promise<string[]> {
  fed += 1;
  const begin = `evt_${id}${Date.now()}_${String(fed).padStart(6, '0')}`;
  await writeDatabase(
    platform(),
    `INSERT INTO outbox (id, type, organization, space, actor, request_id, data, created_at, done_at)
      SELECT ? || '_' || printf('%03d', key), 'space.updated', ?, value, 'system', 'req_x', '{}', ?, 1
      FROM json_each(?) ORDER BY key`,
    ...[begin, id, Date.now(), JSON.stringify(spaces)],
  );
  return spaces.map((_, index) => `${begin}_${String(index).padStart(3, '0')}`);
}
