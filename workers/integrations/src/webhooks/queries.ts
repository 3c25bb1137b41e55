import type { Database, Parameter, RecordOf } from '@octavo/db';
import { prepareQuery, readRow, selection, subscriptions } from '@octavo/db';
import type { OrganizationId } from '@octavo/schema';
import { notFound } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { aliasedTable, and, eq, sql } from 'drizzle-orm';

const s = aliasedTable(subscriptions, 's');

/** Selects from `subscriptions s`. */
export const webhookRow = selection({
  id: s.id,
  organization: s.organization,
  status: s.status,
  url: s.url,
  description: s.description,
  events: s.events,
  spaces: s.spaces,
  secret: s.secret,
  previousSecret: s.previousSecret,
  previousUntil: s.previousUntil,
  sealedFor: s.sealedFor,
  pausedReason: s.pausedReason,
  pausedSince: s.pausedSince,
  failingSince: s.failingSince,
  failedAttempts: s.failedAttempts,
  givenUp: s.givenUp,
  heldUntil: s.heldUntil,
  createdBy: s.createdBy,
  createdAt: s.createdAt,
  updatedAt: s.updatedAt,
});
export type WebhookRecord = RecordOf<typeof webhookRow>;

/** SQL condition on `subscriptions s`: webhooks of the organization. */
export const belongsToOrganization = (organization: OrganizationId | Parameter<OrganizationId>): SQL =>
  sql`s.organization = ${organization} AND s.kind = 'webhook' AND s.status <> 'ended'`;

export const selectWebhook = prepareQuery(
  webhookRow,
  (select, organization: Parameter<OrganizationId>, id: Parameter<string>) =>
    select.from(s).where(and(eq(s.id, id), belongsToOrganization(organization))),
);

/** @throws ApiError not_found */
export async function findWebhook(db: Database, organization: OrganizationId, id: string): Promise<WebhookRecord> {
  const webhook = await readRow(db, selectWebhook(organization, id));
  if (webhook === undefined) throw notFound('webhook');
  return webhook;
}
