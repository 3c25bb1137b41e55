import type { CallerRecord, CollectionRecord, Database, RankedMember, SpaceRecord } from '@octavo/db';
import {
  actingMember,
  collectionRank,
  collectionRow,
  given,
  invites,
  joinActingMember,
  maybe,
  rankOf,
  readRows,
  selection,
  spaceJoins,
  spaceRank,
  spaceRow,
} from '@octavo/db';
import type { OrganizationId, Role } from '@octavo/schema';
import { notFound, roleOfRank } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { aliasedTable, sql } from 'drizzle-orm';

/** What a link leads onto; neither of the two for the organization itself. */
interface InviteContent {
  space?: SpaceRecord | null | undefined;
  collection?: CollectionRecord | null | undefined;
}

/** A link with the role that its reader holds on what it leads onto. */
export interface InviteRecord extends InviteContent {
  id: string;
  role: Role | null;
  createdAt: number;
  /** The role that its reader holds on what it leads onto. */
  held: Role | null;
}

/** `s` and `c` of a space or collection by its id, where it is of the organization and not deleted. */
export const contentJoins = (object: SQL, organization: SQL): SQL => sql`
  LEFT JOIN spaces s ON s.id = ${object} AND s.organization = ${organization} AND s.deleted_at IS NULL
  LEFT JOIN collections c ON c.id = ${object} AND c.organization = ${organization} AND c.deleted_at IS NULL`;

/** The rank of a member on what a link `i` leads onto: none where that is deleted, and on the organization but an admin's. */
const heldRank = (member: RankedMember): SQL => sql`CASE
  WHEN s.id IS NOT NULL THEN ${spaceRank(member)}
  WHEN c.id IS NOT NULL THEN ${collectionRank(member)}
  WHEN i.object IS NULL AND ${member.role} IS 'admin' AND ${member.active} THEN 6 END`;

const i = aliasedTable(invites, 'i');
const inviteRow = selection({
  id: i.id,
  role: i.role,
  createdAt: i.createdAt,
  held: given(roleOfRank),
  space: maybe(spaceRow.fields),
  collection: maybe(collectionRow.fields),
});
const { names } = inviteRow;

type Actor = Pick<CallerRecord, 'id' | 'organization'>;

/**
 * A SELECT of the links onto what the actor manages, the newest first, for which `condition` holds on `invites i`; none
 * that gives more than the actor holds, for whoever knows a link's id may join by it. The limit inside has each rank worked out once, though it is both filtered by and given.
 */
export const managedInvites = (actor: Actor, condition: SQL): SQL => sql`
  SELECT *, ${names.held} AS ${names.collection.role}, 0 AS ${names.collection.onTheWay} FROM (
    SELECT ${inviteRow.with({ held: heldRank(actingMember(actor)) })}
    FROM invites i ${joinActingMember(sql`i.organization`, actor)}
    ${contentJoins(sql`i.object`, sql`i.organization`)} ${spaceJoins}
    WHERE ${condition} ORDER BY i.created_at DESC, i.id DESC LIMIT -1)
  WHERE ${names.held} >= 5 AND COALESCE(${rankOf(names.role)}, 0) <= ${names.held}`;

/** The links that `managedInvites` selects, in one query. */
export const findInvites = (db: Database, links: SQL): Promise<InviteRecord[]> => readRows(db, inviteRow.query(links));

/** A link of an organization, for who asks for it. */
export interface InviteKey {
  organization: OrganizationId;
  id: string;
  actor: Actor;
}

/** `managedInvites` of one link. */
export const managedInvite = ({ organization, id, actor }: InviteKey): SQL =>
  managedInvites(actor, sql`i.id = ${id} AND i.organization = ${organization}`);

/** @throws ApiError not_found, also for a link onto what the actor does not manage */
export async function getInvite(db: Database, key: InviteKey): Promise<InviteRecord> {
  const [invite] = await findInvites(db, managedInvite(key));
  if (invite === undefined) throw notFound('invite');
  return invite;
}
