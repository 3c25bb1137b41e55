import { computed, decodeCursor, lookThrough, maybe, paginateMatches, readRows, selection } from '@octavo/db';
import type { Handler, HandlerInput } from '@octavo/runtime';
import type { integrations } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import type { IntegrationsEnvironment } from '../environment.ts';
import { findWebhook } from '../webhooks/find-webhook.ts';
import { deliveryRow, presentDelivery } from './delivery-record.ts';

type Listing = typeof integrations.listWebhookDeliveries;

const listedRow = selection({
  ...deliveryRow.fields,
  matches: maybe(computed(Boolean, sql`d.matches`)),
  place: maybe(computed(Number, sql`d.place`)),
});

export const listWebhookDeliveries: Handler<Listing, IntegrationsEnvironment> = async (
  { params: { webhookId }, query },
  { db, organization, urls },
) => {
  const cursor = decodeCursor(query.page, ['number']);
  const webhook = await findWebhook(db, organization.id, webhookId);
  const found = lookThrough({
    columns: sql`*`,
    from: sql`FROM deliveries WHERE subscription = ${webhook.id}
      AND seq < ${cursor?.[0] ?? Number.MAX_SAFE_INTEGER}`,
    order: sql`seq DESC`,
    matches: matchesOf(query),
    limit: query.limit,
  });
  const rows = await readRows(db, listedRow.query(sql`SELECT ${listedRow} FROM (${found}) d ORDER BY d.seq DESC`));
  return paginateMatches(rows, query.limit, {
    item: (record) => presentDelivery(record, { urls, organization: organization.id }),
    cursorOf: ({ seq }) => [seq],
  });
};

function matchesOf({ status, type }: HandlerInput<Listing>['query']): SQL | undefined {
  const wanted = Object.entries({ status, type }).flatMap(([column, value]) =>
    value === undefined ? [] : [sql`${sql.identifier(column)} = ${value}`],
  );
  return wanted.length === 0 ? undefined : sql.join(wanted, sql` AND `);
}
