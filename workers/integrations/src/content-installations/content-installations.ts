import type { CallerRecord, Check, Database, InstallationRecord, Statement } from '@octavo/db';
import { commitChecked, setSpaceGrant, siteInstallations, spaceInstallations } from '@octavo/db';
import type { ActorContext } from '@octavo/runtime';
import type { InstallationConfiguration } from '@octavo/schema';
import { conflict, notFound, preconditionFailed } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import {
  applyChanges,
  createDefaultConfiguration,
  getStatus,
  readConfiguration,
  requireSameVersion,
  resealConfiguration,
  sealConfiguration,
} from '../configuration/configuration.ts';
import { resetInstallationFailures } from '../deliveries/subscriptions.ts';
import type { IntegrationsEnvironment } from '../environment.ts';
import { handler } from '../handler.ts';
import { isPerson } from '../installations/presenter.ts';
import { listContentInstallations } from './list-content-installations.ts';
import type { ContentInstallationShapes } from './presenter.ts';
import { createChangeEvent, createInstallationEvent, presentContentInstallation } from './presenter.ts';
import type { ContentInstallationRecord, ContentKind, ContentReader } from './queries.ts';
import {
  contentKinds,
  createContentInstallation,
  findContentInstallation,
  getSealOwner,
  readContents,
} from './queries.ts';

export const listIntegrationInstallationSpaces = handler('listIntegrationInstallationSpaces', ({ query }, context) =>
  listContentInstallations('space', { query, of: { installation: context.installation.id } }, context),
);

export const listIntegrationInstallationSites = handler('listIntegrationInstallationSites', ({ query }, context) =>
  listContentInstallations('site', { query, of: { installation: context.installation.id } }, context),
);

export const listIntegrationSpaceInstallations = handler('listIntegrationSpaceInstallations', ({ query }, context) =>
  listContentInstallations('space', { query, of: { integration: context.integration.integration.name } }, context),
);

export const listIntegrationSiteInstallations = handler('listIntegrationSiteInstallations', ({ query }, context) =>
  listContentInstallations('site', { query, of: { integration: context.integration.integration.name } }, context),
);

export const getIntegrationSpaceInstallation = handler(
  'getIntegrationSpaceInstallation',
  ({ params, query }, context) => getContentInstallation('space', { contentId: params.spaceId, ...query }, context),
);

export const getIntegrationSiteInstallation = handler('getIntegrationSiteInstallation', ({ params, query }, context) =>
  getContentInstallation('site', { contentId: params.siteId, ...query }, context),
);

export const installIntegrationOnSpace = handler('installIntegrationOnSpace', ({ body, query }, context) =>
  installOnContent('space', { contentId: body.space, ...query }, context),
);

export const installIntegrationOnSite = handler('installIntegrationOnSite', ({ body, query }, context) =>
  installOnContent('site', { contentId: body.siteId, ...query }, context),
);

export const updateIntegrationSpaceInstallation = handler(
  'updateIntegrationSpaceInstallation',
  ({ params, query, body }, context) =>
    updateOnContent('space', { contentId: params.spaceId, ...query, change: body }, context),
);

export const updateIntegrationSiteInstallation = handler(
  'updateIntegrationSiteInstallation',
  ({ params, query, body }, context) =>
    updateOnContent('site', { contentId: params.siteId, ...query, change: body }, context),
);

export const uninstallIntegrationFromSpace = handler('uninstallIntegrationFromSpace', ({ params }, context) =>
  uninstallFromContent('space', params.spaceId, context),
);

export const uninstallIntegrationFromSite = handler('uninstallIntegrationFromSite', ({ params }, context) =>
  uninstallFromContent('site', params.siteId, context),
);

interface ContentInstallationContext extends ActorContext, ContentReader {
  env: IntegrationsEnvironment;
  actor: CallerRecord;
  installation: InstallationRecord;
}

async function getContentInstallation<Kind extends ContentKind>(
  kind: Kind,
  { contentId, extended }: { contentId: string; extended: boolean },
  context: ContentInstallationContext,
): Promise<ContentInstallationShapes[Kind]> {
  const record = await findContentInstallation(context.db, kind, { installation: context.installation.id, contentId });
  return presentRecord(kind, record, { extended, context });
}

