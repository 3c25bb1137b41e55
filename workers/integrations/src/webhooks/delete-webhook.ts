import { commitChecked, subscriptions } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { integrations } from '@octavo/schema';
import { notFound } from '@octavo/schema';
import { eq, sql } from 'drizzle-orm';
import type { IntegrationsEnvironment } from '../environment.ts';
import { isWebhookOf } from './webhook-record.ts';

/** It is gone at once, with its secrets; its deliveries go part by part. */
export const deleteWebhook: Handler<typeof integrations.deleteWebhook, IntegrationsEnvironment> = async (
  { params: { webhookId: id } },
  { db, organization, commit },
) => {
  const isThere = {
    holds: sql`EXISTS (SELECT 1 FROM subscriptions s WHERE s.id = ${id} AND ${isWebhookOf(organization.id)})`,
    otherwise: () => notFound('webhook'),
  };
  const ended = {
    ...{ status: 'ended' as const, secret: null, previousSecret: null, wakeAt: null, updatedAt: Date.now() },
    generation: sql`generation + 1`,
  };
  await commitChecked(db, [isThere], (guards) =>
    commit(
      [...guards, db.update(subscriptions).set(ended).where(eq(subscriptions.id, id))],
      [{ type: 'webhook.deleted', organization: organization.id, data: { webhook: id } }],
    ),
  );
};
