import type { CallerRecord, CollectionRecord, Database, RankedMember, Row, SpaceRecord } from '@octavo/db';
import {
  actingMember,
  collectionColumns,
  collectionRank,
  joinActingMember,
  number,
  optionalText,
  rankOf,
  readCollection,
  readSpace,
  spaceColumns,
  spaceJoins,
  spaceRank,
  text,
} from '@octavo/db';
import type { Role } from '@octavo/schema';
import { notFound, roleOfRank } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';

/** What a link leads onto; neither of the two for the organization itself. */
interface InviteContent {
  space?: SpaceRecord | undefined;
  collection?: CollectionRecord | undefined;
}

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

export type Actor = Pick<CallerRecord, 'id' | 'organization'>;

/**
 * A SELECT of the links onto what the actor manages, the newest first, for which `condition` holds on `invites i`; none
 * that gives more than the actor holds, for whoever knows a link's id may join by it. The limit inside has each rank worked out once, though it is both filtered by and given.
 */
export const managedInvites = (actor: Actor, condition: SQL): SQL => sql`
  SELECT *, held AS collection_rank, 0 AS collection_on_the_way FROM (
    SELECT i.id AS invite_id, i.role AS invite_role, i.created_at AS invite_created_at, ${spaceColumns}, ${collectionColumns},
      ${heldRank(actingMember(actor))} AS held
    FROM invites i ${joinActingMember(sql`i.organization`, actor)}
    ${contentJoins(sql`i.object`, sql`i.organization`)} ${spaceJoins}
    WHERE ${condition} ORDER BY i.created_at DESC, i.id DESC LIMIT -1)
  WHERE held >= 5 AND COALESCE(${rankOf(sql`invite_role`)}, 0) <= held`;

/** The links that `managedInvites` selects, in one query. */
export async function findInvites(db: Database, selection: SQL): Promise<InviteRecord[]> {
  const rows = await db.all<Row>(selection);
  return rows.map((row) => ({
    id: text(row, 'invite_id'),
    role: optionalText(row, 'invite_role') as Role | null,
    createdAt: number(row, 'invite_created_at'),
    held: roleOfRank(number(row, 'held')),
    space: readSpace(row),
    collection: readCollection(row),
  }));
}

/** A link of an organization, for who asks for it. */
export interface InviteKey {
  organization: string;
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
