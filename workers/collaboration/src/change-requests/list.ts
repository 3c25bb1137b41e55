import type { Database, Lookup, RowsOf } from '@octavo/db';
import {
  changeRequestJoins,
  changeRequestRow,
  changeRequests,
  decodeCursor,
  fromJson,
  fromQuery,
  isAfterCursor,
  maxRowsScanned,
  paginateMatches,
  readRows,
  runBatch,
  scanFields,
  scanRows,
  selection,
  selectSpaceRank,
  selectVisibleToGuest,
  toListingMember,
} from '@octavo/db';
import type { Urls } from '@octavo/runtime';
import { presentChangeRequest } from '@octavo/runtime';
import type {
  ChangeRequest,
  ChangeRequestFilters,
  ChangeRequestStatus,
  List,
  OrganizationId,
  PageQuery,
  SpaceId,
  UserId,
} from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import { handler } from '../handler.ts';

/** With a filter by user, the list takes another round trip. */
export const listChangeRequestsForSpace = handler('listChangeRequestsForSpace', {
  reads: ({ query }, { organization, branch }) =>
    selectFirst({ organization, space: branch, statuses: [query.status], query }),
  handle: ({ query }, { db, space, urls }, rows) =>
    listChangeRequests(
      { organization: space.organization, space: space.id, statuses: [query.status], query },
      { db, urls, rows },
    ),
});

/** Lists the change requests of live spaces that the caller may open. */
export const listChangeRequestsForOrganization = handler(
  'listChangeRequestsForOrganization',
  async ({ query }, { db, organization: { id: organization }, membership, actor, urls }) => {
    const member = toListingMember(actor.id, membership.role);
    const listing = {
      organization,
      space: query.space,
      statuses: [...new Set(query.status)],
      query,
      sees: sql`EXISTS (SELECT 1 FROM spaces s WHERE s.id = cr.space AND s.organization = ${organization}
        AND s.deleted_at IS NULL AND ${selectSpaceRank(member)} > 0)`,
      guestSpaces: member.isGuest ? selectVisibleToGuest(sql`${organization}`, member) : undefined,
    };
    return listChangeRequests(listing, { db, urls, rows: await runBatch(db, selectFirst(listing)) });
  },
);

const listedRow = selection({
  changeRequest: changeRequestRow.fields,
  listed: { id: fromQuery(changeRequests.id), at: fromQuery(changeRequests.createdAt) },
  ...scanFields,
});
const { listed } = listedRow.names;

/** Returns the first queries of a list: the list itself or, if it is filtered by user, the number of matches. */
function selectFirst(listing: Listing) {
  const filters = toFilters(listing.query, listing);
  return filters.length === 0
    ? { counts: [], list: selectChangeRequests(listing, filters, undefined) }
    : { counts: countMatches(filters), list: [] };
}

interface ListReading {
  db: Database;
  urls: Urls;
  rows: RowsOf<ReturnType<typeof selectFirst>>;
}

async function listChangeRequests(listing: Listing, { db, urls, rows }: ListReading): Promise<List<ChangeRequest>> {
  const filters = toFilters(listing.query, listing);
  const rare = filters.find((_, index) => (rows.counts[0]?.counts[index] ?? 0) <= maxRareIds);
  const list = filters.length === 0 ? rows.list : await readRows(db, selectChangeRequests(listing, filters, rare));
  return paginateMatches(list, listing.query.limit, {
    item: ({ changeRequest }) => presentChangeRequest(changeRequest, urls),
    getCursor: ({ listed: { at, id } }) => [at, id],
  });
}

/**
 * Selects the items of the page in index order, and then reads full rows only for these items. `rare` is a filter with
 * so few matches that the query starts from them.
 */
