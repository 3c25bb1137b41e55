import {
  computed,
  decodeCursor,
  isAfterCursor,
  nullable,
  paginateMatches,
  readRow,
  readRows,
  scanRows,
  selection,
} from '@octavo/db';
import type { HandlerInput } from '@octavo/runtime';
import type { AuditEventDetails, orgAdmin } from '@octavo/schema';
import { eventData, notFound, toVisiblePart } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import { handler } from '../handler.ts';
import type { EventRecord } from './queries.ts';
import { eventColumns, eventRow, isAudited, presentEvent, selectWithLabels } from './queries.ts';

type Listing = typeof orgAdmin.listOrganizationAuditEvents;

const listedRow = selection({
  ...eventRow.fields,
  matches: nullable(computed(Boolean, sql`e.matches`)),
  place: nullable(computed(Number, sql`e.place`)),
});

export const listOrganizationAuditEvents = handler(
  'listOrganizationAuditEvents',
  async ({ query }, { db, organization, urls }) => {
    const cursor = decodeCursor(query.page, ['number', 'string']);
    const { from = 0, to = Number.MAX_SAFE_INTEGER, limit } = query;
    // The index scan starts here: the row comparison of the cursor cannot be used when one of its columns has its own
    // bound.
    const latest = Math.min(to, Number(cursor?.[0] ?? to));
    const events = scanRows({
      columns: eventColumns.getSQL(),
      from: sql`FROM outbox INDEXED BY outbox_audited WHERE organization = ${organization.id} AND ${isAudited}
        AND created_at BETWEEN ${from} AND ${latest} AND ${isAfterCursor(cursor, sql`created_at`, sql`id`)}`,
      order: sql`created_at DESC, id DESC`,
      matches: createMatches(query),
      limit,
    });
    const rows = await readRows(db, listedRow.query(selectWithLabels(listedRow, events)));
    return paginateMatches(rows, limit, {
      item: (event) => presentEvent(event, urls),
      getCursor: ({ createdAt, id }) => [createdAt, id],
    });
  },
);

function createMatches({ action, actor, target }: HandlerInput<Listing>['query']): SQL | undefined {
  const matches = Object.entries({ type: action, actor, target }).flatMap(([column, value]) =>
    value === undefined ? [] : [sql`${sql.identifier(column)} = ${value}`],
  );
  return matches.length === 0 ? undefined : sql.join(matches, sql` AND `);
}

export const getOrganizationAuditEvent = handler(
  'getOrganizationAuditEvent',
  async ({ params: { eventId } }, { db, organization, urls }) => {
    const selectEvents = eventRow.query(
      selectWithLabels(
        eventRow,
        sql`SELECT ${eventColumns} FROM outbox
          WHERE id = ${eventId} AND organization = ${organization.id} AND ${isAudited}`,
      ),
    );
    const event = await readRow(db, selectEvents);
    if (event === undefined) throw notFound('audit event');
    return {
      ...presentEvent(event, urls),
      correlationId: event.requestId,
      schemaVersion: 1,
      payload: getPayload(event),
    };
  },
);

/** Returns the fields that the event type declares, limited to ids and words. */
function getPayload({ type, data }: EventRecord): AuditEventDetails['payload'] {
  const schemas: Record<string, { shape: object } | undefined> = eventData;
  const fields = Object.keys(schemas[type]?.shape ?? {});
  return Object.fromEntries(
    fields.flatMap((field): [string, string | string[]][] => {
      const value = data[field];
      if (typeof value === 'string') return [[field, toVisiblePart(field, value)]];
      return Array.isArray(value) ? [[field, value.map(String)]] : [];
    }),
  );
}