/** Presents an installation to the caller; `extended` includes the whole space or site. */
async function presentRecord<Kind extends ContentKind>(
  kind: Kind,
  record: ContentInstallationRecord,
  { extended, context }: { extended: boolean; context: ContentInstallationContext },
): Promise<ContentInstallationShapes[Kind]> {
  const { env, urls, actor } = context;
  const contentsById = extended ? await readContents(kind, [record], context) : new Map();
  return presentContentInstallation(kind, record, {
    env,
    urls,
    toPeople: isPerson(actor),
    content: contentsById.get(record.place),
  });
}

/**
 * Maximum number of spaces, and of sites, of one installation. An installation with the selection `all` can access all
 * of them without being installed on them.
 */
const maxPlaces = 1000;

async function installOnContent<Kind extends ContentKind>(
  kind: Kind,
  { contentId, extended }: { contentId: string; extended: boolean },
  context: ContentInstallationContext,
): Promise<ContentInstallationShapes[Kind]> {
  const { env, db, installation, commit } = context;
  const { target } = installation.integration;
  if (target !== 'all' && target !== kind) {
    throw preconditionFailed(`This integration can only be installed on ${target}s.`);
  }
  const newRecord = createContentInstallation(contentId, installation);
  const properties = newRecord.configurations?.[kind];
  const completeConfiguration = createDefaultConfiguration(properties);
  const configuration = await sealConfiguration(env, getSealOwner(installation.id, contentId), completeConfiguration);
  const record: ContentInstallationRecord = {
    ...newRecord,
    configuration,
    status: getStatus(properties, completeConfiguration),
  };
  await commitChecked(db, [...getInstallChecks(kind, record), requireSameVersion(installation.integration)], (guards) =>
    commit(
      [...guards, ...insertContentInstallation(db, kind, record)],
      [createInstallationEvent(kind, 'created', record)],
    ),
  );
  return presentRecord(kind, record, { extended, context });
}

function insertContentInstallation(db: Database, kind: ContentKind, record: ContentInstallationRecord): Statement[] {
  const { place, account, scopes, configurations, ...row } = record;
  if (kind === 'site') return [db.insert(siteInstallations).values({ ...row, site: place })];
  return [
    db.insert(spaceInstallations).values({ ...row, space: place }),
    setSpaceGrant(db, record, place, record.status === 'active'),
  ];
}

function getInstallChecks(
  kind: ContentKind,
  { place, installation, organization }: ContentInstallationRecord,
): Check[] {
  const { table, column } = contentKinds[kind];
  const tableName = sql.raw(`${kind}s`);
  const isAvailable = kind === 'space' ? sql`deleted_at IS NULL AND purging_at IS NULL` : sql`1`;
  return [
    {
      condition: sql`EXISTS (SELECT 1 FROM installations WHERE id = ${installation})`,
      createError: () => notFound('installation'),
    },
    {
      condition: sql`EXISTS (SELECT 1 FROM ${tableName} WHERE id = ${place} AND organization = ${organization} AND ${isAvailable})`,
      createError: () => notFound(kind),
    },
    {
      condition: sql`NOT EXISTS (SELECT 1 FROM ${table} WHERE installation = ${installation} AND ${column} = ${place})`,
      createError: () => conflict(`The integration is already installed on this ${kind}.`),
    },
    {
      condition: sql`(SELECT on_${tableName} FROM installations WHERE id = ${installation}) < ${maxPlaces}`,
      createError: () =>
        conflict(
          `An installation can be on at most ${maxPlaces} ${kind}s. Set ${kind}_selection to all to include every ` +
            `${kind}.`,
        ),
    },
  ];
}

interface Change {
  externalIds?: string[] | undefined;
  configuration?: InstallationConfiguration | undefined;
}

async function updateOnContent<Kind extends ContentKind>(
  kind: Kind,
  { contentId, extended, change }: { contentId: string; extended: boolean; change: Change },
  context: ContentInstallationContext,
): Promise<ContentInstallationShapes[Kind]> {
  const { db, actor, installation, commit } = context;
  const installed = await findContentInstallation(db, kind, { installation: installation.id, contentId });
  const record = await applyChange(kind, installed, { change, context });
  const isConfigured = isPerson(actor) && change.configuration !== undefined;
  const statements = isConfigured ? [resetInstallationFailures(db, installation.id)] : [];
  await commitChecked(
    db,
    [...getUpdateChecks(kind, installed), requireSameVersion(installation.integration)],
    (guards) =>
      commit(
        [...guards, ...writeContentInstallation(db, kind, record), ...statements],
        [createChangeEvent(kind, record, installed.status)],
      ),
  );
  return presentRecord(kind, record, { extended, context });
}