function selectChangeRequests(listing: Listing, filters: Filter[], rare: Filter | undefined) {
  const { query, space, sees } = listing;
  const conditions = [
    ...filters.filter((filter) => filter !== rare).map(({ passes }) => passes),
    ...(query.creator === undefined || space === undefined ? [] : [sql`cr.space = ${space}`]),
    ...(sees === undefined ? [] : [sees]),
  ];
  const isFiltered = conditions.length > 0;
  const result = scanRows({
    columns: sql`listed.id AS ${listed.id}, listed.at AS ${listed.at}`,
    from: sql`FROM (${selectCandidates(listing, rare?.ids, isFiltered)}) listed`,
    order: sql`listed.at DESC, listed.id DESC`,
    matches: isFiltered
      ? sql`EXISTS (SELECT 1 FROM change_requests cr WHERE cr.id = ${listed.id} AND ${sql.join(conditions, sql` AND `)})`
      : undefined,
    limit: query.limit,
  });
  return listedRow.query(sql`
    SELECT found.*, ${listedRow} FROM (${result}) found
    CROSS JOIN change_requests cr ON cr.id = found.${listed.id} ${changeRequestJoins}
    ORDER BY found.${listed.at} DESC, found.${listed.id} DESC`);
}

/** A filter by user: a condition on `change_requests cr`, and a query for the ids of all matches. */
interface Filter {
  passes: SQL;
  ids: SQL;
}

/** Users who edited or commented on the change request. */
const filterByContributor = (user: UserId, space: Listing['space']): Filter => ({
  passes: sql`EXISTS (SELECT 1 FROM contributors c
    WHERE c.branch = cr.id AND c.action IN ('edit', 'comment') AND c.user = ${user})`,
  ids: sql`SELECT c.branch AS id FROM contributors c WHERE c.user = ${user}
    AND ${space === undefined ? sql`1` : sql`c.space = ${space}`}`,
});

/** Users who are asked for a review, by name or as members of a team. */
const filterByRequestedReviewer = (user: UserId, organization: Listing['organization']): Filter => ({
  passes: sql`(
    EXISTS (SELECT 1 FROM requested_reviewers q
      WHERE q.change_request = cr.id AND q.kind = 'user' AND q.subject = ${user} AND q.organization = ${organization})
    OR EXISTS (SELECT 1 FROM requested_reviewers q CROSS JOIN team_members tm ON tm.team = q.subject AND tm.user = ${user}
      WHERE q.change_request = cr.id AND q.kind = 'team' AND q.organization = ${organization}))`,
  ids: sql`SELECT q.change_request AS id FROM requested_reviewers q
    WHERE q.organization = ${organization} AND (q.subject, q.kind) IN (SELECT ${user}, 'user'
      UNION ALL SELECT tm.team, 'team' FROM team_members tm WHERE tm.user = ${user} AND tm.organization = ${organization})`,
});

const toFilters = (
  { contributor, requestedReviewer }: ChangeRequestFilters,
  { organization, space }: Pick<Listing, 'organization' | 'space'>,
): Filter[] => [
  ...(requestedReviewer === undefined ? [] : [filterByRequestedReviewer(requestedReviewer, organization)]),
  ...(contributor === undefined ? [] : [filterByContributor(contributor, space)]),
];

/**
 * Maximum number of matches of a filter from which a list starts. A filter with more matches is applied while the list
 * is read in its own order.
 */
const maxRareIds = 200;

const countsRow = selection({ counts: fromQuery(fromJson<number[]>()) });

/** Counts the matches of each filter, up to one more than `maxRareIds`. */
function countMatches(filters: Filter[]) {
  const counts = filters.map(({ ids }) => sql`(SELECT COUNT(*) FROM (${ids} LIMIT ${maxRareIds + 1}))`);
  return countsRow.query(sql`SELECT json_array(${sql.join(counts, sql`, `)}) AS counts`);
}

interface Listing {
  organization: OrganizationId | Lookup<OrganizationId>;
  /** The space whose change requests are listed; undefined for all spaces of the organization. */
  space: SpaceId | Lookup<SpaceId> | undefined;
  statuses: ChangeRequestStatus[];
  query: PageQuery & ChangeRequestFilters;
  /**
   * A condition on `change_requests cr` that selects the change requests the caller may see; undefined if the caller
   * may see all of them.
   */
  sees?: SQL;
  /**
   * Query for the ids of the spaces that a guest may see. A guest sees the change requests of these spaces, not those
   * of the whole organization.
   */
  guestSpaces?: SQL | undefined;
}

/** The leading columns of an index of change requests; status, time and id follow. */
interface Scope {
  indexes: Record<ChangeRequestFilters['orderBy'], string>;
  where: SQL;
}

