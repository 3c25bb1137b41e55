import { subscriptions } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { integrations } from '@octavo/schema';
import { timestamp } from '@octavo/schema';
import { eq, sql } from 'drizzle-orm';
import type { IntegrationsEnvironment } from '../environment.ts';
import { newSecret } from './new-secret.ts';
import { writeWebhook } from './write-webhook.ts';

const previousMilliseconds = 24 * 60 * 60_000;

export const rotateWebhookSecret: Handler<typeof integrations.rotateWebhookSecret, IntegrationsEnvironment> = async (
  { params: { webhookId: id } },
  context,
) => {
  const { db, env, organization } = context;
  const { shown, kept } = await newSecret(env, id);
  const now = Date.now();
  const rotated = {
    ...{ previousSecret: sql`secret`, previousUntil: now + previousMilliseconds, secret: kept, updatedAt: now },
    generation: sql`generation + 1`,
  };
  await writeWebhook(context, {
    ...{ organization: organization.id, id },
    statements: [db.update(subscriptions).set(rotated).where(eq(subscriptions.id, id))],
    event: { type: 'webhook.secret_rotated', organization: organization.id, data: { webhook: id } },
  });
  return { secret: shown, previousSecretUntil: timestamp(now + previousMilliseconds) };
};
