import type { Check, InstallationRecord } from '@octavo/db';
import { changeAccount, commitChecked, installations } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { BodyOf, InstallationStatus, integrations } from '@octavo/schema';
import { conflict, forbidden, notFound } from '@octavo/schema';
import { eq, sql } from 'drizzle-orm';
import { changedConfiguration, statusWith } from '../configuration/configuration.ts';
import { readConfiguration, resealed } from '../configuration/kept-configuration.ts';
import { tryInstallationAgain } from '../deliveries/try-at-once.ts';
import { wakeAfterwards } from '../deliveries/wake.ts';
import type { IntegrationsEnvironment } from '../environment.ts';
import { agreedScopes } from './agreed-scopes.ts';
import { isPerson } from './configured-by.ts';
import { presentInstallation } from './present-installation.ts';
import { sameVersion } from './same-version.ts';

type Endpoint = typeof integrations.updateIntegrationInstallation;
type Change = BodyOf<Endpoint>;

export const updateIntegrationInstallation: Handler<Endpoint, IntegrationsEnvironment> = async (
  { body },
  { env, db, urls, background, actor, isAdmin, installation, commit },
) => {
  if (!isAdmin) requireNoReach(body);
  const asked = installation.integration.configurations?.account;
  const before = await readConfiguration(env, installation.id, installation.configuration);
  const byPeople = isPerson(actor);
  const whole =
    body.configuration === undefined
      ? before
      : changedConfiguration(asked, { before, after: body.configuration, byPeople });
  const agreed = body.scopes && agreedScopes(installation.integration.scopes, body.scopes);
  const changed = {
    ...changesOf(body, installation),
    ...(agreed && { scopes: agreed, agreedVersion: installation.integration.version }),
    status: statusAfter(body, installation, statusWith(asked, whole)),
    configuration: await resealed(env, installation.id, { sealed: installation.configuration, before, after: whole }),
    updatedAt: Date.now(),
  };
  const { id, organization, integration, status: previous } = installation;
  const reach = { reachesAll: changed.spaceSelection === 'all', isPaused: changed.status === 'paused' };
  const write = [
    db.update(installations).set(changed).where(eq(installations.id, id)),
    changeAccount(db, installation, reach),
    ...(byPeople && body.configuration !== undefined ? [tryInstallationAgain(db, id)] : []),
  ];
  const data = {
    installation: id,
    integration: integration.name,
    status: changed.status,
    previous,
    ...(agreed && { scopes: agreed }),
  };
  await commitChecked(db, checksFor(installation), (guards) =>
    commit([...guards, ...write], [{ type: 'installation.updated', organization, data }]),
  );
  if (previous === 'paused' && changed.status !== 'paused')
    wakeAfterwards(env, background, subscriptionsOf(installation));
  return presentInstallation({ ...installation, ...changed }, { env, urls, toPeople: byPeople });
};

/** What waits while it is paused comes as soon as it goes on. */
const subscriptionsOf = ({ id, organization }: InstallationRecord) =>
  ['webhook', 'script'].map((way) => ({ subscription: `${id}-${way}`, organization }));

/** An installation does not widen what it reaches or may do, nor goes on once it was paused: that is for people to say. */
function requireNoReach(body: Change): void {
  const named = (['status', 'scopes', 'space_selection', 'site_selection'] as const).filter(
    (field) => body[field] !== undefined,
  );
  if (named.length > 0) throw forbidden(`Only an admin of the organization changes ${named.join(' and ')}.`);
}

const changesOf = (body: Change, installation: InstallationRecord) => ({
  spaceSelection: body.space_selection ?? installation.spaceSelection,
  siteSelection: body.site_selection ?? installation.siteSelection,
  externalIds: body.externalIds ?? installation.externalIds,
});

/** What is paused stays so until somebody says otherwise; else the configuration decides. */
function statusAfter(
  { status }: Change,
  installation: InstallationRecord,
  byConfiguration: InstallationStatus,
): InstallationStatus {
  const isPaused = status === 'paused' || (status === undefined && installation.status === 'paused');
  return isPaused ? 'paused' : byConfiguration;
}

/** Two changes at once would each write what it has read of the other's. */
function checksFor(read: InstallationRecord): Check[] {
  const { id, configuration, status, spaceSelection, siteSelection, externalIds } = read;
  return [
    { holds: sql`EXISTS (SELECT 1 FROM installations WHERE id = ${id})`, otherwise: () => notFound('installation') },
    {
      holds: sql`EXISTS (SELECT 1 FROM installations WHERE id = ${id} AND configuration = ${configuration}
        AND status = ${status} AND space_selection = ${spaceSelection} AND site_selection = ${siteSelection}
        AND external_ids = ${JSON.stringify(externalIds)})`,
      otherwise: () => conflict('The installation was changed meanwhile: read it again.'),
    },
    sameVersion(read.integration),
  ];
}
