import type { Database } from '@octavo/db';
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
  readRow,
  readRows,
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

export const listChangeRequestsForSpace = handler('listChangeRequestsForSpace', ({ query }, { db, space, urls }) =>
  listChangeRequests(db, { organization: space.organization, space: space.id, statuses: [query.status], query }, urls),
);

/** Lists the change requests of live spaces that the caller may open. */
export const listChangeRequestsForOrganization = handler(
  'listChangeRequestsForOrganization',
  ({ query }, { db, organization: { id: organization }, membership, actor, urls }) => {
    const member = toListingMember(actor.id, membership.role);
    return listChangeRequests(
      db,
      {
        organization,
        space: query.space,
        statuses: [...new Set(query.status)],
        query,
        sees: sql`EXISTS (SELECT 1 FROM spaces s WHERE s.id = cr.space AND s.organization = ${organization}
          AND s.deleted_at IS NULL AND ${selectSpaceRank(member)} > 0)`,
        guestSpaces: member.isGuest ? selectVisibleToGuest(sql`${organization}`, member) : undefined,
      },
      urls,
    );
  },
);

const listedRow = selection({
  changeRequest: changeRequestRow.fields,
  listed: { id: fromQuery(changeRequests.id), at: fromQuery(changeRequests.createdAt) },
  ...scanFields,
});
const { listed } = listedRow.names;

/** Selects the items of the page in index order, and then reads full rows only for these items. */
async function listChangeRequests(db: Database, listing: Listing, urls: Urls): Promise<List<ChangeRequest>> {
  const { query, space, sees } = listing;
  const filters = toFilters(query, listing);
  const rare = await findRareFilter(db, filters);
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
  const rows = await readRows(
    db,
    listedRow.query(sql`
      SELECT found.*, ${listedRow} FROM (${result}) found
      CROSS JOIN change_requests cr ON cr.id = found.${listed.id} ${changeRequestJoins}
      ORDER BY found.${listed.at} DESC, found.${listed.id} DESC`),
  );
  return paginateMatches(rows, query.limit, {
    item: ({ changeRequest }) => presentChangeRequest(changeRequest, urls),
    getCursor: ({ listed: { at, id } }) => [at, id],
  });
}

/** A filter by user: a condition on `change_requests cr`, and a query for the ids of all matches. */
interface Filter {
  passes: SQL;
  ids: SQL;
}

/** Users who edited or commented on the change request. */
const filterByContributor = (user: UserId, space: SpaceId | undefined): Filter => ({
  passes: sql`EXISTS (SELECT 1 FROM contributors c
    WHERE c.branch = cr.id AND c.action IN ('edit', 'comment') AND c.user = ${user})`,
  ids: sql`SELECT c.branch AS id FROM contributors c WHERE c.user = ${user}
    AND ${space === undefined ? sql`1` : sql`c.space = ${space}`}`,
});

/** Users who are asked for a review, by name or as members of a team. */
const filterByRequestedReviewer = (user: UserId, organization: OrganizationId): Filter => ({
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
  { organization, space }: { organization: OrganizationId; space: SpaceId | undefined },
): Filter[] => [
  ...(requestedReviewer === undefined ? [] : [filterByRequestedReviewer(requestedReviewer, organization)]),
  ...(contributor === undefined ? [] : [filterByContributor(contributor, space)]),
];

/** A filter with more matches than this is applied while the list is read in its own order. */
const fewIds = 200;

const countsRow = selection({ counts: fromQuery(fromJson<number[]>()) });

/** Finds the first filter with few enough matches to start the list from them. */
async function findRareFilter(db: Database, filters: Filter[]): Promise<Filter | undefined> {
  if (filters.length === 0) return undefined;
  const counts = filters.map(({ ids }) => sql`(SELECT COUNT(*) FROM (${ids} LIMIT ${fewIds + 1}))`);
  const row = await readRow(db, countsRow.query(sql`SELECT json_array(${sql.join(counts, sql`, `)}) AS counts`));
  return filters.find((_, index) => (row?.counts[index] ?? 0) <= fewIds);
}

interface Listing {
  organization: OrganizationId;
  /** Undefined for all spaces of the organization. */
  space: SpaceId | undefined;
  statuses: ChangeRequestStatus[];
  query: PageQuery & ChangeRequestFilters;
  /**
   * A condition on `change_requests cr` that selects the change requests the caller may see; undefined if the caller
   * may see all of them.
   */
  sees?: SQL;
  /**
   * Query for the ids of the spaces that a guest may see: their change requests are read instead of the whole
   * organization's.
   */
  guestSpaces?: SQL | undefined;
}

/** The leading columns of an index of change requests; status, time and id follow. */
interface Scope {
  indexes: Record<ChangeRequestFilters['orderBy'], string>;
  where: SQL;
}

const toCreatorScope = (creator: string, organization: OrganizationId): Scope => ({
  indexes: { createdAt: 'change_requests_of_creator', updatedAt: 'change_requests_of_creator_by_update' },
  where: sql`cr.created_by = ${creator} AND cr.organization = ${organization}`,
});

const toSpaceScope = (space: SQL): Scope => ({
  indexes: { createdAt: 'change_requests_by_status', updatedAt: 'change_requests_by_update' },
  where: sql`cr.space = ${space}`,
});

const toOrganizationScope = (organization: OrganizationId): Scope => ({
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
  /** Condition of the cursor. */
  next: SQL;
  /** Maximum number of rows that the list reads. */
  last: number;
}

/** Selects the candidate rows of a list as `id` and `orderColumn`, the time that orders them. */
function selectCandidates(listing: Listing, rareIds: SQL | undefined, isFiltered: boolean): SQL {
  const { organization, space, query, guestSpaces } = listing;
  const orderColumn = sql.raw(query.orderBy === 'createdAt' ? 'cr.created_at' : 'cr.updated_at');
  const next = isAfterCursor(decodeCursor(query.page, ['number', 'string']), orderColumn, sql`cr.id`);
  const ordered = { listing, orderColumn, next, last: isFiltered ? maxRowsScanned : query.limit + 1 };
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
  return parts.length === 1 ? merged : sql`${merged} ORDER BY 2 DESC, 1 DESC LIMIT ${ordered.last}`;
}

/** Reads from each space at most as many rows as the whole list reads. */
function selectInEachSpace(spaces: SQL, ordered: Ordered): SQL {
  const part = selectByStatus(toSpaceScope(sql`reached.id`), sql`status.value`, ordered);
  return sql`SELECT cr.id, ${ordered.orderColumn} AS at FROM (${spaces}) reached
    CROSS JOIN json_each(${JSON.stringify(ordered.listing.statuses)}) status
    CROSS JOIN change_requests cr ON cr.id IN (SELECT id FROM (${part} ORDER BY 2 DESC, 1 DESC LIMIT ${ordered.last}))`;
}
