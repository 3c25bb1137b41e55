import type { ChangeRequestId, OrganizationId, RevisionId, Role, SpaceId, TeamId, UserId } from '@octavo/schema';
import { roleOfRank } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { aliasedTable, sql } from 'drizzle-orm';
import type { Database } from './connect.ts';
import { readRow } from './connect.ts';
import type { RevisionPoint } from './content.ts';
import { revisions } from './content.ts';
import { collectionRank, isActive, isOnTheWay, spaceRank } from './effective-role.ts';
import type { RecordOf } from './fields.ts';
import { given, maybe, passed } from './fields.ts';
import { members, tokens, users } from './org-admin.ts';
import type {
  ChangeRequestRecord,
  CollectionRecord,
  MemberRecord,
  Membership,
  OrganizationRecord,
  SpaceRecord,
  TeamRecord,
} from './records.ts';
import {
  changeRequestJoins,
  changeRequestRow,
  collectionRow,
  countedMembership,
  isRequested,
  memberFields,
  membershipRow,
  organizationRow,
  pointFields,
  showsOrganization,
  spaceJoins,
  spaceRow,
  teamRow,
  userFields,
} from './records.ts';
import { selection } from './selection.ts';

const t = aliasedTable(tokens, 't');

/**
 * Who calls: the user of a valid token, the scopes that limit it (null: none do), the one organization that it acts in
 * (null: wherever its user does), when it was last noted as used and when it ends.
 */
const callerRow = selection({
  caller: {
    ...userFields(aliasedTable(users, 'u')),
    token: t.id,
    scopes: t.scopes,
    organization: t.organization,
    lastUsedAt: t.lastUsedAt,
    expiresAt: t.expiresAt,
  },
});
const caller = passed(callerRow.fields.caller);

export type CallerRecord = RecordOf<typeof caller>;

export interface OrganizationAccess {
  caller: CallerRecord | undefined;
  /** Only for members who are not disabled. */
  organization: OrganizationRecord | undefined;
  membership: Membership;
  /** True where the organization enforces SSO and the caller's token does not stem from there. */
  needsSignIn: boolean;
  team: TeamRecord | undefined;
  member: MemberRecord | undefined;
}

export interface SpaceAccess {
  caller: CallerRecord | undefined;
  /** Whether the caller is an admin of the space's organization. */
  isAdmin: boolean;
  /** Whether the caller has no role in the space's organization. */
  isGuest: boolean;
  space: SpaceRecord | undefined;
  role: Role | null;
  changeRequest: ChangeRequestRecord | undefined;
  /** Whether somebody else has asked the caller to review the change request; false where not looked at. */
  isRequested: boolean;
  /** What content reads of this request go through: the named revision, else the change request's, else the head. */
  point: RevisionPoint | undefined;
}

/** SHA-256 of a token in lower-case hex: what `tokens.hash` holds. */
export async function hashToken(token: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(token));
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** A token that is bound to an organization is none while its user is no active member there. */
const callerFrom = (hash: string): SQL => sql`
  (SELECT ${callerRow} FROM tokens t CROSS JOIN users u ON u.id = t.user
  WHERE t.hash = ${hash} AND (t.expires_at IS NULL OR t.expires_at > ${Date.now()}) AND (t.organization IS NULL
    OR EXISTS (SELECT 1 FROM members b WHERE b.organization = t.organization AND b.user = t.user AND NOT b.disabled))) caller`;

/** The user of a token, by the token's hash. One round trip. */
export async function findCaller(db: Database, hash: string): Promise<CallerRecord | undefined> {
  const row = await readRow(db, callerRow.query(sql`SELECT * FROM ${callerFrom(hash)}`));
  return row?.caller;
}

interface OrganizationPath {
  organization: OrganizationId;
  /** The id of a team of the organization, and of the user of a membership of it. */
  team?: TeamId | undefined;
  user?: UserId | undefined;
}

const boundTo = sql`caller_organization`;

const organizationAccessRow = selection({
  caller,
  organization: maybe(organizationRow.fields),
  membership: membershipRow.fields,
  team: maybe(teamRow.fields),
  member: maybe(memberFields(aliasedTable(members, 'target'), aliasedTable(users, 'target_user'))),
});

/** The caller, the caller's place in an organization, and the team and member that the path names. One round trip. */
export async function findOrganizationAccess(
  db: Database,
  hash: string,
  { organization, team, user }: OrganizationPath,
): Promise<OrganizationAccess> {
  const found = organizationAccessRow.query(sql`
    SELECT caller.*, ${organizationAccessRow.with({ membership: { active: isActive(boundTo) } })}
    FROM ${callerFrom(hash)}
    LEFT JOIN members m ON m.organization = ${organization} AND m.user = caller_id AND ${showsOrganization(boundTo)}
    LEFT JOIN organizations o ON o.id = m.organization
    LEFT JOIN teams t ON t.id = ${team ?? null} AND t.organization = o.id
    LEFT JOIN team_members mine ON mine.team = t.id AND mine.user = caller_id
    LEFT JOIN members target ON target.organization = o.id AND target.user = ${user ?? null}
    LEFT JOIN users target_user ON target_user.id = target.user`);
  const row = await readRow(db, found);
  const membership = countedMembership(row?.membership);
  return {
    caller: row?.caller,
    organization: row?.organization ?? undefined,
    needsSignIn: row?.organization != null && !membership.active,
    membership,
    team: row?.team ?? undefined,
    member: row?.member ?? undefined,
  };
}

