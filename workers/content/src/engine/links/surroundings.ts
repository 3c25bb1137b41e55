import type { CallerRecord, Database, Row, SpaceRecord, Statement } from '@octavo/db';
import {
  actingMember,
  joinActingMember,
  json,
  membershipColumns,
  number,
  organizationColumns,
  readMembership,
  readOrganization,
  readSpace,
  spaceColumns,
  spaceJoins,
  spaceRank,
  text,
} from '@octavo/db';
import type { Urls } from '@octavo/runtime';
import { presentOrganization, presentSpace } from '@octavo/runtime';
import type { Organization, RevisionContext, RevisionType, Role, Space } from '@octavo/schema';
import { roleOfRank, timestamp } from '@octavo/schema';
import { sql } from 'drizzle-orm';

/** The organization of a space and the revision that is read, as references name them. */
export interface Surroundings {
  organization: Organization;
  space: Space;
  revision: RevisionContext;
}

interface Reader {
  space: SpaceRecord;
  role: Role | null;
  actor: CallerRecord;
  urls: Urls;
}

export const readSurroundings = (db: Database, { space, actor }: Reader, revision: string): Statement =>
  db.all<Row>(sql`
    SELECT ${organizationColumns}, ${membershipColumns(sql`${actor.organization}`)}, r.id, r.type, r.parents, r.created_at
    FROM revisions r CROSS JOIN organizations o ON o.id = ${space.organization}
    LEFT JOIN members m ON m.organization = o.id AND m.user = ${actor.id}
    WHERE r.id = ${revision}`);

export function surroundingsOf(row: Row | undefined, { space, role, urls }: Reader): Surroundings {
  if (row === undefined) throw new Error('A space has no organization or no head.');
  const revision: RevisionContext = {
    object: 'revision',
    id: text(row, 'id'),
    type: text(row, 'type') as RevisionType,
    parents: json<string[]>(row, 'parents'),
    createdAt: timestamp(number(row, 'created_at')),
    urls: { app: urls.app(`/spaces/${space.id}/revisions/${text(row, 'id')}`) },
  };
  return {
    organization: presentOrganization(readOrganization(row), readMembership(row), urls),
    space: presentSpace(space, role, urls),
    revision,
  };
}

/** Of these spaces those that the caller may view, each with its organization. */
export const readOtherSpaces = (db: Database, ids: string[], actor: CallerRecord): Statement =>
  db.all<Row>(sql`
    SELECT * FROM (
      SELECT ${spaceColumns}, ${organizationColumns}, ${membershipColumns(sql`${actor.organization}`)}, ${spaceRank(actingMember(actor))} AS role_rank
      FROM json_each(${JSON.stringify(ids)}) wanted CROSS JOIN spaces s ON s.id = wanted.value
      ${joinActingMember(sql`s.organization`, actor)} ${spaceJoins}
      WHERE s.deleted_at IS NULL)
    WHERE role_rank > 0`);

export const otherSpacesOf = (rows: Row[], urls: Urls): Map<string, { organization: Organization; space: Space }> =>
  new Map(
    rows.flatMap((row) => {
      const space = readSpace(row);
      if (space === undefined) return [];
      const organization = presentOrganization(readOrganization(row), readMembership(row), urls);
      const role = roleOfRank(number(row, 'role_rank'));
      return [[space.id, { organization, space: presentSpace(space, role, urls) }]];
    }),
  );