async function applyChange(
  kind: ContentKind,
  record: ContentInstallationRecord,
  { change, context: { env, actor } }: { change: Change; context: ContentInstallationContext },
): Promise<ContentInstallationRecord> {
  const properties = record.configurations?.[kind];
  const owner = getSealOwner(record.installation, record.place);
  const before = await readConfiguration(env, owner, record.configuration);
  const configuration =
    change.configuration === undefined
      ? before
      : applyChanges(properties, { before, after: change.configuration, isByPerson: isPerson(actor) });
  return {
    ...record,
    status: getStatus(properties, configuration),
    configuration: await resealConfiguration(env, owner, {
      sealedText: record.configuration,
      before,
      after: configuration,
    }),
    externalIds: change.externalIds ?? record.externalIds,
    updatedAt: Date.now(),
  };
}

function writeContentInstallation(db: Database, kind: ContentKind, record: ContentInstallationRecord): Statement[] {
  const { installation, place, status, configuration, externalIds, updatedAt } = record;
  const changed = { status, configuration, externalIds, updatedAt };
  if (kind === 'site') {
    const isInstallation = sql`${siteInstallations.installation} = ${installation} AND ${siteInstallations.site} = ${place}`;
    return [db.update(siteInstallations).set(changed).where(isInstallation)];
  }
  const where = sql`${spaceInstallations.installation} = ${installation} AND ${spaceInstallations.space} = ${place}`;
  return [
    db.update(spaceInstallations).set(changed).where(where),
    setSpaceGrant(db, record, place, status === 'active'),
  ];
}

function getUpdateChecks(
  kind: ContentKind,
  { installation, place, status, configuration, externalIds }: ContentInstallationRecord,
): Check[] {
  const { table, column } = contentKinds[kind];
  const row = sql`SELECT 1 FROM ${table} WHERE installation = ${installation} AND ${column} = ${place}`;
  return [
    { condition: sql`EXISTS (${row})`, createError: () => notFound(`installation on this ${kind}`) },
    {
      condition: sql`EXISTS (${row} AND status = ${status} AND configuration = ${configuration}
        AND external_ids = ${JSON.stringify(externalIds)})`,
      createError: () => conflict('The installation was changed in the meantime. Read it again.'),
    },
  ];
}

async function uninstallFromContent(
  kind: ContentKind,
  contentId: string,
  { db, installation, commit }: ContentInstallationContext,
): Promise<undefined> {
  const record = await findContentInstallation(db, kind, { installation: installation.id, contentId });
  await commitChecked(db, [createInstalledCheck(kind, record)], (guards) =>
    commit(
      [...guards, ...deleteContentInstallation(db, kind, record)],
      [createInstallationEvent(kind, 'deleted', record)],
    ),
  );
  return undefined;
}

/**
 * A check that the installation still exists on the space or site. If there are several concurrent requests or
 * deletions, only one of them then writes the event.
 */
function createInstalledCheck(kind: ContentKind, { installation, place }: ContentInstallationRecord): Check {
  const { table, column } = contentKinds[kind];
  return {
    condition: sql`EXISTS (SELECT 1 FROM ${table} WHERE installation = ${installation} AND ${column} = ${place})`,
    createError: () => notFound(`installation on this ${kind}`),
  };
}

function deleteContentInstallation(db: Database, kind: ContentKind, record: ContentInstallationRecord): Statement[] {
  const { installation, place } = record;
  if (kind === 'site') {
    const where = sql`${siteInstallations.installation} = ${installation} AND ${siteInstallations.site} = ${place}`;
    return [db.delete(siteInstallations).where(where)];
  }
  const where = sql`${spaceInstallations.installation} = ${installation} AND ${spaceInstallations.space} = ${place}`;
  return [db.delete(spaceInstallations).where(where), setSpaceGrant(db, record, place, false)];
}
