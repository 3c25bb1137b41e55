import type { CallerRecord, RecordOf, SpaceRecord } from '@octavo/db';
import {
  actingMember,
  countedMembership,
  isActive,
  joinActingMember,
  limitedRole,
  membershipRow,
  organizationRow,
  revisions,
  selection,
  spaceJoins,
  spaceRank,
  spaceWithRoleRow,
} from '@octavo/db';

import type { Urls } from '@octavo/runtime';
import { presentOrganization, presentSpace } from '@octavo/runtime';
import type { Organization, RevisionContext, RevisionId, Role, Space } from '@octavo/schema';
import { timestamp } from '@octavo/schema';
import { aliasedTable, sql } from 'drizzle-orm';

/** The organization of a space and the revision that is read, as references name them. */
export interface LinkSurroundings {
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

const r = aliasedTable(revisions, 'r');
const organizationFields = { organization: organizationRow.fields, membership: membershipRow.fields };
const surroundingsRow = selection({
  ...organizationFields,
  revision: { id: r.id, type: r.type, parents: r.parents, createdAt: r.createdAt },
});

const membershipOf = (actor: CallerRecord) => ({ active: isActive(sql`${actor.organization}`) });

export const readSurroundings = ({ space, actor }: Reader, revision: RevisionId) =>
  surroundingsRow.query(sql`
    SELECT ${surroundingsRow.with({ membership: membershipOf(actor) })}
    FROM revisions r CROSS JOIN organizations o ON o.id = ${space.organization}
    LEFT JOIN members m ON m.organization = o.id AND m.user = ${actor.id}
    WHERE r.id = ${revision}`);

export function surroundingsOf(
  row: RecordOf<typeof surroundingsRow> | undefined,
  { space, role, actor, urls }: Reader,
): LinkSurroundings {
  if (row === undefined) throw new Error('A space has no organization or no head.');
  const { id, createdAt } = row.revision;
  return {
    organization: presentOrganization(row.organization, countedMembership(actor, row.membership), urls),
    space: presentSpace(space, role, urls),
    revision: {
      object: 'revision',
      ...row.revision,
      createdAt: timestamp(createdAt),
      urls: { app: urls.app(`/spaces/${space.id}/revisions/${id}`) },
    },
  };
}

const otherSpaceRow = selection({ ...spaceWithRoleRow.fields, ...organizationFields });
type OtherSpace = RecordOf<typeof otherSpaceRow>;

/** Of these spaces those that the caller may view, each with its organization. */
export function readOtherSpaces(ids: string[], actor: CallerRecord) {
  const columns = otherSpaceRow.with({ role: spaceRank(actingMember(actor)), membership: membershipOf(actor) });
  return otherSpaceRow.query(sql`
    SELECT * FROM (
      SELECT ${columns}
      FROM json_each(${JSON.stringify(ids)}) wanted CROSS JOIN spaces s ON s.id = wanted.value
      ${joinActingMember(sql`s.organization`, actor)} ${spaceJoins}
      WHERE s.deleted_at IS NULL)
    WHERE ${otherSpaceRow.names.role} > 0`);
}

export const otherSpacesOf = (
  rows: OtherSpace[],
  { actor, urls }: Pick<Reader, 'actor' | 'urls'>,
): Map<string, { organization: Organization; space: Space }> =>
  new Map(
    rows.map(({ space, role, organization, membership }) => [
      space.id,
      {
        organization: presentOrganization(organization, countedMembership(actor, membership), urls),
        space: presentSpace(space, limitedRole(actor, role), urls),
      },
    ]),
  );
