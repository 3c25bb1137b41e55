import type { CallerRecord, CollectionRecord, Database, RankedMember, SpaceRecord } from '@octavo/db';
import {
  collectionRow,
  fromQuery,
  invites,
  joinActingMember,
  nullable,
  readRows,
  selectCollectionRank,
  selection,
  selectRoleRank,
  selectSpaceRank,
  spaceJoins,
  spaceRow,
  toActingMember,
} from '@octavo/db';
import type { OrganizationId, Role } from '@octavo/schema';
import { getRoleByRank, notFound } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { aliasedTable, sql } from 'drizzle-orm';

/** The target of a link: the organization itself if neither is set. */
interface InviteContent {
  space?: SpaceRecord | null | undefined;
  collection?: CollectionRecord | null | undefined;
}

/** A link with the role that its reader holds on its target. */
export interface InviteRecord extends InviteContent {
  id: string;
  role: Role | null;
  createdAt: number;
  held: Role | null;
}

/** Joins the space `s` or the collection `c` of an id if the organization owns it and it is not deleted. */
export const joinContent = (object: SQL, organization: SQL): SQL => sql`
  LEFT JOIN spaces s ON s.id = ${object} AND s.organization = ${organization} AND s.deleted_at IS NULL
  LEFT JOIN collections c ON c.id = ${object} AND c.organization = ${organization} AND c.deleted_at IS NULL`;

/**
 * The rank of a member on the target of a link `i`: null if the target is deleted. If the target is the organization,
 * only admins have a rank.
 */
const selectHeldRank = (member: RankedMember): SQL => sql`CASE
  WHEN s.id IS NOT NULL THEN ${selectSpaceRank(member)}
  WHEN c.id IS NOT NULL THEN ${selectCollectionRank(member)}
  WHEN i.object IS NULL AND ${member.role} IS 'admin' AND ${member.active} THEN 6 END`;

const i = aliasedTable(invites, 'i');
const inviteRow = selection({
  id: i.id,
  role: i.role,
  createdAt: i.createdAt,
  held: fromQuery(getRoleByRank),
  space: nullable(spaceRow.fields),
  collection: nullable(collectionRow.fields),
});
const { names } = inviteRow;

type Actor = Pick<CallerRecord, 'id' | 'organization'>;

/**
 * Selects the links whose targets the actor manages and that satisfy `condition` on `invites i`, newest first. Leaves
 * out links that grant more than the actor's own role, because anyone who knows the id of a link can join with it. The
 * query filters by the rank and also returns it; the inner LIMIT makes SQLite compute each rank only once.
 */
export const selectManagedInvites = (actor: Actor, condition: SQL): SQL => sql`
  SELECT *, ${names.held} AS ${names.collection.role}, 0 AS ${names.collection.onTheWay} FROM (
    SELECT ${inviteRow.with({ held: selectHeldRank(toActingMember(actor)) })}
    FROM invites i ${joinActingMember(sql`i.organization`, actor)}
    ${joinContent(sql`i.object`, sql`i.organization`)} ${spaceJoins}
    WHERE ${condition} ORDER BY i.created_at DESC, i.id DESC LIMIT -1)
  WHERE ${names.held} >= 5 AND COALESCE(${selectRoleRank(names.role)}, 0) <= ${names.held}`;

/** Reads the links that `selectManagedInvites` selects. */
export const findInvites = (db: Database, links: SQL): Promise<InviteRecord[]> => readRows(db, inviteRow.query(links));

/** Identifies a link of an organization for an actor. */
export interface InviteKey {
  organization: OrganizationId;
  id: string;
  actor: Actor;
}

/** Selects one link if the actor manages its target. */
export const selectManagedInvite = ({ organization, id, actor }: InviteKey): SQL =>
  selectManagedInvites(actor, sql`i.id = ${id} AND i.organization = ${organization}`);

/** @throws ApiError not_found, also if the actor does not manage the target */
export async function getInvite(db: Database, key: InviteKey): Promise<InviteRecord> {
  const [invite] = await findInvites(db, selectManagedInvite(key));
  if (invite === undefined) throw notFound('invite');
  return invite;
}
