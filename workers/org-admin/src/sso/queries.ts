import type { Check, Database, Parameter, RecordOf } from '@octavo/db';
import { nullable, prepareQuery, readRow, samlProviders, selection, teamMembers, teamRow, teams } from '@octavo/db';
import type { Urls } from '@octavo/runtime';
import type { OrganizationId, UserId } from '@octavo/schema';
import { notFound } from '@octavo/schema';
import { aliasedTable, and, desc, eq, sql } from 'drizzle-orm';

const [p, t, mine] = [aliasedTable(samlProviders, 'p'), aliasedTable(teams, 't'), aliasedTable(teamMembers, 'mine')];

const providerRow = selection({
  id: p.id,
  organization: p.organization,
  label: p.label,
  ssoURL: p.ssoUrl,
  entityID: p.entityId,
  certificate: p.certificate,
  defaultRole: p.defaultRole,
  defaultTeam: nullable(teamRow.fields),
  createdAt: p.createdAt,
});

export type ProviderRecord = RecordOf<typeof providerRow>;

/** Whether members can sign in through `saml_providers p`. */
export const isConfigured = sql.raw(`(p.sso_url <> '' AND p.entity_id <> '' AND p.certificate <> '')`);

/** Whether the organization has a provider that members can sign in through. */
export const canSignIn = (organization: OrganizationId) =>
  sql`EXISTS (SELECT 1 FROM saml_providers p WHERE p.organization = ${organization} AND ${isConfigured})`;

/** A provider of an organization with its default team as the user `reader` sees it. */
export const providerById = prepareQuery(
  providerRow,
  (select, organization: Parameter<OrganizationId>, id: Parameter<string>, reader: Parameter<UserId>) =>
    select
      .from(p)
      .leftJoin(t, and(eq(t.id, p.defaultTeam), eq(t.organization, p.organization)))
      .leftJoin(mine, and(eq(mine.team, t.id), eq(mine.user, reader)))
      .where(and(eq(p.id, id), eq(p.organization, organization))),
);

/** The providers of an organization, newest first, with their default teams as the user `reader` sees them. */
export const providersOfOrganization = prepareQuery(
  providerRow,
  (
    select,
    organization: Parameter<OrganizationId>,
    reader: Parameter<UserId>,
    time: Parameter<number>,
    id: Parameter<string>,
    limit: Parameter<number>,
  ) =>
    select
      .from(p)
      .leftJoin(t, and(eq(t.id, p.defaultTeam), eq(t.organization, p.organization)))
      .leftJoin(mine, and(eq(mine.team, t.id), eq(mine.user, reader)))
      .where(and(eq(p.organization, organization), sql`(${p.createdAt}, ${p.id}) < (${time}, ${id})`))
      .orderBy(desc(p.createdAt), desc(p.id))
      .limit(limit),
);

export const createProviderExistenceCheck = (organization: OrganizationId, id: string): Check => ({
  condition: sql`EXISTS (SELECT 1 FROM saml_providers WHERE id = ${id} AND organization = ${organization})`,
  createError: () => notFound('SAML provider'),
});

export const isActive = ({ ssoURL, entityID, certificate }: Omit<IdentityProvider, 'id'>): boolean =>
  ssoURL !== '' && entityID !== '' && certificate !== '';

const identityProviderRow = selection({
  id: p.id,
  ssoURL: p.ssoUrl,
  entityID: p.entityId,
  certificate: p.certificate,
});

/** The fields of a provider that the sign-in pages need. */
export type IdentityProvider = RecordOf<typeof identityProviderRow>;

const identityProviderById = prepareQuery(identityProviderRow, (select, id: Parameter<string>) =>
  select.from(p).where(eq(p.id, id)),
);

/** Reads a provider by the id in the path of a sign-in page. @throws ApiError not_found */
export async function findProvider(db: Database, id: string | undefined): Promise<IdentityProvider> {
  const provider = await readRow(db, identityProviderById(id ?? ''));
  if (provider === undefined) throw notFound('SSO provider');
  return provider;
}

/** Like `findProvider`, for a provider that members can sign in through. @throws ApiError not_found */
export async function findActiveProvider(db: Database, id: string | undefined): Promise<IdentityProvider> {
  const provider = await findProvider(db, id);
  if (!isActive(provider)) throw notFound('SSO provider');
  return provider;
}

/** The URLs that the identity provider is configured with. */
export const getService = (urls: Urls, provider: string) => ({
  acsURL: urls.page(`/sso/saml/${provider}/acs`),
  startURL: urls.page(`/sso/saml/${provider}/start`),
  entityID: urls.page(`/sso/saml/${provider}/metadata`),
});

export type Service = ReturnType<typeof getService>;