const toCreatorScope = (creator: string, organization: Listing['organization']): Scope => ({
  indexes: { createdAt: 'change_requests_of_creator', updatedAt: 'change_requests_of_creator_by_update' },
  where: sql`cr.created_by = ${creator} AND cr.organization = ${organization}`,
});

const toSpaceScope = (space: SQL): Scope => ({
  indexes: { createdAt: 'change_requests_by_status', updatedAt: 'change_requests_by_update' },
  where: sql`cr.space = ${space}`,
});

const toOrganizationScope = (organization: Listing['organization']): Scope => ({
  indexes: {
    createdAt: 'change_requests_of_organization',
    updatedAt: 'change_requests_of_organization_by_update',
  },
  where: sql`cr.organization = ${organization}`,
});

interface Ordered {
  listing: Listing;
  /** The time column of `change_requests cr` that orders the list. */
  orderColumn: SQL;
  /** The SQL condition for rows after the cursor. */
  next: SQL;
  /** Maximum number of rows that the list reads. */
  maxRows: number;
}

/** Selects the candidate rows of a list as `id` and `orderColumn`, the time that orders them. */
function selectCandidates(listing: Listing, rareIds: SQL | undefined, isFiltered: boolean): SQL {
  const { organization, space, query, guestSpaces } = listing;
  const orderColumn = sql.raw(query.orderBy === 'createdAt' ? 'cr.created_at' : 'cr.updated_at');
  const next = isAfterCursor(decodeCursor(query.page, ['number', 'string']), orderColumn, sql`cr.id`);
  const ordered = { listing, orderColumn, next, maxRows: isFiltered ? maxRowsScanned : query.limit + 1 };
  if (rareIds !== undefined) return selectAmongIds(rareIds, ordered);
  if (query.creator !== undefined) return selectByIndex(toCreatorScope(query.creator, organization), ordered);
  if (space !== undefined) return selectByIndex(toSpaceScope(sql`${space}`), ordered);
  if (guestSpaces !== undefined) return selectInEachSpace(guestSpaces, ordered);
  return selectByIndex(toOrganizationScope(organization), ordered);
}

function selectAmongIds(ids: SQL, { listing, orderColumn, next }: Ordered): SQL {
  const { organization, space, statuses, query } = listing;
  return sql`SELECT cr.id, ${orderColumn} AS at FROM (SELECT DISTINCT id FROM (${ids})) rare
    CROSS JOIN change_requests cr ON cr.id = rare.id
    WHERE cr.organization = ${organization} AND ${next}
      AND ${space === undefined ? sql`1` : sql`cr.space = ${space}`}
      AND ${query.creator === undefined ? sql`1` : sql`cr.created_by = ${query.creator}`}
      AND cr.status IN (SELECT value FROM json_each(${JSON.stringify(statuses)}))`;
}

const selectByStatus = ({ indexes, where }: Scope, status: SQL, { listing, orderColumn, next }: Ordered): SQL => sql`
  SELECT cr.id, ${orderColumn} AS at FROM change_requests cr INDEXED BY ${sql.raw(indexes[listing.query.orderBy])}
  WHERE ${where} AND cr.status = ${status} AND ${next}`;

/** The index is sorted by status first, so several statuses are merged. */
function selectByIndex(scope: Scope, ordered: Ordered): SQL {
  const parts = ordered.listing.statuses.map((status) => selectByStatus(scope, sql`${status}`, ordered));
  const merged = sql.join(parts, sql` UNION ALL `);
  return parts.length === 1 ? merged : sql`${merged} ORDER BY 2 DESC, 1 DESC LIMIT ${ordered.maxRows}`;
}

/** Selects from each space at most as many change requests as the whole list contains. */
function selectInEachSpace(spaces: SQL, ordered: Ordered): SQL {
  const part = selectByStatus(toSpaceScope(sql`reached.id`), sql`status.value`, ordered);
  return sql`SELECT cr.id, ${ordered.orderColumn} AS at FROM (${spaces}) reached
    CROSS JOIN json_each(${JSON.stringify(ordered.listing.statuses)}) status
    CROSS JOIN change_requests cr ON cr.id IN (SELECT id FROM (${part} ORDER BY 2 DESC, 1 DESC LIMIT ${ordered.maxRows}))`;
}
