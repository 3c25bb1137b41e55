import type { Handler } from '@octavo/runtime';
import type { integrations } from '@octavo/schema';
import { newId, pingType, timestamp } from '@octavo/schema';
import { verdictOf } from '../deliveries/outcome.ts';
import { postEvent } from '../deliveries/post-event.ts';
import { receiverOf } from '../deliveries/receiver-of.ts';
import type { IntegrationsEnvironment } from '../environment.ts';
import { findWebhook } from './find-webhook.ts';

/** Sends no event of the feed, and leaves no delivery: it only tells what the receiver says. */
export const testWebhook: Handler<typeof integrations.testWebhook, IntegrationsEnvironment> = async (
  { params: { webhookId } },
  { db, env, organization, actor },
) => {
  const webhook = await findWebhook(db, organization.id, webhookId);
  const payload = {
    ...{ id: newId('event'), type: pingType, createdAt: timestamp(Date.now()) },
    ...{ organization: organization.id, actor: actor.id, data: { webhook: webhook.id } },
  };
  const posting = { delivery: newId('delivery'), type: pingType, payload };
  const attempt = await postEvent(env, await receiverOf(env, webhook), posting);
  const { milliseconds, status, error, answer } = attempt;
  return {
    delivered: verdictOf(attempt) === 'delivered',
    milliseconds,
    ...(status === null ? {} : { status }),
    ...(error === null ? {} : { error }),
    ...(answer === null ? {} : { answer }),
  };
};
