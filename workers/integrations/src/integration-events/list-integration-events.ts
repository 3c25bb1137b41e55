import {
  after,
  bytesOf,
  decodeCursor,
  fitted,
  fittingAt,
  givenOfFitted,
  lookThrough,
  paginateMatches,
  readRows,
  selection,
} from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { integrations } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { IntegrationsEnvironment } from '../environment.ts';
import { loggedRow, presentLogged } from './logged-event.ts';

const listedRow = selection({ ...loggedRow.fields, ...fittingAt });

export const listIntegrationEvents: Handler<
  typeof integrations.listIntegrationEvents,
  IntegrationsEnvironment
> = async ({ query: { page, limit } }, { db, integration: { integration } }) => {
  const cursor = decodeCursor(page, ['number', 'string']);
  const keys = fitted({
    found: lookThrough({
      columns: sql`e.id, e.created_at, ${bytesOf(loggedRow.fields)} AS size`,
      from: sql`FROM integration_events e INDEXED BY integration_events_of_integration
        WHERE e.integration = ${integration.name} AND e.organization = ${integration.organization}
          AND ${after(cursor, sql`e.created_at`, sql`e.id`)}`,
      order: sql`e.created_at DESC, e.id DESC`,
      matches: undefined,
      limit,
    }),
    order: sql`f.created_at DESC, f.id DESC`,
  });
  const listed = listedRow.query(sql`SELECT ${listedRow.with(givenOfFitted)} FROM (${keys}) l
    CROSS JOIN integration_events e ON e.id = l.id ORDER BY l.created_at DESC, l.id DESC`);
  return paginateMatches(await readRows(db, listed), limit, {
    item: presentLogged,
    cursorOf: ({ createdAt, id }) => [createdAt, id],
  });
};