/** The caller as the member `m` of the organization `o`. */
const callerAsMember = { user: sql`caller_id`, role: sql`m.role`, active: isActive(boundTo) };

interface SpacePath {
  space: SpaceId;
  changeRequest?: ChangeRequestId | undefined;
  revision?: RevisionId | undefined;
  /** Whether to look for requests of a review by the caller. */
  requests?: boolean;
}

const placeFields = { role: membershipRow.fields.role, active: membershipRow.fields.active };
const isAdmin = (place: RecordOf<typeof placeFields> | undefined) => roleOf(place) === 'admin';
const roleOf = (place: RecordOf<typeof placeFields> | undefined) => (place?.active ? place.role : null);

const spaceAccessRow = selection({
  caller,
  space: maybe(spaceRow.fields),
  member: placeFields,
  role: maybe(given(roleOfRank)),
  changeRequest: maybe(changeRequestRow.fields),
  isRequested: given(Boolean),
  named: maybe(pointFields(aliasedTable(revisions, 'named'))),
});

/**
 * The caller, a space and the effective role there, with the change request and the revision that the path names.
 * One round trip at any depth of collections. A change request goes by its id or by its number in the space. A space
 * that is being purged is none.
 */
export async function findSpaceAccess(db: Database, hash: string, target: SpacePath): Promise<SpaceAccess> {
  const columns = spaceAccessRow.with({
    member: { active: isActive(boundTo) },
    role: spaceRank(callerAsMember),
    isRequested: target.requests ? isRequested : sql`0`,
  });
  const found = spaceAccessRow.query(sql`
    SELECT caller.*, ${columns}
    FROM ${callerFrom(hash)}
    LEFT JOIN spaces s ON s.id = ${target.space} AND s.purging_at IS NULL
    LEFT JOIN members m ON m.organization = s.organization AND m.user = caller_id
    LEFT JOIN organizations o ON o.id = m.organization
    ${spaceJoins}
    LEFT JOIN change_requests cr ON cr.id = ${changeRequestId(target.changeRequest)}
    ${changeRequestJoins}
    LEFT JOIN revisions named ON named.id = ${target.revision ?? null} AND named.space = s.id`);
  const row = await readRow(db, found);
  return {
    caller: row?.caller,
    isAdmin: isAdmin(row?.member),
    isGuest: roleOf(row?.member) === null,
    space: row?.space ?? undefined,
    role: row?.role ?? null,
    changeRequest: row?.changeRequest ?? undefined,
    isRequested: row?.isRequested ?? false,
    point: (row === undefined ? undefined : pointOf(row, target)) ?? undefined,
  };
}

const changeRequestId = (idOrNumber: string | undefined): SQL => {
  if (idOrNumber === undefined) return sql`NULL`;
  if (!/^\d{1,15}$/.test(idOrNumber)) return sql`${idOrNumber} AND cr.space = s.id`;
  return sql`(SELECT id FROM change_requests WHERE space = s.id AND number = ${Number(idOrNumber)})`;
};

function pointOf(row: RecordOf<typeof spaceAccessRow>, target: SpacePath) {
  if (target.revision !== undefined) return row.named;
  return target.changeRequest === undefined ? row.space?.head : row.changeRequest?.head;
}

const collectionAccessRow = selection({ caller, member: placeFields, collection: maybe(collectionRow.fields) });
const found = collectionAccessRow.names;
const foundMember = { user: found.caller.id, role: found.member.role, active: found.member.active };

/** The caller and a collection with the caller's effective role on it; none where it is deleted. One round trip. */
export async function findCollectionAccess(
  db: Database,
  hash: string,
  id: string,
): Promise<{ caller: CallerRecord | undefined; isAdmin: boolean; collection: CollectionRecord | undefined }> {
  const columns = collectionAccessRow.with({
    member: { active: isActive(boundTo) },
    collection: { role: collectionRank(callerAsMember) },
  });
  const { id: ofFound, organization, role, onTheWay } = found.collection;
  // The CTE keeps the walk through what the collection holds from running where the rank lets the caller in already.
  const access = collectionAccessRow.query(sql`
    WITH found AS MATERIALIZED (
      SELECT caller.*, ${columns}
      FROM ${callerFrom(hash)}
      LEFT JOIN collections c ON c.id = ${id} AND c.deleted_at IS NULL
      LEFT JOIN members m ON m.organization = c.organization AND m.user = caller_id
      LEFT JOIN organizations o ON o.id = m.organization)
    SELECT *, CASE WHEN ${role} > 0 THEN 0 ELSE ${isOnTheWay(ofFound, organization, foundMember)} END AS ${onTheWay}
    FROM found`);
  const row = await readRow(db, access);
  return { caller: row?.caller, isAdmin: isAdmin(row?.member), collection: row?.collection ?? undefined };
}
