import type { CallerRecord, ListingMember } from '@octavo/db';
import {
  after,
  contains,
  decodeCursor,
  listingMember,
  lookedAt,
  lookThrough,
  paginateMatches,
  reachedByGuest,
  reachesSite,
  readRows,
  selection,
  siteRow,
  spaceRank,
} from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import { presentSite } from '@octavo/runtime';
import type { OrganizationId, publishing, QueryOf } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import type { PublishingEnvironment } from '../environment.ts';

type Endpoint = typeof publishing.listSites;

const listedRow = selection({ site: siteRow.fields, ...lookedAt });

export const listSites: Handler<Endpoint, PublishingEnvironment> = async (
  { query },
  { db, organization, membership, actor, urls },
) => {
  const { page, limit, title } = query;
  const cursor = decodeCursor(page, ['number', 'string']);
  const member = listingMember(actor.id, membership.role);
  const found = lookThrough({
    columns: sql`${listedRow}`,
    from: sql`FROM sites st CROSS JOIN organizations o ON o.id = st.organization
      WHERE st.organization = ${organization.id} AND ${after(cursor, sql`st.created_at`, sql`st.id`)}
        AND ${sql.join([...filtersOf(query), ...seenBy(member, organization.id, actor)], sql` AND `)}`,
    order: sql`st.created_at DESC, st.id DESC`,
    matches: title ? contains([listedRow.names.site.title], title) : undefined,
    limit,
  });
  return paginateMatches(await readRows(db, listedRow.query(found)), limit, {
    item: ({ site }) => presentSite(site, urls),
    cursorOf: ({ site }) => [site.createdAt, site.id],
  });
};

const filtersOf = ({ space, published, type }: QueryOf<Endpoint>): SQL[] => [
  published === undefined ? sql`1` : sql`st.published = ${published ? 1 : 0}`,
  ...(type === undefined ? [] : [sql`st.type IN (SELECT value FROM json_each(${JSON.stringify(type)}))`]),
  ...(space === undefined
    ? []
    : [sql`EXISTS (SELECT 1 FROM site_spaces ss WHERE ss.space = ${space} AND ss.site = st.id)`]),
];

/** A guest sees the sites that show a space which the guest sees, an installation those that it is for. */
const seenBy = (member: ListingMember, organization: OrganizationId, { installation }: CallerRecord): SQL[] => {
  if (installation !== null)
    return [sql`EXISTS (SELECT 1 FROM installations i WHERE i.id = ${installation} AND ${reachesSite})`];
  return member.isGuest
    ? [
        sql`st.id IN (SELECT ss.site FROM (${reachedByGuest(sql`${organization}`, member)}) reached
          CROSS JOIN site_spaces ss INDEXED BY site_spaces_by_space ON ss.space = reached.id
          CROSS JOIN spaces s ON s.id = ss.space AND s.organization = ${organization} AND s.deleted_at IS NULL
          WHERE ${spaceRank(member)} > 0)`,
      ]
    : [];
};
