import type { Check, Database, Membership, Parameter } from '@octavo/db';
import {
  commitChecked,
  decodeTimeCursor,
  getOnlyRow,
  paginate,
  prepareQuery,
  readRow,
  readRows,
  samlProviders,
  samlRequests,
  selection,
  ssoIdentities,
  tokens,
} from '@octavo/db';
import type { Urls } from '@octavo/runtime';
import type { OrganizationId, SamlProvider } from '@octavo/schema';
import { conflict, createId, formatTimestamp, invalid, notFound, preconditionFailed } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { aliasedTable, and, eq, sql } from 'drizzle-orm';
import { handler } from '../handler.ts';
import { hasAdmin } from '../members/admins.ts';
import { presentTeam } from '../teams/presenter.ts';
import type { ProviderRecord } from './queries.ts';
import {
  canSignIn,
  createProviderExistenceCheck,
  getService,
  isActive,
  isConfigured,
  providerById,
  providersOfOrganization,
} from './queries.ts';
import { readCertificate } from './saml-library.ts';

export const listSAMLProvidersInOrganizationById = handler(
  'listSAMLProvidersInOrganizationById',
  async ({ query }, { db, actor, organization, membership, urls }) => {
    const providers = await readRows(
      db,
      providersOfOrganization(organization.id, actor.id, ...decodeTimeCursor(query.page), query.limit + 1),
    );
    return paginate(providers, query.limit, {
      item: (provider) => presentSamlProvider(provider, { membership, urls }),
      getCursor: ({ createdAt, id }) => [createdAt, id],
    });
  },
);

export const getOrganizationSAMLProviderById = handler(
  'getOrganizationSAMLProviderById',
  async ({ params }, { db, actor, organization, membership, urls }) => {
    const provider = await readRow(db, providerById(organization.id, params.samlProviderId, actor.id));
    if (provider === undefined) throw notFound('SAML provider');
    return presentSamlProvider(provider, { membership, urls });
  },
);

/** Members see the providers in one list that is not paginated. */
const maxProvidersPerOrganization = 20;

export const createOrganizationSAMLProvider = handler(
  'createOrganizationSAMLProvider',
  async ({ body }, { db, actor, organization, membership, commit, urls }) => {
    const id = createId('samlProvider');
    const { label, ssoURL: ssoUrl = '', entityID: entityId = '', certificate = '' } = body;
    const { defaultTeam = null, defaultRole = null } = body;
    const settings = { label, ssoUrl, entityId, certificate, defaultTeam, defaultRole };
    const mayHaveMore = {
      condition: sql`(SELECT COUNT(*) FROM saml_providers WHERE organization = ${organization.id}) < ${maxProvidersPerOrganization}`,
      createError: () => conflict(`An organization can have at most ${maxProvidersPerOrganization} SAML providers.`),
    };
    const write = db
      .insert(samlProviders)
      .values({ id, organization: organization.id, createdAt: Date.now(), ...settings });
    const selectCreated = providerById(organization.id, id, actor.id);
    const checks = [...checkSettings(organization.id, body), mayHaveMore];
    const rows = await commitChecked(db, checks, (guards) =>
      commit({ guards, write, made: selectCreated }, [
        { type: 'saml_provider.created', organization: organization.id, data: { provider: id } },
      ]),
    );
    return presentSamlProvider(getOnlyRow(rows.made), { membership, urls });
  },
);

/**
 * With a new entity ID, responses come from a different issuer, so the identities and sessions of the old issuer end.
 * Any change of the settings that verify a response ends pending sign-ins.
 */
export const updateOrganizationSAMLProvider = handler(
  'updateOrganizationSAMLProvider',
  async ({ params, body }, { db, actor, organization, membership, commit, urls }) => {
    const id = params.samlProviderId;
    const { ssoURL: ssoUrl, entityID: entityId, ...others } = body;
    const mine = sql`id = ${id} AND organization = ${organization.id}`;
    const isUsedElsewhere = sql`EXISTS (SELECT 1 FROM saml_providers WHERE ${mine} AND entity_id <> ${entityId ?? null})`;
    const settings = { ssoUrl, entityId, ...others };
    const isReset = [ssoUrl, entityId, body.certificate].some((value) => value !== undefined);
    const isEmptied = [entityId, body.certificate].includes('');
    const isEmpty = Object.values(settings).every((value) => value === undefined);
    const checks = [...checkSettings(organization.id, body), createProviderExistenceCheck(organization.id, id)];
    if (!isEmpty) checks.push(keepSignInCheck(organization.id));
    const changed = providerById(organization.id, id, actor.id);
    const change = () => [
      endSessions(db, id, isEmptied ? undefined : isUsedElsewhere),
      endIdentities(db, id, isUsedElsewhere),
      ...(isReset ? [db.delete(samlRequests).where(sql`provider = ${id}`)] : []),
      db.update(samlProviders).set(settings).where(mine),
    ];
    const event = { type: 'saml_provider.updated', organization: organization.id, data: { provider: id } } as const;
    const rows = await commitChecked(db, checks, (guards, outcome) =>
      commit({ guards, write: isEmpty ? [] : change(), outcome, changed }, isEmpty ? [] : [event]),
    );
    return presentSamlProvider(getOnlyRow(rows.changed), { membership, urls });
  },
);

