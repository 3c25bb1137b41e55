import type {
  ChangeRequestId,
  OrganizationId,
  RevisionId,
  Role,
  SiteId,
  SpaceId,
  TeamId,
  UserId,
} from '@octavo/schema';
import { isIdOf, roleOfRank } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { eq, sql } from 'drizzle-orm';
import type { Database } from '../connect.ts';
import { readRow } from '../connect.ts';
import type { Parameter } from '../prepared.ts';
import { prepared } from '../prepared.ts';
import type { Query, RecordOf } from '../selection.ts';
import { given, maybe, selection } from '../selection.ts';
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
import type { RankedMember } from './effective-role.ts';
import { collectionRank, isActive, isOnTheWay, spaceRank } from './effective-role.ts';
import type { caller, NamedRequest, placeFields, siteAccessRow, spaceAccessRow } from './statements.ts';
import {
  callerOf,
  collectionAccessOf,
  countedMembership,
  limitedRole,
  organizationAccessOf,
  previewedSiteOf,
  siteAccessOf,
  spaceAccess,
} from './statements.ts';

/** The user of a valid token, with the limits of the token. */
export type CallerRecord = RecordOf<typeof caller>;

export interface OrganizationAccess {
  caller: CallerRecord | undefined;
  /** Set only for members who are not disabled. */
  organization: OrganizationRecord | undefined;
  membership: Membership;
  /** Whether the organization enforces SSO and the caller's token was not issued by it. */
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
  /** Whether another user has asked the caller to review the change request; false if this was not looked up. */
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
  const row = await readRow(db, callerOf(hash, Date.now()));
  return row?.caller;
}

interface SiteAccess extends Pick<OrganizationAccess, 'caller' | 'organization' | 'membership' | 'needsSignIn'> {
  site: SiteRecord | undefined;
  /** The highest role on a space that the site shows; null for callers who manage every site of the organization. */
  rank: Role | null;
  /** Whether the caller is an installation that reaches the site; null for any other caller. */
  isInstalled: boolean | null;
}

/** Returns the caller, the caller's membership in an organization, and a site of it. One round trip. */
export async function findSiteAccess(
  db: Database,
  hash: string,
  { organization, site }: { organization: OrganizationId; site: SiteId },
): Promise<SiteAccess> {
  const row = await readRow(db, siteAccessOf(hash, Date.now(), organization, site));
  return siteAccessFrom(row);
}

function siteAccessFrom(row: RecordOf<typeof siteAccessRow> | undefined): SiteAccess {
  const membership = countedMembership(row?.caller, row?.membership);
  return {
    caller: row?.caller,
    organization: row?.organization ?? undefined,
    needsSignIn: row?.organization != null && !membership.active,
    membership,
    site: row?.site ?? undefined,
    rank: limitedRole(row?.caller, row?.rank ?? null),
    isInstalled: row?.isInstalled ?? null,
  };
}

/** Like `findSiteAccess` for a member without a token, whose rights a site preview uses. One round trip. */
export const findPreviewedSite = async (
  db: Database,
  { user, organization, site }: { user: UserId; organization: OrganizationId; site: SiteId },
): Promise<SiteAccess> => siteAccessFrom(await readRow(db, previewedSiteOf(user, organization, organization, site)));

interface OrganizationPath {
  organization: OrganizationId;
  /** The id of a team of the organization, or of the user of one of its members. */
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
  const row = await readRow(db, organizationAccessOf(hash, Date.now(), organization, team ?? null, user ?? null));
  const membership = countedMembership(row?.caller, row?.membership);
  return {
    caller: row?.caller,
    organization: row?.organization ?? undefined,
    needsSignIn: row?.organization != null && !membership.active,
    membership,
    team: row?.team ?? undefined,
    member: row?.member ?? undefined,
  };
}

export interface SpacePath {
  space: SpaceId;
  changeRequest?: ChangeRequestId | undefined;
  revision?: RevisionId | undefined;
  /** Whether to look up review requests for the caller. */
  requests?: boolean;
}

/** A row with the caller's membership in an organization. */
type Placed = { caller: CallerRecord; member: RecordOf<typeof placeFields> } | undefined;

const isAdmin = (row: Placed) => roleOf(row) === 'admin';
const roleOf = (row: Placed) => (row?.member.active ? limitedRole(row.caller, row.member.role) : null);

/**
 * Returns the caller, a space and the effective role there, with the change request and the revision that the path
 * names. One round trip at any depth of collections. A change request is named by its id or by its number in the space.
 * A space that is being purged is not found.
 */
