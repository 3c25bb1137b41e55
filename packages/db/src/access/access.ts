import type { OrganizationId, Role, SiteId, SpaceId, TeamId, UserId } from '@octavo/schema';
import { getRoleByRank, isId } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { eq, sql } from 'drizzle-orm';
import type { Database } from '../connect.ts';
import type { Parameter } from '../query.ts';
import { prepareQuery, readRow, readRows } from '../query.ts';
import type { Query, RecordOf } from '../selection.ts';
import { fromQuery, nullable, selection } from '../selection.ts';
import type {
  ChangeRequestRecord,
  CollectionRecord,
  MemberRecord,
  Membership,
  OrganizationRecord,
  SpaceRecord,
  TeamRecord,
} from '../statements/records.ts';
import { collectionRow, spaceJoins, spaceRow } from '../statements/records.ts';
import type { SiteRecord } from '../statements/sites.ts';
import type { RevisionPoint } from '../tables/content.ts';
import { organizations } from '../tables/org-admin.ts';
import type { RankedMember, SpacePath } from './expressions.ts';
import {
  getChangeRequestForm,
  hasVisibleContent,
  joinActingMember,
  selectCollectionRank,
  selectSpaceRank,
  toActingMember,
  toSpaceValues,
} from './expressions.ts';
import type { caller, memberRoleFields, siteAccessRow, spaceAccessRow } from './statements.ts';
import {
  getRequestTime,
  limitMembership,
  limitRole,
  selectCaller,
  selectCollectionAccess,
  selectOrganizationAccess,
  selectPreviewedSite,
  selectSiteAccess,
  selectTokenRoles,
  spaceAccessQueries,
} from './statements.ts';

/** The user of a valid token, with the limits of the token. */
export type CallerRecord = RecordOf<typeof caller>;

export interface OrganizationAccess {
  caller: CallerRecord | undefined;
  /** Set only for members who are not disabled. */
  organization: OrganizationRecord | undefined;
  membership: Membership;
  /** Whether the organization enforces SSO and the caller's token was not issued by its SSO. */
  needsSignIn: boolean;
  team: TeamRecord | undefined;
  member: MemberRecord | undefined;
}

interface SpaceAccess {
  caller: CallerRecord | undefined;
  /** Whether the caller is an admin of the space's organization. */
  isAdmin: boolean;
  /** Whether the caller has no role in the space's organization. */
  isGuest: boolean;
  space: SpaceRecord | undefined;
  role: Role | null;
  changeRequest: ChangeRequestRecord | undefined;
  /** Whether another user requested the caller's review; false if the request did not look it up. */
  isRequested: boolean;
  /**
   * The revision through which the request reads content: the named one, otherwise the change request's head, otherwise
   * the space's head.
   */
  point: RevisionPoint | undefined;
}

/** The prefix of every token. */
export const tokenPrefix = 'octavo_';

/** Returns the SHA-256 of a token in lower-case hex, as stored in `tokens.hash`. */
export async function hashToken(token: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(token));
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Returns the user of a token, by the token's hash. One round trip. */
export async function findCaller(db: Database, hash: string): Promise<CallerRecord | undefined> {
  const row = await readRow(db, selectCaller(hash, getRequestTime()));
  return row?.caller;
}

/** Returns the roles on a space that the users of valid tokens have, by the ids of the tokens. One round trip. */
export async function findTokenRoles(db: Database, space: SpaceId, tokens: string[]): Promise<Map<string, Role>> {
  const rows = await readRows(db, selectTokenRoles(JSON.stringify(tokens), getRequestTime(), space));
  return new Map(
    rows.flatMap(({ token, rank, ...limits }) => {
      const role = limitRole(limits, rank);
      return role === null ? [] : [[token, role]];
    }),
  );
}

interface SiteAccess extends Pick<OrganizationAccess, 'caller' | 'organization' | 'membership' | 'needsSignIn'> {
  site: SiteRecord | undefined;
  /** The highest role on a space that the site shows; null for callers who manage every site of the organization. */
  rank: Role | null;
  /** Whether the caller is an installation that can access the site; null if the caller is not an installation. */
  isInstalled: boolean | null;
}

/**
 * Returns the caller, the caller's membership in an organization, and one of the organization's sites. One round trip.
 */
export async function findSiteAccess(
  db: Database,
  hash: string,
  { organization, site }: { organization: OrganizationId; site: SiteId },
): Promise<SiteAccess> {
  const row = await readRow(db, selectSiteAccess(hash, getRequestTime(), organization, site));
  return toSiteAccess(row);
}

function toSiteAccess(row: RecordOf<typeof siteAccessRow> | undefined): SiteAccess {
  const membership = limitMembership(row?.caller, row?.membership);
  return {
    caller: row?.caller,
    organization: row?.organization ?? undefined,
    needsSignIn: row?.organization != null && !membership.active,
    membership,
    site: row?.site ?? undefined,
    rank: limitRole(row?.caller, row?.rank ?? null),
    isInstalled: row?.isInstalled ?? null,
  };
}

/** Like `findSiteAccess` for a member without a token, whose rights a site preview uses. One round trip. */
export const findPreviewedSite = async (
  db: Database,
  { user, organization, site }: { user: UserId; organization: OrganizationId; site: SiteId },
): Promise<SiteAccess> => toSiteAccess(await readRow(db, selectPreviewedSite(user, organization, organization, site)));

interface OrganizationPath {
  organization: OrganizationId;
  /** The id of a team of the organization, or of a member's user. */
  team?: TeamId | undefined;
  user?: UserId | undefined;
}