/**
 * Identities and pending sign-ins are deleted by the database; sessions that started through the provider are deleted
 * here.
 */
export const deleteOrganizationSAMLProvider = handler(
  'deleteOrganizationSAMLProvider',
  async ({ params }, { db, organization, commit }) => {
    const id = params.samlProviderId;
    const mine = sql`id = ${id} AND organization = ${organization.id}`;
    const checks = [createProviderExistenceCheck(organization.id, id), keepSignInCheck(organization.id)];
    const remove = db.delete(samlProviders).where(mine);
    await commitChecked(db, checks, (guards, outcome) =>
      commit(
        [...guards, endSessions(db, id), remove, ...outcome],
        [{ type: 'saml_provider.deleted', organization: organization.id, data: { provider: id } }],
      ),
    );
    return undefined;
  },
);

const p = aliasedTable(samlProviders, 'p');
const providersToSignInWith = prepareQuery(
  selection({ id: p.id, label: p.label }),
  (select, organization: Parameter<OrganizationId>) =>
    select
      .from(p)
      .where(and(eq(p.organization, organization), isConfigured))
      .orderBy(p.createdAt, p.id),
);

export const listSSOProviderLoginsInOrganization = handler(
  'listSSOProviderLoginsInOrganization',
  async (_, { db, organization, urls }) => {
    const providers = await readRows(db, providersToSignInWith(organization.id));
    return { items: providers.map((login) => ({ ...login, startURL: getService(urls, login.id).startURL })) };
  },
);

interface Settings {
  certificate?: string | undefined;
  defaultTeam?: string | null | undefined;
}

/**
 * Checks the certificate, and returns the checks for the write. An empty certificate means that it is not known yet.
 * @throws ApiError invalid
 */
function checkSettings(organization: OrganizationId, { certificate = '', defaultTeam }: Settings): Check[] {
  const certificateData = certificate === '' ? undefined : readCertificate(certificate);
  if (certificateData !== undefined && 'fault' in certificateData)
    throw invalid([{ path: 'body.certificate', message: certificateData.fault }]);
  if (defaultTeam == null) return [];
  return [
    {
      condition: sql`EXISTS (SELECT 1 FROM teams WHERE id = ${defaultTeam} AND organization = ${organization})`,
      createError: () => invalid([{ path: 'body.defaultTeam', message: 'must be a team of this organization' }]),
    },
  ];
}

const always = sql`1`;

/**
 * Deletes the tokens that the users of a provider hold in its organization. Must run before their identities are
 * deleted.
 */
const endSessions = (db: Database, provider: string, when: SQL = always) =>
  db.delete(tokens).where(sql`${when} AND id IN (
    SELECT t.id FROM sso_identities i CROSS JOIN tokens t ON t.user = i.user AND t.organization = i.organization
    WHERE i.provider = ${provider})`);

const endIdentities = (db: Database, provider: string, when: SQL = always) =>
  db.delete(ssoIdentities).where(sql`${when} AND provider = ${provider}`);

const presentSamlProvider = (
  provider: ProviderRecord,
  { membership, urls }: { membership: Membership; urls: Urls },
): SamlProvider => ({
  object: 'saml-provider',
  id: provider.id,
  label: provider.label,
  ssoURL: provider.ssoURL,
  entityID: provider.entityID,
  certificate: provider.certificate,
  ...(provider.defaultTeam === null ? {} : { defaultTeam: presentTeam(provider.defaultTeam, membership) }),
  defaultRole: provider.defaultRole,
  createdAt: formatTimestamp(provider.createdAt),
  status: isActive(provider) ? 'active' : 'pending',
  service: getService(urls, provider.id),
  urls: { location: urls.location(`/orgs/${provider.organization}/saml/${provider.id}`) },
});

/**
 * An organization that enforces SSO keeps an active provider, and every organization keeps an admin who can sign in.
 */
const keepSignInCheck = (organization: OrganizationId): Check => ({
  condition: sql`(${hasAdmin(organization)} AND (${canSignIn(organization)}
    OR NOT EXISTS (SELECT 1 FROM organizations WHERE id = ${organization} AND sso)))`,
  createError: () =>
    preconditionFailed(
      'This would lock members out. An organization needs an admin who can sign in and, if it enforces SSO, an ' +
        'active SAML provider.',
    ),
  enforcedBy: 'outcome',
});
