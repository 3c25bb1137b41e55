import type { Handler } from '@octavo/runtime';
import type { integrations } from '@octavo/schema';
import type { IntegrationsEnvironment } from '../environment.ts';
import { findWebhook } from './find-webhook.ts';
import { presentWebhook } from './webhook-record.ts';

export const getWebhook: Handler<typeof integrations.getWebhook, IntegrationsEnvironment> = async (
  { params: { webhookId } },
  { db, organization, urls },
) => presentWebhook(await findWebhook(db, organization.id, webhookId), urls);
