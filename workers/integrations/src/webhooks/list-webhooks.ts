import { after, decodeCursor, paginate, readRows } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { integrations } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { IntegrationsEnvironment } from '../environment.ts';
import { isWebhookOf, presentWebhook, webhookRow } from './webhook-record.ts';

export const listWebhooks: Handler<typeof integrations.listWebhooks, IntegrationsEnvironment> = async (
  { query: { page, limit } },
  { db, organization, urls },
) => {
  const cursor = decodeCursor(page, ['number', 'string']);
  const webhooks = webhookRow.query(sql`
    SELECT ${webhookRow} FROM subscriptions s INDEXED BY subscriptions_of_organization
    WHERE ${isWebhookOf(organization.id)} AND ${after(cursor, sql`s.created_at`, sql`s.id`)}
    ORDER BY s.created_at DESC, s.id DESC LIMIT ${limit + 1}`);
  return paginate(await readRows(db, webhooks), limit, {
    item: (record) => presentWebhook(record, urls),
    cursorOf: ({ createdAt, id }) => [createdAt, id],
  });
};
