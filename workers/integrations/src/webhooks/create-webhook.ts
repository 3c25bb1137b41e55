import { commitChecked, onlyRow, subscriptions } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { integrations } from '@octavo/schema';
import { conflict, newId } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { IntegrationsEnvironment } from '../environment.ts';
import { newSecret } from './new-secret.ts';
import { areSpacesOf, keptEvents, requirePublic } from './settings.ts';
import { isWebhookOf, presentWebhook, selectWebhook } from './webhook-record.ts';

/** An event of the organization is handed to each. */
const maxWebhooks = 20;

export const createWebhook: Handler<typeof integrations.createWebhook, IntegrationsEnvironment> = async (
  { body },
  { db, env, organization, actor, commit, urls },
) => {
  requirePublic(env, body.url);
  const id = newId('webhook');
  const { shown, kept } = await newSecret(env, id);
  const now = Date.now();
  const mayHaveMore = {
    holds: sql`(SELECT COUNT(*) FROM subscriptions s WHERE ${isWebhookOf(organization.id)}) < ${maxWebhooks}`,
    otherwise: () => conflict(`An organization has at most ${maxWebhooks} webhooks.`),
  };
  const write = db.insert(subscriptions).values({
    ...{ id, organization: organization.id, kind: 'webhook', status: body.active ? 'active' : 'paused' },
    ...(body.active ? {} : { pausedReason: 'requested' as const, pausedSince: now }),
    ...{ url: body.url, description: body.description ?? '' },
    ...{ events: keptEvents(body.events), spaces: body.spaces ?? null },
    ...{ secret: kept, sealedFor: id, createdBy: actor.id, createdAt: now, updatedAt: now },
  });
  const checks = [mayHaveMore, ...areSpacesOf(organization.id, body.spaces)];
  const made = selectWebhook(organization.id, id);
  const rows = await commitChecked(db, checks, (guards) =>
    commit({ guards, write, made }, [
      { type: 'webhook.created', organization: organization.id, data: { webhook: id } },
    ]),
  );
  return { ...presentWebhook(onlyRow(rows.made), urls), secret: shown };
};
