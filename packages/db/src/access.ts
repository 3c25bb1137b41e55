import type { Role, Scope } from '@octavo/schema';
import { roleOfRank } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import type { ChangeRequestRecord } from './change-request-record.ts';
import { changeRequestColumns, changeRequestJoins, readChangeRequest } from './change-request-record.ts';
import type { Database } from './connect.ts';
import type { Lineage } from './content.ts';
import { effectiveRank, spaceRank } from './effective-role.ts';
import type { OrganizationRecord } from './organization-record.ts';
import { organizationColumns, readOrganization } from './organization-record.ts';
import type { Row } from './row.ts';
import { number, optionalText, text } from './row.ts';
import type { SpaceRecord } from './space-record.ts';
import { readSpace, spaceColumns, spaceJoins } from './space-record.ts';

/** Who calls: the user of a valid token, and the scopes that limit it (null: none do). */
export interface CallerRecord {
  id: string;
  displayName: string;
  email: string;
  photoUrl: string | null;
  token: string;
  scopes: Scope[] | null;
}

/** A revision as content is read through it. */
export interface RevisionPoint {
  id: string;
  branch: string;
  seq: number;
  lineage: Lineage;
}

export interface Membership {
  role: Role | null;
  active: boolean;
  ownsTeam: boolean;
}

export interface OrganizationAccess {
  caller: CallerRecord | undefined;
  organization: OrganizationRecord | undefined;
  membership: Membership;
}

export interface SpaceAccess {
  caller: CallerRecord | undefined;
  space: SpaceRecord | undefined;
  role: Role | null;
  changeRequest: ChangeRequestRecord | undefined;
  /** What content reads of this request go through: the named revision, else the change request's, else the head. */
  point: RevisionPoint | undefined;
}

/** SHA-256 of a token in lower-case hex: what `tokens.hash` holds. */
export async function hashToken(token: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(token));
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

const callerFrom = (hash: string): SQL => sql`
  (SELECT t.id AS caller_token, t.scopes AS caller_scopes, u.id AS caller_id, u.display_name AS caller_name,
    u.email AS caller_email, u.photo_url AS caller_photo
  FROM tokens t CROSS JOIN users u ON u.id = t.user
  WHERE t.hash = ${hash} AND (t.expires_at IS NULL OR t.expires_at > ${Date.now()})) caller`;

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
  };
}

/** The user of a token, by the token's hash. One round trip. */
export async function findCaller(db: Database, hash: string): Promise<CallerRecord | undefined> {
  const rows = await db.all<Row>(sql`SELECT * FROM ${callerFrom(hash)}`);
  return readCaller(rows[0]);
}

/** The caller and the caller's place in an organization. One round trip; `organization` only for active members. */
export async function findOrganizationAccess(db: Database, hash: string, id: string): Promise<OrganizationAccess> {
  const rows = await db.all<Row>(sql`
    SELECT caller.*, ${organizationColumns}, m.role AS member_role, m.user IS NOT NULL AND NOT m.disabled AS member_active,
      EXISTS (SELECT 1 FROM team_members tm WHERE tm.user = caller_id AND tm.organization = o.id AND tm.role = 'owner') AS owns_team
    FROM ${callerFrom(hash)}
    LEFT JOIN members m ON m.organization = ${id} AND m.user = caller_id
    LEFT JOIN organizations o ON o.id = m.organization`);
  const row = rows[0];
  const active = row?.member_active === 1;
  return {
    caller: readCaller(row),
    organization: row !== undefined && active ? readOrganization(row) : undefined,
    membership: { active, role: (row?.member_role ?? null) as Role | null, ownsTeam: row?.owns_team === 1 },
  };
}

interface SpaceTarget {
  space: string;
  changeRequest?: string | undefined;
  revision?: string | undefined;
}

/**
 * The caller, a space and the effective role there, with the change request and the revision that the path names.
 * One round trip at any depth of collections. A change request goes by its id or by its number in the space.
 */
export async function findSpaceAccess(db: Database, hash: string, target: SpaceTarget): Promise<SpaceAccess> {
  const rank = spaceRank({
    user: sql`caller_id`,
    role: sql`m.role`,
    active: sql`m.user IS NOT NULL AND NOT m.disabled`,
  });
  const rows = await db.all<Row>(sql`
    SELECT caller.*, ${spaceColumns}, ${rank} AS role_rank, ${changeRequestColumns},
      named.id AS named_id, named.branch AS named_branch, named.seq AS named_seq, named.lineage AS named_lineage
    FROM ${callerFrom(hash)}
    LEFT JOIN spaces s ON s.id = ${target.space}
    LEFT JOIN members m ON m.organization = s.organization AND m.user = caller_id
    ${spaceJoins}
    LEFT JOIN change_requests cr ON cr.id = ${changeRequestId(target.changeRequest)}
    ${changeRequestJoins}
    LEFT JOIN revisions named ON named.id = ${target.revision ?? null} AND named.space = s.id`);
  const row = rows[0];
  const space = row === undefined ? undefined : readSpace(row);
  const changeRequest = row === undefined ? undefined : readChangeRequest(row);
  return {
    caller: readCaller(row),
    space,
    role: roleOfRank(row === undefined ? null : (row.role_rank as number | null)),
    changeRequest,
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

/** The caller and the effective role on a collection. One round trip. */
export async function findCollectionAccess(
  db: Database,
  hash: string,
  id: string,
): Promise<{ caller: CallerRecord | undefined; organization: string | undefined; role: Role | null }> {
  const rank = effectiveRank(
    {
      id: sql`c.id`,
      organization: sql`c.organization`,
      parent: sql`c.parent`,
      defaultLevel: sql`c.default_level`,
      createdBy: sql`c.created_by`,
    },
    { user: sql`caller_id`, role: sql`m.role`, active: sql`m.user IS NOT NULL AND NOT m.disabled` },
  );
  const rows = await db.all<Row>(sql`
    SELECT caller.*, c.organization AS collection_organization, ${rank} AS role_rank
    FROM ${callerFrom(hash)}
    LEFT JOIN collections c ON c.id = ${id}
    LEFT JOIN members m ON m.organization = c.organization AND m.user = caller_id`);
  const row = rows[0];
  return {
    caller: readCaller(row),
    organization: row === undefined ? undefined : (optionalText(row, 'collection_organization') ?? undefined),
    role: roleOfRank(row === undefined ? null : (row.role_rank as number | null)),
  };
}
