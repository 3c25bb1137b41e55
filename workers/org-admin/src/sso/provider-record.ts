import type { Check, Database, Row, TeamRecord } from '@octavo/db';
import { number, optionalText, readTeam, teamColumns, text } from '@octavo/db';
import type { Role } from '@octavo/schema';
import { notFound } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';

export interface ProviderRecord {
  id: string;
  organization: string;
  label: string;
  ssoURL: string;
  entityID: string;
  certificate: string;
  defaultRole: Role | null;
  defaultTeam: TeamRecord | undefined;
  createdAt: number;
}

const columns = sql.raw(
  ['id', 'organization', 'label', 'sso_url', 'entity_id', 'certificate', 'default_role', 'created_at']
    .map((column) => `p.${column} AS provider_${column}`)
    .join(', '),
);

/** True for a provider that members can sign in through; of `saml_providers p`. */
export const isConfigured = sql.raw(`(p.sso_url <> '' AND p.entity_id <> '' AND p.certificate <> '')`);

/** Selects providers `p` with their default teams, as the user `reader` sees those. */
export const selectProviders = (rest: SQL, reader: string | null = null): SQL => sql`
  SELECT ${columns}, ${teamColumns} FROM saml_providers p
  LEFT JOIN teams t ON t.id = p.default_team AND t.organization = p.organization
  LEFT JOIN team_members mine ON mine.team = t.id AND mine.user = ${reader}
  ${rest}`;

export const readProvider = (row: Row): ProviderRecord => ({
  id: text(row, 'provider_id'),
  organization: text(row, 'provider_organization'),
  label: text(row, 'provider_label'),
  ssoURL: text(row, 'provider_sso_url'),
  entityID: text(row, 'provider_entity_id'),
  certificate: text(row, 'provider_certificate'),
  defaultRole: optionalText(row, 'provider_default_role') as Role | null,
  defaultTeam: readTeam(row),
  createdAt: number(row, 'provider_created_at'),
});

/** One provider of an organization. */
export const selectProvider = (organization: string, id: string, reader: string): SQL =>
  selectProviders(sql`WHERE p.id = ${id} AND p.organization = ${organization}`, reader);

export const providerExists = (organization: string, id: string): Check => ({
  holds: sql`EXISTS (SELECT 1 FROM saml_providers WHERE id = ${id} AND organization = ${organization})`,
  otherwise: () => notFound('SAML provider'),
});

export const isActive = ({ ssoURL, entityID, certificate }: ProviderRecord): boolean =>
  ssoURL !== '' && entityID !== '' && certificate !== '';

/** A provider by the id in a sign-in page's path. */
export async function findProvider(db: Database, id: string): Promise<ProviderRecord | undefined> {
  const rows = await db.all<Row>(selectProviders(sql`WHERE p.id = ${id}`));
  return rows[0] === undefined ? undefined : readProvider(rows[0]);
}