/**
 * Returns the caller, the caller's membership in an organization, and the team and member that the path names. One
 * round trip.
 */
export async function findOrganizationAccess(
  db: Database,
  hash: string,
  { organization, team, user }: OrganizationPath,
): Promise<OrganizationAccess> {
  const row = await readRow(
    db,
    selectOrganizationAccess(hash, getRequestTime(), organization, team ?? null, user ?? null),
  );
  const membership = limitMembership(row?.caller, row?.membership);
  return {
    caller: row?.caller,
    organization: row?.organization ?? undefined,
    needsSignIn: row?.organization != null && !membership.active,
    membership,
    team: row?.team ?? undefined,
    member: row?.member ?? undefined,
  };
}

/** A row with the caller's membership in an organization. */
type MembershipRow = { caller: CallerRecord; member: RecordOf<typeof memberRoleFields> } | undefined;

const isAdmin = (row: MembershipRow) => getRole(row) === 'admin';
const getRole = (row: MembershipRow) => (row?.member.active ? limitRole(row.caller, row.member.role) : null);

/**
 * Returns the caller, a space and the effective role there, with the change request and the revision that the path
 * names. One round trip at any depth of collections. A change request is named by its id or by its number in the space.
 * A space that is being purged is not found.
 */
export async function findSpaceAccess(db: Database, hash: string, target: SpacePath): Promise<SpaceAccess> {
  const queries = spaceAccessQueries[target.requests ? 'withRequests' : 'plain'];
  return toSpaceAccess(
    await readRow(db, queries[getChangeRequestForm(target)](hash, getRequestTime(), ...toSpaceValues(target))),
    target,
  );
}

/**
 * Makes a query like that of `findSpaceAccess`, but for a member without a token, limited to one organization.
 * `toSpaceAccess` reads its rows.
 */
export const selectPreviewAccess = (user: UserId, organization: OrganizationId, target: SpacePath) =>
  spaceAccessQueries.preview[getChangeRequestForm(target)](user, organization, ...toSpaceValues(target));

export const toSpaceAccess = (row: RecordOf<typeof spaceAccessRow> | undefined, target: SpacePath): SpaceAccess => ({
  caller: row?.caller,
  isAdmin: isAdmin(row),
  isGuest: getRole(row) === null,
  space: row?.space ?? undefined,
  role: limitRole(row?.caller, row?.role ?? null),
  changeRequest: row?.changeRequest ?? undefined,
  isRequested: row?.isRequested ?? false,
  point: (row === undefined ? undefined : getPoint(row, target)) ?? undefined,
});

function getPoint(row: RecordOf<typeof spaceAccessRow>, target: SpacePath) {
  if (target.revision !== undefined) return row.named;
  return target.changeRequest === undefined ? row.space?.head : row.changeRequest?.head;
}

/**
 * Returns the caller and a collection with the caller's effective role on it. A deleted collection is not found. One
 * round trip.
 */
export async function findCollectionAccess(
  db: Database,
  hash: string,
  id: string,
): Promise<{ caller: CallerRecord | undefined; isAdmin: boolean; collection: CollectionRecord | undefined }> {
  const row = await readRow(db, selectCollectionAccess(hash, getRequestTime(), id));
  const collection = row?.collection ?? undefined;
  return {
    caller: row?.caller,
    isAdmin: isAdmin(row),
    collection: collection && { ...collection, role: limitRole(row?.caller, collection.role) },
  };
}

const organizationByHostname = prepareQuery(
  selection({ id: organizations.id }),
  (select, hostname: Parameter<string>) => select.from(organizations).where(eq(organizations.hostname, hostname)),
);

/** Returns the id of the organization with this id or hostname, or the hostname if no organization has it. */
export async function resolveOrganization(db: Database, idOrHostname: string): Promise<OrganizationId> {
  if (isId('organization', idOrHostname)) return idOrHostname;
  return (await readRow(db, organizationByHostname(idOrHostname.toLowerCase())))?.id ?? idOrHostname;
}

type Actor = Pick<CallerRecord, 'id' | 'organization'>;

/**
 * Returns the SQL condition that a member may view `collections c`. The member has a role on the collection, or the
 * collection contains content that the member can see.
 */
export const mayViewCollection = (organization: SQL, member: RankedMember): SQL =>
  sql`(${selectCollectionRank(member)} > 0 OR ${hasVisibleContent(sql`c.id`, organization, member)})`;

/** Makes a query for a collection with the actor's current rights, for use in a batch after a change. */
export function selectCollectionForActor(id: string, actor: Actor): Query<CollectionRecord> {
  const member = toActingMember(actor);
  const columns = collectionRow.with({
    role: selectCollectionRank(member),
    onTheWay: hasVisibleContent(sql`c.id`, sql`c.organization`, member),
  });
  return collectionRow.query(
    sql`SELECT ${columns} FROM collections c ${joinActingMember(sql`c.organization`, actor)} WHERE c.id = ${id}`,
  );
}

/** A space, with a member's role on it. */
export const spaceWithRoleRow = selection({ space: spaceRow.fields, role: nullable(fromQuery(getRoleByRank)) });

export type SpaceWithRole = RecordOf<typeof spaceWithRoleRow>;

/** Like `selectCollectionForActor` for a space. */
export const selectSpaceForActor = (id: string, actor: Actor): Query<SpaceWithRole> =>
  spaceWithRoleRow.query(sql`SELECT ${spaceWithRoleRow.with({ role: selectSpaceRank(toActingMember(actor)) })}
  FROM spaces s ${joinActingMember(sql`s.organization`, actor)} ${spaceJoins} WHERE s.id = ${id}`);
