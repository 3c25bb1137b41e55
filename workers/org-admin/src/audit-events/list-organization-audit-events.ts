import { after, computed, decodeCursor, lookThrough, maybe, paginateMatches, readRows, selection } from '@octavo/db';
import type { Handler, HandlerInput } from '@octavo/runtime';
import type { orgAdmin } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import type { OrgAdminEnvironment } from '../environment.ts';
import { eventColumns, eventRow, isAudited, labelled, presentEvent } from './event-record.ts';

type Listing = typeof orgAdmin.listOrganizationAuditEvents;

const listedRow = selection({
  ...eventRow.fields,
  matches: maybe(computed(Boolean, sql`e.matches`)),
  place: maybe(computed(Number, sql`e.place`)),
});

export const listOrganizationAuditEvents: Handler<Listing, OrgAdminEnvironment> = async (
  { query },
  { db, organization, urls },
) => {
  const cursor = decodeCursor(query.page, ['number', 'string']);
  const { from = 0, to = Number.MAX_SAFE_INTEGER, limit } = query;
  // The index is read from here on: it cannot start at a pair of columns where one of them has a bound of its own.
  const latest = Math.min(to, Number(cursor?.[0] ?? to));
  const found = lookThrough({
    columns: eventColumns.getSQL(),
    from: sql`FROM outbox INDEXED BY outbox_audited WHERE organization = ${organization.id} AND ${isAudited}
      AND created_at BETWEEN ${from} AND ${latest} AND ${after(cursor, sql`created_at`, sql`id`)}`,
    order: sql`created_at DESC, id DESC`,
    matches: matchesOf(query),
    limit,
  });
  const rows = await readRows(db, listedRow.query(labelled(listedRow, found)));
  return paginateMatches(rows, limit, {
    item: (event) => presentEvent(event, urls),
    cursorOf: ({ createdAt, id }) => [createdAt, id],
  });
};

function matchesOf({ action, actor, target }: HandlerInput<Listing>['query']): SQL | undefined {
  const wanted = Object.entries({ type: action, actor, target }).flatMap(([column, value]) =>
    value === undefined ? [] : [sql`${sql.identifier(column)} = ${value}`],
  );
  return wanted.length === 0 ? undefined : sql.join(wanted, sql` AND `);
}
