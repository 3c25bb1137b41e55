import { after, decodeCursor, maxLookedThrough } from '@octavo/db';
import type { ChangeRequestFilters, ChangeRequestStatus, OrganizationId, PageQuery, SpaceId } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';

export interface Listing {
  organization: OrganizationId;
  /** Left out: all spaces of the organization. */
  space: SpaceId | undefined;
  statuses: ChangeRequestStatus[];
  query: PageQuery & ChangeRequestFilters;
  /** Whether the caller sees `change_requests cr`; left out where the caller sees all that are listed. */
  sees?: SQL;
  /** The ids of the spaces that a guest may see: their change requests are looked through, not the organization's. */
  reached?: SQL | undefined;
}

/** What an index of change requests begins with; all go on with status, time and id. */
interface Scope {
  indexes: Record<ChangeRequestFilters['orderBy'], string>;
  where: SQL;
}

const ofCreator = (creator: string, organization: OrganizationId): Scope => ({
  indexes: { createdAt: 'change_requests_of_creator', updatedAt: 'change_requests_of_creator_by_update' },
  where: sql`cr.created_by = ${creator} AND cr.organization = ${organization}`,
});

const ofSpace = (space: SQL): Scope => ({
  indexes: { createdAt: 'change_requests_by_status', updatedAt: 'change_requests_by_update' },
  where: sql`cr.space = ${space}`,
});

const ofOrganization = (organization: OrganizationId): Scope => ({
  indexes: {
    createdAt: 'change_requests_of_organization',
    updatedAt: 'change_requests_of_organization_by_update',
  },
  where: sql`cr.organization = ${organization}`,
});

interface Ordered {
  listing: Listing;
  /** The time that orders the list, of `change_requests cr`. */
  at: SQL;
  /** The condition of the cursor. */
  next: SQL;
  /** The most rows that the list takes. */
  last: number;
}

/** The rows that a list looks through, as `id` and `at`, the time that orders them. */
export function sourceOf(listing: Listing, rareIds: SQL | undefined, isFiltered: boolean): SQL {
  const { organization, space, query, reached } = listing;
  const at = sql.raw(query.orderBy === 'createdAt' ? 'cr.created_at' : 'cr.updated_at');
  const next = after(decodeCursor(query.page, ['number', 'string']), at, sql`cr.id`);
  const ordered = { listing, at, next, last: isFiltered ? maxLookedThrough : query.limit + 1 };
  if (rareIds !== undefined) return amongIds(rareIds, ordered);
  if (query.creator !== undefined) return byIndex(ofCreator(query.creator, organization), ordered);
  if (space !== undefined) return byIndex(ofSpace(sql`${space}`), ordered);
  if (reached !== undefined) return inEach(reached, ordered);
  return byIndex(ofOrganization(organization), ordered);
}

function amongIds(ids: SQL, { listing, at, next }: Ordered): SQL {
  const { organization, space, statuses, query } = listing;
  return sql`SELECT cr.id, ${at} AS at FROM (SELECT DISTINCT id FROM (${ids})) rare
    CROSS JOIN change_requests cr ON cr.id = rare.id
    WHERE cr.organization = ${organization} AND ${next}
      AND ${space === undefined ? sql`1` : sql`cr.space = ${space}`}
      AND ${query.creator === undefined ? sql`1` : sql`cr.created_by = ${query.creator}`}
      AND cr.status IN (SELECT value FROM json_each(${JSON.stringify(statuses)}))`;
}

const ofStatus = ({ indexes, where }: Scope, status: SQL, { listing, at, next }: Ordered): SQL => sql`
  SELECT cr.id, ${at} AS at FROM change_requests cr INDEXED BY ${sql.raw(indexes[listing.query.orderBy])}
  WHERE ${where} AND cr.status = ${status} AND ${next}`;

/** An index holds one status after the other: several are merged. */
function byIndex(scope: Scope, ordered: Ordered): SQL {
  const parts = ordered.listing.statuses.map((status) => ofStatus(scope, sql`${status}`, ordered));
  const merged = sql.join(parts, sql` UNION ALL `);
  return parts.length === 1 ? merged : sql`${merged} ORDER BY 2 DESC, 1 DESC LIMIT ${ordered.last}`;
}

/** No more of each space than the list takes of all. */
function inEach(spaces: SQL, ordered: Ordered): SQL {
  const part = ofStatus(ofSpace(sql`reached.id`), sql`status.value`, ordered);
  return sql`SELECT cr.id, ${ordered.at} AS at FROM (${spaces}) reached
    CROSS JOIN json_each(${JSON.stringify(ordered.listing.statuses)}) status
    CROSS JOIN change_requests cr ON cr.id IN (SELECT id FROM (${part} ORDER BY 2 DESC, 1 DESC LIMIT ${ordered.last}))`;
}
