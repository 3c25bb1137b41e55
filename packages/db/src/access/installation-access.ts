import type { SQL } from 'drizzle-orm';
import { aliasedTable, sql } from 'drizzle-orm';
import type { Database } from '../connect.ts';
import { readRow } from '../connect.ts';
import { statement } from '../prepared.ts';
import type { RecordOf } from '../selection.ts';
import { maybe, selection } from '../selection.ts';
import { installations, integrations } from '../tables/integrations.ts';
import type { CallerRecord } from './access.ts';
import { isActive, spaceRank } from './effective-role.ts';
import { grantedScopesField, reachesSite } from './installation-limits.ts';
import { isIntegration } from './integration-access.ts';
import { caller, callerFrom, placeFields } from './statements.ts';

const [i, g] = [aliasedTable(installations, 'i'), aliasedTable(integrations, 'g')];

/** An installation with its integration. Selects from `installations i` and `integrations g`. */
export const installationRow = selection({
  id: i.id,
  organization: i.organization,
  account: i.account,
  status: i.status,
  /** The scopes that are currently effective. */
  scopes: grantedScopesField(sql`i`, sql`g`),
  spaceSelection: i.spaceSelection,
  siteSelection: i.siteSelection,
  configuration: i.configuration,
  externalIds: i.externalIds,
  spaces: i.spaces,
  createdAt: i.createdAt,
  updatedAt: i.updatedAt,
  integration: {
    name: g.name,
    account: g.account,
    version: g.version,
    title: g.title,
    target: g.target,
    scopes: g.scopes,
    configurations: g.configurations,
  },
});

export type InstallationRecord = RecordOf<typeof installationRow>;

/** Joins the integration of `installations i`. Installations of an unpublished integration are ignored. */
export const joinIntegration = sql`CROSS JOIN integrations g ON g.name = i.integration AND g.unpublished_at IS NULL`;

const boundTo = sql`caller_organization`;

const installationAccessRow = selection({
  caller,
  member: placeFields,
  installation: maybe(installationRow.fields),
});

const installationAccessOf = statement(
  (hash: SQL<string>, now: SQL<number>, integration: SQL<string>, id: SQL<string>) =>
    installationAccessRow.query(sql`
      SELECT caller.*, ${installationAccessRow.with({ member: { active: isActive(boundTo) } })}
      FROM ${callerFrom(hash, now)}
      LEFT JOIN integrations g ON g.name = ${integration} AND g.unpublished_at IS NULL
      LEFT JOIN installations i ON i.id = ${id} AND i.integration = g.name
      LEFT JOIN members m ON m.organization = i.organization AND m.user = caller_id
      LEFT JOIN organizations o ON o.id = m.organization`),
);

export interface InstallationAccess {
  caller: CallerRecord | undefined;
  installation: InstallationRecord | undefined;
  /** Whether the caller is the installation itself, or its integration. */
  isOwn: boolean;
  isMember: boolean;
  /** Whether the caller is an admin of the installation's organization. */
  isAdmin: boolean;
}

/** Returns an installation and the caller's relation to it. One round trip. */
export async function findInstallationAccess(
  db: Database,
  hash: string,
  path: { integration: string; id: string },
): Promise<InstallationAccess> {
  const row = await readRow(db, installationAccessOf(hash, Date.now(), path.integration, path.id));
  const { caller: actor, installation, member } = row ?? {};
  const found = installation ?? undefined;
  const isPerson = actor?.integration === null;
  const isMember = isPerson && member?.active === true;
  return {
    caller: actor,
    installation: found,
    isOwn: found !== undefined && actor !== undefined && isOwn(actor, found),
    isMember,
    isAdmin: isMember && member?.role === 'admin',
  };
}

const isOwn = (caller: CallerRecord, { id, integration }: InstallationRecord) =>
  caller.installation === null ? isIntegration(caller, integration) : caller.installation === id;

const placeRow = selection({ id: aliasedTable(installations, 'place').id });

/** The account of `installations i`, as the member `m` of the organization `o`. */
const account = { user: sql`m.user`, role: sql`m.role`, active: isActive(sql`m.organization`) };

const joinAccount = sql`CROSS JOIN members m ON m.organization = i.organization AND m.user = i.account
  CROSS JOIN organizations o ON o.id = m.organization`;

/** Queries for a space or a site that an installation can access in its organization. */
export const reachedByInstallation = {
  space: statement((installation: SQL<string>, space: SQL<string>) =>
    placeRow.query(sql`SELECT s.id FROM installations i ${joinAccount}
      CROSS JOIN spaces s ON s.id = ${space} AND s.organization = i.organization
        AND s.deleted_at IS NULL AND s.purging_at IS NULL
      WHERE i.id = ${installation} AND ${spaceRank(account)} > 0`),
  ),
  site: statement((installation: SQL<string>, site: SQL<string>) =>
    placeRow.query(sql`SELECT st.id FROM installations i ${joinAccount}
      CROSS JOIN sites st ON st.id = ${site} AND st.organization = i.organization
      WHERE i.id = ${installation} AND NOT m.disabled AND ${reachesSite}`),
  ),
};
