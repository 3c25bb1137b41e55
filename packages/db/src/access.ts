import type { Role, Scope } from '@octavo/schema';
import { roleOfRank } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import type { ChangeRequestRecord } from './change-request-record.ts';
import { changeRequestColumns, changeRequestJoins, readChangeRequest } from './change-request-record.ts';
import type { CollectionRecord } from './collection-record.ts';
import { collectionColumns, readCollection } from './collection-record.ts';
import type { Database } from './connect.ts';
import type { Lineage, RevisionPoint } from './content.ts';
import { collectionRank, isActive, isOnTheWay, spaceRank } from './effective-role.ts';
import type { MemberRecord, UserRecord } from './member-record.ts';
import { memberColumns, readMember } from './member-record.ts';
import type { Membership } from './membership.ts';
import { membershipColumns, readMembership, showsOrganization } from './membership.ts';
import type { OrganizationRecord } from './organization-record.ts';
import { organizationColumns, readOrganization } from './organization-record.ts';
import type { Row } from './row.ts';
import { number, optionalNumber, optionalText, text } from './row.ts';
import type { SpaceRecord } from './space-record.ts';
import { readSpace, spaceColumns, spaceJoins } from './space-record.ts';
import type { TeamRecord } from './team-record.ts';
import { readTeam, teamColumns } from './team-record.ts';