export async function findSpaceAccess(db: Database, hash: string, target: SpacePath): Promise<SpaceAccess> {
  const by = spaceAccess[target.requests ? 'withRequests' : 'plain'];
  return spaceAccessOf(await readRow(db, by[formOf(target)](hash, Date.now(), ...valuesOf(target))), target);
}

/**
 * Makes a query like that of `findSpaceAccess` for a member of one organization without a token. `spaceAccessOf` reads
 * its rows.
 */
export const previewAccess = (user: UserId, organization: OrganizationId, target: SpacePath) =>
  spaceAccess.preview[formOf(target)](user, organization, ...valuesOf(target));

export const spaceAccessOf = (row: RecordOf<typeof spaceAccessRow> | undefined, target: SpacePath): SpaceAccess => ({
  caller: row?.caller,
  isAdmin: isAdmin(row),
  isGuest: roleOf(row) === null,
  space: row?.space ?? undefined,
  role: limitedRole(row?.caller, row?.role ?? null),
  changeRequest: row?.changeRequest ?? undefined,
  isRequested: row?.isRequested ?? false,
  point: (row === undefined ? undefined : pointOf(row, target)) ?? undefined,
});

function valuesOf(target: SpacePath) {
  const { changeRequest = null, revision = null } = target;
  return [target.space, formOf(target) === 'number' ? Number(changeRequest) : changeRequest, revision] as const;
}

function formOf({ changeRequest }: SpacePath): NamedRequest {
  if (changeRequest === undefined) return 'none';
  return /^\d{1,15}$/.test(changeRequest) ? 'number' : 'id';
}

function pointOf(row: RecordOf<typeof spaceAccessRow>, target: SpacePath) {
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
  const row = await readRow(db, collectionAccessOf(hash, Date.now(), id));
  const collection = row?.collection ?? undefined;
  return {
    caller: row?.caller,
    isAdmin: isAdmin(row),
    collection: collection && { ...collection, role: limitedRole(row?.caller, collection.role) },
  };
}

const namedOrganization = prepared(selection({ id: organizations.id }), (select, hostname: Parameter<string>) =>
  select.from(organizations).where(eq(organizations.hostname, hostname)),
);

/** Returns the id of the organization with this id or hostname, or the hostname if no organization has it. */
export async function organizationNamed(db: Database, named: string): Promise<OrganizationId> {
  if (isIdOf('organization', named)) return named;
  return (await readRow(db, namedOrganization(named.toLowerCase())))?.id ?? named;
}

type Actor = Pick<CallerRecord, 'id' | 'organization'>;

/**
 * Joins the actor's membership in the organization that an expression names, as `members m`, and its `organizations o`.
 */
export const joinActingMember = (organization: SQL, actor: Pick<Actor, 'id'>): SQL => sql`
  CROSS JOIN members m ON m.organization = ${organization} AND m.user = ${actor.id}
  CROSS JOIN organizations o ON o.id = m.organization`;

/** The actor, as the member that `joinActingMember` joins. */
export const actingMember = ({ organization }: Pick<Actor, 'organization'>): RankedMember => ({
  user: sql`m.user`,
  role: sql`m.role`,
  active: isActive(sql`${organization}`),
});

/** A condition: a member may view `collections c`, by a role on it or because it contains visible content. */
export const mayViewCollection = (organization: SQL, member: RankedMember): SQL =>
  sql`(${collectionRank(member)} > 0 OR ${isOnTheWay(sql`c.id`, organization, member)})`;

/** Makes a query for a collection with the actor's current rights, for use in a batch after a change. */
export function collectionOfActor(id: string, actor: Actor): Query<CollectionRecord> {
  const member = actingMember(actor);
  const columns = collectionRow.with({
    role: collectionRank(member),
    onTheWay: isOnTheWay(sql`c.id`, sql`c.organization`, member),
  });
  return collectionRow.query(
    sql`SELECT ${columns} FROM collections c ${joinActingMember(sql`c.organization`, actor)} WHERE c.id = ${id}`,
  );
}

/** A space with a role on it. */
export const spaceWithRoleRow = selection({ space: spaceRow.fields, role: maybe(given(roleOfRank)) });

export type SpaceWithRole = RecordOf<typeof spaceWithRoleRow>;

/** Like `collectionOfActor` for a space. */
export const spaceOfActor = (id: string, actor: Actor): Query<SpaceWithRole> =>
  spaceWithRoleRow.query(sql`SELECT ${spaceWithRoleRow.with({ role: spaceRank(actingMember(actor)) })}
  FROM spaces s ${joinActingMember(sql`s.organization`, actor)} ${spaceJoins} WHERE s.id = ${id}`);
