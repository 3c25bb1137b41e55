import type { Database } from '@octavo/db';
import { readRow } from '@octavo/db';
import type { OrganizationId } from '@octavo/schema';
import { notFound } from '@octavo/schema';
import type { WebhookRecord } from './webhook-record.ts';
import { selectWebhook } from './webhook-record.ts';

/** A webhook of an organization. @throws ApiError not_found */
export async function findWebhook(db: Database, organization: OrganizationId, id: string): Promise<WebhookRecord> {
  const found = await readRow(db, selectWebhook(organization, id));
  if (found === undefined) throw notFound('webhook');
  return found;
}
