import type { UserId } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import type { Database } from '../connect.ts';
import { readRow } from '../connect.ts';
import { statement } from '../prepared.ts';
import type { RecordOf } from '../selection.ts';
import { given, maybe, selection } from '../selection.ts';
import { integrationRow, membershipRow, organizationRow } from '../statements/records.ts';
import type { CallerRecord } from './access.ts';
import { isActive } from './effective-role.ts';
import { caller, callerFrom } from './statements.ts';

/** An integration, its owner, the caller's membership there, and whether the caller may install it. */
const shownFields = {
  integration: integrationRow.fields,
  organization: organizationRow.fields,
  membership: membershipRow.fields,
  installs: given(Boolean),
};

/** Selects from `integrations i`, `organizations o` and the caller's `members m` there. */
export const shownIntegrationRow = selection(shownFields);
export type ShownIntegrationRecord = RecordOf<typeof shownIntegrationRow>;

/**
 * A condition: the user has a grant to create content, directly or through a team. A direct grant overrides those of
 * teams.
 */
const mayCreateSomewhere = (user: SQL): SQL => sql`(
  EXISTS (SELECT 1 FROM grants g WHERE g.subject = ${user} AND g.organization = m.organization
    AND g.role IN ('admin', 'create') AND ${isThere})
  OR EXISTS (SELECT 1 FROM team_members tm CROSS JOIN grants g ON g.subject = tm.team AND g.organization = tm.organization
    WHERE tm.user = ${user} AND tm.organization = m.organization AND g.role IN ('admin', 'create') AND ${isThere}
      AND NOT EXISTS (SELECT 1 FROM grants own WHERE own.object = g.object AND own.subject = ${user})))`;

const isThere = sql`(EXISTS (SELECT 1 FROM spaces k WHERE k.id = g.object AND k.deleted_at IS NULL)
  OR EXISTS (SELECT 1 FROM collections k WHERE k.id = g.object AND k.deleted_at IS NULL))`;

/**
 * The organizations where a caller may install: everywhere in an organization as its admin, otherwise on content where
 * the caller may create (permissions.md, section 5, Integration).
 */
export const installingPlaces = (user: SQL, boundTo: SQL): SQL => sql`
  SELECT m.organization, m.role IS 'admin' AS everywhere
  FROM members m CROSS JOIN organizations o ON o.id = m.organization
  WHERE m.user = ${user} AND ${isActive(boundTo)} AND (COALESCE(m.role, '') IN ('admin', 'create') OR ${mayCreateSomewhere(user)})`;

/**
 * A condition: `integrations i` may be installed in one of these organizations. A private integration can be installed
 * only in its owner's organization.
 */
export const installsAt = (places: SQL): SQL => sql`EXISTS (SELECT 1 FROM ${places} p
  WHERE (i.visibility <> 'private' OR p.organization = i.organization) AND (p.everywhere OR i.target <> 'organization'))`;

const accessRow = selection({ caller, shown: maybe(shownFields) });

interface IntegrationAccess {
  caller: CallerRecord | undefined;
  shown: ShownIntegrationRecord | undefined;
}

/**
 * Returns whether the caller is the integration itself or an installation of it. Compares accounts too, because another
 * owner can have taken over the name. Accounts of installations need no comparison, because they are deleted with them.
 */
export const isIntegration = (
  { id, integration, installation }: Pick<CallerRecord, 'id' | 'integration' | 'installation'>,
  { name, account }: { name: string; account: UserId },
): boolean => integration === name && (installation !== null || id === account);

const boundTo = sql`caller_organization`;

const integrationAccessOf = statement((hash: SQL<string>, now: SQL<number>, name: SQL<string>) => {
  const columns = accessRow.with({
    shown: {
      membership: { active: isActive(boundTo) },
      installs: installsAt(sql`(${installingPlaces(sql`caller_id`, boundTo)})`),
    },
  });
  return accessRow.query(sql`
    SELECT caller.*, ${columns}
    FROM ${callerFrom(hash, now)}
    LEFT JOIN integrations i ON i.name = ${name} AND i.unpublished_at IS NULL
    LEFT JOIN organizations o ON o.id = i.organization
    LEFT JOIN members m ON m.organization = o.id AND m.user = caller_id`);
});

/** Returns the caller, and an integration with the caller's membership in its owner. One round trip. */
export async function findIntegrationAccess(db: Database, hash: string, name: string): Promise<IntegrationAccess> {
  const row = await readRow(db, integrationAccessOf(hash, Date.now(), name));
  return { caller: row?.caller, shown: row?.shown ?? undefined };
}
