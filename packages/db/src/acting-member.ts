import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import type { CallerRecord } from './access.ts';
import { collectionColumns } from './collection-record.ts';
import type { RankedMember } from './effective-role.ts';
import { collectionRank, isActive, isOnTheWay, spaceRank } from './effective-role.ts';
import { spaceColumns, spaceJoins } from './space-record.ts';

type Actor = Pick<CallerRecord, 'id' | 'organization'>;

/** Joins the actor's membership as `members m` and its `organizations o`, of the organization that an expression names. */
export const joinActingMember = (organization: SQL, actor: Pick<Actor, 'id'>): SQL => sql`
  CROSS JOIN members m ON m.organization = ${organization} AND m.user = ${actor.id}
  CROSS JOIN organizations o ON o.id = m.organization`;

/** The actor as the member that `joinActingMember` joined. */
export const actingMember = ({ organization }: Pick<Actor, 'organization'>): RankedMember => ({
  user: sql`m.user`,
  role: sql`m.role`,
  active: isActive(sql`${organization}`),
});

/** Whether a member may view `collections c`: by a rank on it, or because it is on the way to something. */
export const mayViewCollection = (organization: SQL, member: RankedMember): SQL =>
  sql`(${collectionRank(member)} > 0 OR ${isOnTheWay(sql`c.id`, organization, member)})`;

/** A SELECT of a collection as the actor has it now; it goes into a batch to tell the rights after a change. */
export const collectionOfActor = (id: string, actor: Actor): SQL => {
  const member = actingMember(actor);
  return sql`
  SELECT ${collectionColumns}, ${collectionRank(member)} AS collection_rank,
    ${isOnTheWay(sql`c.id`, sql`c.organization`, member)} AS collection_on_the_way
  FROM collections c ${joinActingMember(sql`c.organization`, actor)} WHERE c.id = ${id}`;
};

/** `collectionOfActor` of a space, as `readSpace` takes it, with the actor's `role_rank`. */
export const spaceOfActor = (id: string, actor: Actor): SQL => sql`
  SELECT ${spaceColumns}, ${spaceRank(actingMember(actor))} AS role_rank
  FROM spaces s ${joinActingMember(sql`s.organization`, actor)} ${spaceJoins} WHERE s.id = ${id}`;