/** Who calls: the user of a valid token, and the scopes that limit it (null: none do). */
export interface CallerRecord extends UserRecord {
  token: string;
  scopes: Scope[] | null;
  /** The one organization that the token acts in; null for a token that acts wherever its user does. */
  organization: string | null;
  /** When the token was last noted as used, and when it ends, in milliseconds. */
  lastUsedAt: number | null;
  expiresAt: number | null;
}

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
  (SELECT t.id AS caller_token, t.expires_at AS caller_expires_at, t.scopes AS caller_scopes, t.organization AS caller_organization,
    t.last_used_at AS caller_last_used_at, u.id AS caller_id, u.display_name AS caller_name,
    u.email AS caller_email, u.photo_url AS caller_photo
  FROM tokens t CROSS JOIN users u ON u.id = t.user
  WHERE t.hash = ${hash} AND (t.expires_at IS NULL OR t.expires_at > ${Date.now()}) AND (t.organization IS NULL
    OR EXISTS (SELECT 1 FROM members b WHERE b.organization = t.organization AND b.user = t.user AND NOT b.disabled))) caller`;

function readCaller(row: Row | undefined): CallerRecord | undefined {
  if (row === undefined) return undefined;
  const scopes = optionalText(row, 'caller_scopes');
  return {
    id: text(row, 'caller_id'),
    displayName: text(row, 'caller_name'),
    email: text(row, 'caller_email'),
    photoUrl: optionalText(row, 'caller_photo'),
    token: text(row, 'caller_token'),
    scopes: scopes === null ? null : (JSON.parse(scopes) as Scope[]),
    organization: optionalText(row, 'caller_organization'),
    lastUsedAt: optionalNumber(row, 'caller_last_used_at'),
    expiresAt: optionalNumber(row, 'caller_expires_at'),
  };
}

/** The user of a token, by the token's hash. One round trip. */
export async function findCaller(db: Database, hash: string): Promise<CallerRecord | undefined> {
  const rows = await db.all<Row>(sql`SELECT * FROM ${callerFrom(hash)}`);
  return readCaller(rows[0]);
}

interface OrganizationTarget {
  organization: string;
  /** The id of a team of the organization, and of the user of a membership of it. */
  team?: string | undefined;
  user?: string | undefined;
}

const boundTo = sql`caller_organization`;

/** The caller, the caller's place in an organization, and the team and member that the path names. One round trip. */
export async function findOrganizationAccess(
  db: Database,
  hash: string,
  { organization, team, user }: OrganizationTarget,
): Promise<OrganizationAccess> {
  const rows = await db.all<Row>(sql`
    SELECT caller.*, ${organizationColumns}, ${membershipColumns(boundTo)}, ${teamColumns}, ${memberColumns('target', 'target_user')}
    FROM ${callerFrom(hash)}
    LEFT JOIN members m ON m.organization = ${organization} AND m.user = caller_id AND ${showsOrganization(boundTo)}
    LEFT JOIN organizations o ON o.id = m.organization
    LEFT JOIN teams t ON t.id = ${team ?? null} AND t.organization = o.id
    LEFT JOIN team_members mine ON mine.team = t.id AND mine.user = caller_id
    LEFT JOIN members target ON target.organization = o.id AND target.user = ${user ?? null}
    LEFT JOIN users target_user ON target_user.id = target.user`);
  const row = rows[0];
  const organizationRecord = row === undefined || row.organization_id === null ? undefined : readOrganization(row);
  const membership = readMembership(row);
  return {
    caller: readCaller(row),
    organization: organizationRecord,
    needsSignIn: organizationRecord !== undefined && !membership.active,
    membership,
    team: row === undefined ? undefined : readTeam(row),
    member: row === undefined ? undefined : readMember(row),
  };
}

/** The caller as the member `m` of the organization `o`. */
const callerAsMember = { user: sql`caller_id`, role: sql`m.role`, active: isActive(boundTo) };

interface SpaceTarget {
  space: string;
  changeRequest?: string | undefined;
  revision?: string | undefined;
  /** Whether to look for requests of a review by the caller. */
  requests?: boolean;
}

/**
 * Whether somebody else has asked the caller to review `change_requests cr` of `spaces s`, by name or as one of a team:
 * nobody gains a right by asking for it.
 */
const isRequested = sql`(
  EXISTS (SELECT 1 FROM requested_reviewers q WHERE q.change_request = cr.id AND q.kind = 'user'
    AND q.subject = caller_id AND q.requested_by <> caller_id AND q.organization = s.organization)
  OR EXISTS (SELECT 1 FROM requested_reviewers q CROSS JOIN team_members tm ON tm.team = q.subject AND tm.user = caller_id
    AND tm.organization = s.organization
    WHERE q.change_request = cr.id AND q.kind = 'team' AND q.requested_by <> caller_id AND q.organization = s.organization))`;

/**
 * The caller, a space and the effective role there, with the change request and the revision that the path names.
 * One round trip at any depth of collections. A change request goes by its id or by its number in the space. A space
 * that is being purged is none.
 */
export async function findSpaceAccess(db: Database, hash: string, target: SpaceTarget): Promise<SpaceAccess> {
  const rank = spaceRank(callerAsMember);
  const rows = await db.all<Row>(sql`
    SELECT caller.*, ${spaceColumns}, m.role AS member_role, ${isActive(boundTo)} AS member_active, ${rank} AS role_rank, ${changeRequestColumns},
      ${target.requests ? isRequested : sql`0`} AS is_requested, named.id AS named_id, named.branch AS named_branch, named.seq AS named_seq, named.lineage AS named_lineage
    FROM ${callerFrom(hash)}
    LEFT JOIN spaces s ON s.id = ${target.space} AND s.purging_at IS NULL
    LEFT JOIN members m ON m.organization = s.organization AND m.user = caller_id
    LEFT JOIN organizations o ON o.id = m.organization
    ${spaceJoins}
    LEFT JOIN change_requests cr ON cr.id = ${changeRequestId(target.changeRequest)}
    ${changeRequestJoins}
    LEFT JOIN revisions named ON named.id = ${target.revision ?? null} AND named.space = s.id`);
  const row = rows[0];
  const space = row === undefined ? undefined : readSpace(row);
  const changeRequest = row === undefined ? undefined : readChangeRequest(row);
  return {
    caller: readCaller(row),
    isAdmin: readMembership(row).role === 'admin',
    isGuest: readMembership(row).role === null,
    space,
    role: roleOfRank(row === undefined ? null : (row.role_rank as number | null)),
    changeRequest,
    isRequested: row?.is_requested === 1,
    point: row === undefined ? undefined : pointOf(row, target, { space, changeRequest }),
  };
}

const changeRequestId = (idOrNumber: string | undefined): SQL => {
  if (idOrNumber === undefined) return sql`NULL`;
  if (!/^\d{1,15}$/.test(idOrNumber)) return sql`${idOrNumber} AND cr.space = s.id`;
  return sql`(SELECT id FROM change_requests WHERE space = s.id AND number = ${Number(idOrNumber)})`;
};

function pointOf(row: Row, target: SpaceTarget, found: Pick<SpaceAccess, 'space' | 'changeRequest'>) {
  if (target.revision !== undefined) {
    if (optionalText(row, 'named_id') === null) return undefined;
    const lineage = JSON.parse(text(row, 'named_lineage')) as Lineage;
    return { id: text(row, 'named_id'), branch: text(row, 'named_branch'), seq: number(row, 'named_seq'), lineage };
  }
  return target.changeRequest === undefined ? found.space?.head : found.changeRequest?.head;
}

const foundMember = { user: sql`caller_id`, role: sql`member_role`, active: sql`member_active` };

/** The caller and a collection with the caller's effective role on it; none where it is deleted. One round trip. */
export async function findCollectionAccess(
  db: Database,
  hash: string,
  id: string,
): Promise<{ caller: CallerRecord | undefined; isAdmin: boolean; collection: CollectionRecord | undefined }> {
  // The CTE keeps the walk through what the collection holds from running where the rank lets the caller in already.
  const rows = await db.all<Row>(sql`
    WITH found AS MATERIALIZED (
      SELECT caller.*, ${collectionColumns}, m.role AS member_role, ${isActive(boundTo)} AS member_active,
        ${collectionRank(callerAsMember)} AS collection_rank
      FROM ${callerFrom(hash)}
      LEFT JOIN collections c ON c.id = ${id} AND c.deleted_at IS NULL
      LEFT JOIN members m ON m.organization = c.organization AND m.user = caller_id
      LEFT JOIN organizations o ON o.id = m.organization)
    SELECT *, CASE WHEN collection_rank > 0 THEN 0
      ELSE ${isOnTheWay(sql`collection_id`, sql`collection_organization`, foundMember)} END AS collection_on_the_way
    FROM found`);
  const row = rows[0];
  return {
    caller: readCaller(row),
    isAdmin: readMembership(row).role === 'admin',
    collection: row === undefined ? undefined : readCollection(row),
  };
}
