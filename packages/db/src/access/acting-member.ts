import { roleOfRank } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import type { Query, RecordOf } from '../selection.ts';
import { given, maybe, selection } from '../selection.ts';
import type { CollectionRecord } from '../statements/records.ts';
import { collectionRow, spaceJoins, spaceRow } from '../statements/records.ts';
import type { CallerRecord } from './access.ts';
import type { RankedMember } from './effective-role.ts';
import { collectionRank, isActive, isOnTheWay, spaceRank } from './effective-role.ts';

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
