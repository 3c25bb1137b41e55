import type { Check, InstallationRecord } from '@octavo/db';
import { addAccount, commitChecked, installations } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import { seal } from '@octavo/runtime';
import type { IntegrationScope, integrations, OrganizationId } from '@octavo/schema';
import { conflict, forbidden, newId, notFound, randomString } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import { defaultConfiguration, statusWith } from '../configuration/configuration.ts';
import { sealConfiguration } from '../configuration/kept-configuration.ts';
import type { IntegrationsEnvironment } from '../environment.ts';
import { agreedScopes } from './agreed-scopes.ts';
import { presentInstallation } from './present-installation.ts';
import { sameVersion } from './same-version.ts';

type Endpoint = typeof integrations.installIntegration;

const maxInstallations = 100;
const secretLength = 40;

export const installIntegration: Handler<Endpoint, IntegrationsEnvironment> = async (
  { body: { organization, scopes } },
  { env, db, urls, actor, commit, integration: { integration } },
) => {
  if (integration.visibility === 'private' && integration.organization !== organization) {
    throw forbidden('An integration that is private is installed in the organization alone that owns it.');
  }
  const agreed = agreedScopes(integration.scopes, scopes);
  const record = newInstallation(integration, organization, agreed);
  const { id, account, status, spaceSelection, createdAt: now } = record;
  const whole = defaultConfiguration(integration.configurations?.account);
  const configuration = await sealConfiguration(env, id, whole);
  const signingSecret = await seal(env, id, randomString(secretLength));
  const { integration: of, ...columns } = record;
  const row = {
    ...columns,
    integration: of.name,
    agreedVersion: of.version,
    configuration,
    signingSecret,
    createdBy: actor.id,
  };
  const write = [
    ...addAccount(
      db,
      { account, organization },
      { integration: of.name, displayName: integration.title, reachesAll: spaceSelection === 'all', now },
    ),
    db.insert(installations).values(row),
  ];
  const data = { installation: id, integration: of.name, status, scopes: agreed };
  await commitChecked(db, checksFor(of, organization), (guards) =>
    commit([...guards, ...write], [{ type: 'installation.created', organization, data }]),
  );
  return presentInstallation({ ...record, configuration }, { env, urls, toPeople: true });
};

/** One that is made for whole organizations reaches all of them; any other what people put it on. */
function newInstallation(
  integration: InstallationRecord['integration'],
  organization: OrganizationId,
  agreed: IntegrationScope[],
): Omit<InstallationRecord, 'configuration'> {
  const { name, version, account, title, target, scopes, configurations } = integration;
  const selection = target === 'organization' ? 'all' : 'selected';
  const now = Date.now();
  return {
    ...{ id: newId('installation'), organization, account: newId('account') },
    scopes: agreed,
    status: statusWith(configurations?.account, defaultConfiguration(configurations?.account)),
    ...{ spaceSelection: selection, siteSelection: selection, externalIds: [], spaces: 0 },
    ...{ createdAt: now, updatedAt: now },
    integration: { name, version, account, title, target, scopes, configurations },
  };
}

type Asked = Pick<InstallationRecord['integration'], 'name' | 'account' | 'version'>;

/** That it is still what was asked for: meanwhile it may have been made private, or the name have become another's. */
const checksFor = ({ name, account, version }: Asked, organization: OrganizationId): Check[] => [
  {
    holds: sql`EXISTS (SELECT 1 FROM integrations WHERE name = ${name} AND account = ${account}
      AND unpublished_at IS NULL AND (visibility <> 'private' OR organization = ${organization}))`,
    otherwise: () => notFound('integration'),
  },
  sameVersion({ name, version }),
  {
    holds: sql`NOT EXISTS (SELECT 1 FROM installations WHERE integration = ${name} AND organization = ${organization})`,
    otherwise: () => conflict('The integration is installed in this organization already.'),
    heldBy: 'constraint',
  },
  {
    holds: sql`(SELECT COUNT(*) FROM (SELECT 1 FROM installations WHERE organization = ${organization}
      LIMIT ${maxInstallations})) < ${maxInstallations}`,
    otherwise: () => conflict(`An organization has at most ${maxInstallations} installations.`),
  },
];
