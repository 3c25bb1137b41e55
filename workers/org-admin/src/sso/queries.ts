import type { Check, Database, RecordOf } from '@octavo/db';
import { maybe, readRow, samlProviders, selection, teamRow } from '@octavo/db';
import type { Urls } from '@octavo/runtime';
import type { OrganizationId } from '@octavo/schema';
import { notFound } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { aliasedTable, sql } from 'drizzle-orm';

const p = aliasedTable(samlProviders, 'p');

const providerRow = selection({
  id: p.id,
  organization: p.organization,
  label: p.label,
  ssoURL: p.ssoUrl,
  entityID: p.entityId,
  certificate: p.certificate,
  defaultRole: p.defaultRole,
  defaultTeam: maybe(teamRow.fields),
  createdAt: p.createdAt,
});

export type ProviderRecord = RecordOf<typeof providerRow>;

/** Whether members can sign in through `saml_providers p`. */
export const isConfigured = sql.raw(`(p.sso_url <> '' AND p.entity_id <> '' AND p.certificate <> '')`);

/** Whether the organization has a provider that members can sign in through. */
export const canSignIn = (organization: OrganizationId) =>
  sql`EXISTS (SELECT 1 FROM saml_providers p WHERE p.organization = ${organization} AND ${isConfigured})`;

/** Selects providers `p` with their default teams as the user `reader` sees them. */
export const selectProviders = (rest: SQL, reader: string | null = null) =>
  providerRow.query(sql`
    SELECT ${providerRow} FROM saml_providers p
    LEFT JOIN teams t ON t.id = p.default_team AND t.organization = p.organization
    LEFT JOIN team_members mine ON mine.team = t.id AND mine.user = ${reader}
    ${rest}`);

export const selectProvider = (organization: OrganizationId, id: string, reader: string) =>
  selectProviders(sql`WHERE p.id = ${id} AND p.organization = ${organization}`, reader);

export const providerExists = (organization: OrganizationId, id: string): Check => ({
  holds: sql`EXISTS (SELECT 1 FROM saml_providers WHERE id = ${id} AND organization = ${organization})`,
  otherwise: () => notFound('SAML provider'),
});

export const isActive = ({ ssoURL, entityID, certificate }: ProviderRecord): boolean =>
  ssoURL !== '' && entityID !== '' && certificate !== '';

/** Reads a provider by the id in the path of a sign-in page. */
export const findProvider = (db: Database, id: string): Promise<ProviderRecord | undefined> =>
  readRow(db, selectProviders(sql`WHERE p.id = ${id}`));

/** The URLs that the identity provider is configured with. */
export const serviceOf = (urls: Urls, provider: string) => ({
  acsURL: urls.page(`/sso/saml/${provider}/acs`),
  startURL: urls.page(`/sso/saml/${provider}/start`),
  entityID: urls.page(`/sso/saml/${provider}/metadata`),
});

export type Service = ReturnType<typeof serviceOf>;
