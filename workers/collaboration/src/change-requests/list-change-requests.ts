import type { Database, Row } from '@octavo/db';
import {
  changeRequestColumns,
  changeRequestJoins,
  lookThrough,
  number,
  paginateMatches,
  readChangeRequest,
  text,
} from '@octavo/db';
import type { Urls } from '@octavo/runtime';
import { presentChangeRequest } from '@octavo/runtime';
import type { ChangeRequest, List } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import { filtersOf, findRareFilter } from './filters.ts';
import type { Listing } from './listing-source.ts';
import { sourceOf } from './listing-source.ts';

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
    columns: sql`listed.id AS listed_id, listed.at AS listed_at`,
    from: sql`FROM (${sourceOf(listing, rare?.ids, isFiltered)}) listed`,
    order: sql`listed.at DESC, listed.id DESC`,
    matches: isFiltered
      ? sql`EXISTS (SELECT 1 FROM change_requests cr WHERE cr.id = listed_id AND ${sql.join(conditions, sql` AND `)})`
      : undefined,
    limit: query.limit,
  });
  const rows = await db.all<Row>(sql`
    SELECT found.*, ${changeRequestColumns} FROM (${found}) found
    CROSS JOIN change_requests cr ON cr.id = found.listed_id ${changeRequestJoins}
    ORDER BY found.listed_at DESC, found.listed_id DESC`);
  return paginateMatches(rows, query.limit, {
    item: (row) => present(row, urls),
    cursorOf: (row) => [number(row, 'listed_at'), text(row, 'listed_id')],
  });
}

function present(row: Row, urls: Urls): ChangeRequest {
  const record = readChangeRequest(row);
  if (record === undefined) throw new TypeError('A row holds no change request.');
  return presentChangeRequest(record, urls);
}
