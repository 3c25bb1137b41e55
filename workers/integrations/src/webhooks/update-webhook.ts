import { subscriptions } from '@octavo/db';
import type { Handler, HandlerInput } from '@octavo/runtime';
import type { integrations } from '@octavo/schema';
import { eq, sql } from 'drizzle-orm';
import { unfailed } from '../deliveries/try-at-once.ts';
import { wakeAfterwards } from '../deliveries/wake.ts';
import type { IntegrationsEnvironment } from '../environment.ts';
import { areSpacesOf, keptEvents, requirePublic } from './settings.ts';
import { presentWebhook } from './webhook-record.ts';
import { writeWebhook } from './write-webhook.ts';

type Update = typeof integrations.updateWebhook;

/** One that is paused already stays so for the reason that it has. */
function statusOf(isActive: boolean, now: number) {
  if (isActive) return { status: 'active' as const, pausedReason: null, pausedSince: null };
  return {
    status: 'paused' as const,
    pausedReason: sql`CASE status WHEN 'paused' THEN paused_reason ELSE 'requested' END`,
    pausedSince: sql`CASE status WHEN 'paused' THEN paused_since ELSE ${now} END`,
  };
}

function changeOf({ url, description, events, spaces, active }: HandlerInput<Update>['body'], now: number) {
  // What is paused, or is left so, is not looked after.
  const isActive = active === undefined ? sql`status = 'active'` : sql`${active}`;
  const wakeAt = sql`CASE WHEN lease IS NOT NULL THEN wake_at WHEN ${isActive} THEN ${now} END`;
  return {
    updatedAt: now,
    ...(url === undefined ? {} : { url }),
    ...(description === undefined ? {} : { description }),
    ...(events === undefined ? {} : { events: keptEvents(events) }),
    ...(spaces === undefined ? {} : { spaces }),
    ...(active === undefined ? {} : { ...statusOf(active, now), wakeAt }),
    // One that goes on is tried at once, whatever failed before; so is one with another address.
    ...(active === true || url !== undefined ? { ...unfailed, wakeAt } : {}),
    ...(active !== undefined || url !== undefined ? { generation: sql`generation + 1` } : {}),
  };
}

export const updateWebhook: Handler<Update, IntegrationsEnvironment> = async (
  { params: { webhookId: id }, body },
  context,
) => {
  const { db, env, background, organization, urls } = context;
  requirePublic(env, body.url);
  const changed = await writeWebhook(context, {
    ...{ organization: organization.id, id },
    checks: areSpacesOf(organization.id, body.spaces),
    statements: [db.update(subscriptions).set(changeOf(body, Date.now())).where(eq(subscriptions.id, id))],
    event: { type: 'webhook.updated', organization: organization.id, data: { webhook: id } },
  });
  if (changed.status === 'active')
    wakeAfterwards(env, background, [{ subscription: id, organization: organization.id }]);
  return presentWebhook(changed, urls);
};
