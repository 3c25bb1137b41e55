import type { CallerRecord, Cursor, Database, Query, RecordOf } from '@octavo/db';
import {
  after,
  bytesOf,
  decodeCursor,
  fitted,
  fittingAt,
  givenOfFitted,
  integrationRow,
  lookThrough,
  maxLookedThrough,
  organizationNamed,
  paginateMatches,
  readRows,
  selection,
  shownIntegrationRow,
} from '@octavo/db';
import type { Urls } from '@octavo/runtime';
import type { Integration, IntegrationFilters, List } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import { filteredColumns, matchesOf } from './filters.ts';
import { presentIntegration } from './present-integration.ts';
import { counted, joinOwner, shownBy, withPlaces } from './shown-integrations.ts';

const listedRow = selection({ ...shownIntegrationRow.fields, ...fittingAt });
type ListedRecord = RecordOf<typeof listedRow>;

interface Listing {
  db: Database;
  actor: CallerRecord;
  urls: Urls;
}

interface Reading {
  cursor: Cursor | undefined;
  /** What the list keeps. */
  matches: SQL | undefined;
  limit: number;
}

/**
 * A page of the public integrations and of those that are not but are of these organizations, the newest first. Each of the
 * two is read by an index of its own, so that what others keep private costs nothing and shows in no figure.
 *
 * @param own selects the ids of organizations, as `organization`
 */
export async function findListed(
  { db, actor, urls }: Listing,
  { page, limit, owner, ...filters }: IntegrationFilters,
  own: SQL,
): Promise<List<Integration>> {
  const cursor = decodeCursor(page, ['number', 'string']);
  const reading = { cursor, matches: matchesOf(filters), limit };
  const byOwner = sql`integrations i INDEXED BY integrations_of_organization`;
  const owned = owner === undefined ? undefined : sql`${await organizationNamed(db, owner)}`;
  const shared = owned === undefined ? sql`integrations i INDEXED BY integrations_public` : byOwner;
  const ofOwn = owned === undefined ? own : sql`SELECT x.organization FROM (${own}) x WHERE x.organization = ${owned}`;
  const found = sql`SELECT * FROM (${keysFrom(
    sql`${shared} WHERE i.visibility = 'public' AND ${owned === undefined ? sql`1` : sql`i.organization = ${owned}`}`,
    reading,
  )}) UNION ALL SELECT * FROM (${keysFrom(
    sql`${byOwner} WHERE i.organization IN (${ofOwn}) AND i.visibility IN ('private', 'unlisted')`,
    reading,
  )}) ORDER BY created_at DESC, name DESC LIMIT ${limit + 1}`;
  return pageOf(await readRows(db, listed(found, actor)), limit, { actor, urls });
}

/** One after the other by the index, as far as a page goes. */
const keysFrom = (from: SQL, { cursor, matches, limit }: Reading): SQL => sql`
  SELECT l.name, l.created_at, l.matches, l.place, l.size FROM (${lookThrough({
    columns: sql`${filteredColumns}, ${bytesOf(integrationRow.fields)} AS size`,
    from: sql`FROM ${from} AND i.unpublished_at IS NULL AND ${after(cursor, sql`i.created_at`, sql`i.name`)}`,
    order: sql`i.created_at DESC, i.name DESC`,
    matches,
    limit,
  })}) l`;

/** What is found and fits, with all that is shown of it. */
const listed = (found: SQL, actor: CallerRecord): Query<ListedRecord> =>
  listedRow.query(sql`${withPlaces(actor)}
    SELECT ${listedRow.with({ ...shownBy(actor), ...givenOfFitted })}
    FROM (${fitted({ found, order: sql`f.created_at DESC, f.name DESC` })}) l
    CROSS JOIN integrations i ON i.name = l.name ${joinOwner(actor)}
    ORDER BY l.created_at DESC, l.name DESC`);

/** Where one of the two was looked through no further, nothing can be told beyond that. */
function pageOf(
  rows: ListedRecord[],
  limit: number,
  { actor, urls }: Pick<Listing, 'actor' | 'urls'>,
): List<Integration> {
  const end = rows.findIndex(({ place }) => place === maxLookedThrough);
  return paginateMatches(end === -1 ? rows : rows.slice(0, end + 1), limit, {
    item: (row) => presentIntegration(counted(actor, row), urls),
    cursorOf: ({ integration: { createdAt, name } }) => [createdAt, name],
  });
}
