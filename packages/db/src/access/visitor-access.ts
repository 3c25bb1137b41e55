import type { OrganizationId, RevisionId, SiteId, SpaceId, VisitorToken } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { aliasedTable, sql } from 'drizzle-orm';
import type { Database } from '../connect.ts';
import { prepareStatement, readRow, runBatch } from '../query.ts';
import type { RecordOf } from '../selection.ts';
import { computed, fromQuery, nullable, selection } from '../selection.ts';
import type { SpaceRecord } from '../statements/records.ts';
import { createPointFields, spaceJoins, spaceRow } from '../statements/records.ts';
import type { SiteRecord, SpaceLocation } from '../statements/sites.ts';
import { locationsInSite, parseLocations, siteRow } from '../statements/sites.ts';
import { revisions } from '../tables/content.ts';
import { organizations } from '../tables/org-admin.ts';
import { sites } from '../tables/publishing.ts';
import { selectPreviewAccess, toSpaceAccess } from './access.ts';
import type { SpacePath } from './expressions.ts';
import { selectIfComplete } from './expressions.ts';

const st = aliasedTable(sites, 'st');

/**
 * Time for which visitors can still read earlier live content, because they may have started reading before a change.
 */
const formerRevisionMilliseconds = 60 * 60_000;

interface TokenValues {
  site: SQL<SiteId>;
  organization: SQL<string>;
  stamp: SQL<string>;
  shareLink: SQL<string | null>;
  isPreview: SQL<number>;
}

/**
 * Returns the SQL condition that `sites st` is the site for which the token was issued, and that the visitor still has
 * access to it.
 */
const isTokenValid = ({ site, organization, stamp, shareLink, isPreview }: TokenValues): SQL => sql`
  st.id = ${selectIfComplete(site)} AND st.organization = ${organization} AND st.stamp = ${stamp} AND (${isPreview} OR (st.published
    AND (st.visibility <> 'share-link' OR EXISTS (
      SELECT 1 FROM site_share_links k WHERE k.id = ${shareLink} AND k.site = st.id AND k.active))))`;

const selectVisitedSite = prepareStatement(
  (
    site: SQL<SiteId>,
    organization: SQL<string>,
    stamp: SQL<string>,
    shareLink: SQL<string | null>,
    isPreview: SQL<number>,
  ) =>
    siteRow.query(sql`
      SELECT ${siteRow} FROM sites st CROSS JOIN organizations o ON o.id = st.organization
      WHERE ${isTokenValid({ site, organization, stamp, shareLink, isPreview })}`),
);

const toValues = ({ site, organization, stamp, shareLink, preview }: VisitorToken) =>
  [site, organization, stamp, shareLink ?? null, preview === undefined ? 0 : 1] as const;

/** Returns the site of a visitor's token, or undefined if the token is no longer valid. One round trip. */
export const findVisitedSite = (db: Database, token: VisitorToken): Promise<SiteRecord | undefined> =>
  readRow(db, selectVisitedSite(...toValues(token)));

const selectSharedSite = prepareStatement(
  (organization: SQL<OrganizationId>, site: SQL<SiteId>, keyHash: SQL<string>) =>
    siteRow.query(sql`
    SELECT ${siteRow} FROM site_share_links k CROSS JOIN sites st ON st.id = k.site AND st.published
      AND st.visibility = 'share-link' CROSS JOIN organizations o ON o.id = st.organization
    WHERE k.key_hash = ${selectIfComplete(keyHash)} AND k.active AND st.id = ${site} AND st.organization = ${organization}`),
);

/** Returns a published site that a share link with this key hash gives access to. One round trip. */
export const findSharedSite = (
  db: Database,
  { organization, site, keyHash }: { organization: OrganizationId; site: SiteId; keyHash: string },
): Promise<SiteRecord | undefined> => readRow(db, selectSharedSite(organization, site, keyHash));

const visitedSpaceRow = selection({
  site: {
    id: st.id,
    organization: st.organization,
    basename: st.basename,
    hostname: st.hostname,
    proxy: st.proxy,
    visibility: st.visibility,
    published: st.published,
    editLinks: st.editLinks,
    organizationHostname: aliasedTable(organizations, 'o').hostname,
  },
  places: computed(parseLocations, locationsInSite),
  space: nullable(spaceRow.fields),
  named: nullable(createPointFields(aliasedTable(revisions, 'named'))),
  wasLiveUntil: nullable(fromQuery(Number)),
});

const selectVisitedSpace = prepareStatement(
  (
    site: SQL<SiteId>,
    organization: SQL<string>,
    stamp: SQL<string>,
    shareLink: SQL<string | null>,
    isPreview: SQL<number>,
    space: SQL<SpaceId>,
    revision: SQL<RevisionId | null>,
  ) => {
    const columns = visitedSpaceRow.with({
      wasLiveUntil: sql`(SELECT x.created_at FROM revisions x WHERE x.branch = s.id AND x.seq = named.seq + 1)`,
    });
    return visitedSpaceRow.query(sql`
      SELECT ${columns} FROM sites st CROSS JOIN organizations o ON o.id = st.organization
      LEFT JOIN spaces s ON s.id = ${space} AND s.organization = st.organization AND s.deleted_at IS NULL
        AND s.purging_at IS NULL
      ${spaceJoins}
      LEFT JOIN revisions named ON named.id = ${revision} AND named.space = s.id AND named.branch = s.id
      WHERE ${isTokenValid({ site, organization, stamp, shareLink, isPreview })}`);
  },
);

export interface VisitedSpace {
  site: RecordOf<typeof visitedSpaceRow>['site'];
  /** The locations of the space in the site; empty if the site does not show the space. */
  places: SpaceLocation[];
  space: SpaceRecord | undefined;
  /** The head of the live content, or the named revision if it was live within the last hour. */
  point: SpaceRecord['head'] | undefined;
}

/**
 * Returns a space of the site that a visitor's token belongs to, with the data that determines whether the space is
 * visible. Returns undefined if the token is no longer valid. One round trip.
 */
export async function findVisitedSpace(
  db: Database,
  token: VisitorToken,
  { space, revision }: { space: SpaceId; revision?: RevisionId | undefined },
): Promise<VisitedSpace | undefined> {
  const row = await readRow(db, selectVisitedSpace(...toValues(token), space, revision ?? null));
  return row === undefined ? undefined : toVisitedSpace(row, revision);
}

function toVisitedSpace(row: RecordOf<typeof visitedSpaceRow>, revision: RevisionId | undefined): VisitedSpace {
  const { site, places, space, named, wasLiveUntil } = row;
  const isLive = wasLiveUntil === null || wasLiveUntil > Date.now() - formerRevisionMilliseconds;
  const point = revision === undefined ? space?.head : ((isLive ? named : undefined) ?? undefined);
  return { site, places, space: space ?? undefined, point };
}

/**
 * Like `findVisitedSpace` for a preview, with the rights of the member who requested it. Reads the revision or change
 * request of the token and the path. One round trip.
 */
export async function findPreviewedSpace(
  db: Database,
  token: VisitorToken & { preview: NonNullable<VisitorToken['preview']> },
  target: SpacePath,
) {
  const { visited, access } = await runBatch(db, {
    visited: selectVisitedSpace(...toValues(token), target.space, null),
    access: selectPreviewAccess(token.preview.user, token.organization, target),
  });
  const [row] = visited;
  if (row === undefined) return undefined;
  return { ...toVisitedSpace(row, undefined), access: toSpaceAccess(access[0], target) };
}
