import type { Database } from '@octavo/db';
import {
  changeRequestJoins,
  changeRequestRow,
  changeRequests,
  given,
  lookedAt,
  lookThrough,
  paginateMatches,
  readRows,
  selection,
} from '@octavo/db';
import type { Urls } from '@octavo/runtime';
import { presentChangeRequest } from '@octavo/runtime';
import type { ChangeRequest, List } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import { filtersOf, findRareFilter } from './filters.ts';
import type { Listing } from './listing-source.ts';
import { sourceOf } from './listing-source.ts';

const listedRow = selection({
  changeRequest: changeRequestRow.fields,
  listed: { id: given(changeRequests.id), at: given(changeRequests.createdAt) },
  ...lookedAt,
});
const { listed } = listedRow.names;

/** Pages in the order of an index, and reads as a whole only what is shown. */
export async function listChangeRequests(db: Database, listing: Listing, urls: Urls): Promise<List<ChangeRequest>> {
  const { query, space, sees } = listing;
  const filters = filtersOf(query, listing);
  const rare = await findRareFilter(db, filters);
  const conditions = [
    ...filters.filter((filter) => filter !== rare).map(({ passes }) => passes),
    ...(query.creator === undefined || space === undefined ? [] : [sql`cr.space = ${space}`]),
    ...(sees === undefined ? [] : [sees]),
  ];
  const isFiltered = conditions.length > 0;
  const found = lookThrough({
    columns: sql`listed.id AS ${listed.id}, listed.at AS ${listed.at}`,
    from: sql`FROM (${sourceOf(listing, rare?.ids, isFiltered)}) listed`,
    order: sql`listed.at DESC, listed.id DESC`,
    matches: isFiltered
      ? sql`EXISTS (SELECT 1 FROM change_requests cr WHERE cr.id = ${listed.id} AND ${sql.join(conditions, sql` AND `)})`
      : undefined,
    limit: query.limit,
  });
  const rows = await readRows(
    db,
    listedRow.query(sql`
    SELECT found.*, ${listedRow} FROM (${found}) found
    CROSS JOIN change_requests cr ON cr.id = found.${listed.id} ${changeRequestJoins}
    ORDER BY found.${listed.at} DESC, found.${listed.id} DESC`),
  );
  return paginateMatches(rows, query.limit, {
    item: ({ changeRequest }) => presentChangeRequest(changeRequest, urls),
    cursorOf: ({ listed: { at, id } }) => [at, id],
  });
}
