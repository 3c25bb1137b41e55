import type { Database } from '@octavo/db';
import { commit, must, rawQuery, unlessBeaten } from '@octavo/db';
import type { Background } from '@octavo/runtime';
import { sendEvents } from '@octavo/runtime';
import type { OrganizationId, WhyPaused } from '@octavo/schema';
import { newId } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import type { IntegrationsEnvironment } from '../environment.ts';
import type { Leased } from './lease.ts';

const failingForMilliseconds = 7 * 24 * 60 * 60_000;

interface Writes {
  env: IntegrationsEnvironment;
  db: Database;
  background: Background;
}

interface Pause {
  id: string;
  organization: OrganizationId;
  reason: WhyPaused;
  /** Of the subscription: what has to hold still. */
  where: SQL;
}

/** Pauses a webhook by itself; what waits for it is sent once somebody lets it go on. */
export async function pauseWebhook(
  { env, db, background }: Writes,
  { id, organization, reason, where }: Pause,
): Promise<void> {
  const isSo = sql`id = ${id} AND kind = 'webhook' AND status = 'active' AND ${where}`;
  const now = Date.now();
  const statements = {
    guard: must(db, sql`EXISTS (SELECT 1 FROM subscriptions WHERE ${isSo})`),
    paused: rawQuery(sql`
      UPDATE subscriptions SET status = 'paused', updated_at = ${now}, paused_reason = ${reason}, paused_since = ${now},
        wake_at = CASE WHEN lease IS NULL THEN NULL ELSE wake_at END
      WHERE ${isSo}`),
  };
  const caller = { actor: 'system', requestId: newId('request') };
  const written = await unlessBeaten(() =>
    commit(db, caller, statements, [{ type: 'webhook.paused', organization, data: { webhook: id, reason } }]),
  );
  if (written !== undefined) sendEvents(env, background, written.waiting);
}

/** Pauses a webhook that nothing was delivered to for a week. */
export async function pauseFailing(
  writes: Writes,
  { id, kind, organization, failingSince, generation }: Leased,
): Promise<void> {
  if (kind !== 'webhook' || failingSince === null || failingSince > Date.now() - failingForMilliseconds) return;
  const where = sql`generation = ${generation} AND failing_since = ${failingSince}`;
  await pauseWebhook(writes, { id, organization, reason: 'failing', where });
}

/** Pauses a webhook whose receiver answered that it is gone for good, unless it was changed meanwhile. */
export async function pauseGone(writes: Writes, { id, kind, organization, generation }: Leased): Promise<void> {
  if (kind !== 'webhook') return;
  await pauseWebhook(writes, { id, organization, reason: 'gone', where: sql`generation = ${generation}` });
}
