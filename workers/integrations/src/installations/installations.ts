import type { Check, InstallationRecord } from '@octavo/db';
import {
  addInstallationAccount,
  commitChecked,
  countBytes,
  decodeCursor,
  fitExpressions,
  fitFields,
  fitRows,
  fromQuery,
  installationRow,
  installations,
  integrationRow,
  isAfterCursor,
  joinIntegration,
  matchText,
  paginateMatches,
  readRow,
  readRows,
  retryOnConflict,
  scanRows,
  selection,
  updateInstallationAccount,
} from '@octavo/db';
import { seal } from '@octavo/runtime';
import type { BodyOf, InstallationStatus, IntegrationScope, integrations, OrganizationId } from '@octavo/schema';
import {
  conflict,
  createId,
  createRandomString,
  forbidden,
  formatTimestamp,
  invalid,
  notFound,
  preconditionFailed,
} from '@octavo/schema';
import { aliasedTable, eq, sql } from 'drizzle-orm';
import {
  applyChanges,
  createDefaultConfiguration,
  getStatus,
  readConfiguration,
  requireSameVersion,
  resealConfiguration,
  sealConfiguration,
} from '../configuration/configuration.ts';
import { wakeAfterCommit } from '../deliveries/schedule.ts';
import { resetInstallationFailures } from '../deliveries/subscriptions.ts';
import { handler } from '../handler.ts';
import { presentIntegration } from '../integrations/presenter.ts';
import { mayInstallIn, readVisibleIntegrations } from '../integrations/queries.ts';
import { createInstallationToken } from '../tokens/tokens.ts';
import { createEndEvents, removeInstallations, selectEnding } from './end-installations.ts';
import { isPerson, presentInstallation } from './presenter.ts';

export const getIntegrationInstallationById = handler(
  'getIntegrationInstallationById',
  (_, { env, urls, actor, installation }) =>
    presentInstallation(installation, { env, urls, toPeople: isPerson(actor) }),
);

const i = aliasedTable(installations, 'i');
const statusRow = selection({ status: i.status, id: i.id, mayInstall: fromQuery(Boolean) });

export const getOrganizationIntegrationStatus = handler(
  'getOrganizationIntegrationStatus',
  async ({ params }, { db, actor, organization }) => {
    const selectStatus =
      statusRow.query(sql`SELECT ${statusRow.with({ mayInstall: mayInstallIn(actor, organization.id) })} FROM integrations g
    CROSS JOIN installations i ON i.integration = g.name AND i.organization = ${organization.id}
    WHERE g.name = ${params.integrationName} AND g.unpublished_at IS NULL`);
    const row = await readRow(db, selectStatus);
    if (row === undefined) throw notFound('installation');
    return { status: row.status, ...(row.mayInstall && { installation: row.id }) };
  },
);

export const listIntegrationInstallations = handler(
  'listIntegrationInstallations',
  async ({ query: { page, limit, externalId } }, { env, db, urls, actor, integration: { integration } }) => {
    const cursor = decodeCursor(page, ['number', 'string']);
    const [from, order] =
      externalId === undefined
        ? [
            sql`installations i INDEXED BY installations_of_integration ${joinIntegration}
            WHERE i.integration = ${integration.name} AND ${isAfterCursor(cursor, sql`i.created_at`, sql`i.id`)}`,
            sql`i.created_at DESC, i.id DESC`,
          ]
        : [
            sql`installation_external_ids x CROSS JOIN installations i ON i.id = x.installation ${joinIntegration}
            WHERE x.integration = ${integration.name} AND x.kind = 'installation' AND x.external_id = ${externalId}
              AND ${isAfterCursor(cursor, sql`x.created_at`, sql`x.installation`)}`,
            sql`x.created_at DESC, x.installation DESC`,
          ];
    const columns = sql`i.id, i.created_at, ${countBytes(installationRow.fields)} AS size`;
    const keys = fitRows({
      match: scanRows({ columns, from: sql`FROM ${from}`, order, matches: undefined, limit }),
      order: sql`f.created_at DESC, f.id DESC`,
    });
    const selectPage = listedRow.query(sql`SELECT ${listedRow.with(fitExpressions)} FROM (${keys}) l
    CROSS JOIN installations i ON i.id = l.id ${joinIntegration} ORDER BY l.created_at DESC, l.id DESC`);
    const view = { env, urls, toPeople: isPerson(actor) };
    const { items, ...rest } = paginateMatches(await readRows(db, selectPage), limit, {
      item: ({ installation }) => presentInstallation(installation, view),
      getCursor: ({ installation: { createdAt, id } }) => [createdAt, id],
    });
    return { ...rest, items: await Promise.all(items) };
  },
);

const listedRow = selection({ installation: installationRow.fields, ...fitFields });

/** The size of a list item. Each item includes the whole integration. */
const bytes = sql`${countBytes(installationRow.fields)} + ${countBytes(integrationRow.fields, 'g')}`;

export const listOrganizationInstallations = handler(
  'listOrganizationInstallations',
  async ({ query: { page, limit, search } }, { env, db, urls, actor, organization }) => {
    const cursor = decodeCursor(page, ['number', 'string']);
    const result = scanRows({
      columns: sql`i.id AS id, i.created_at AS created_at, g.name AS name, g.title AS title, ${bytes} AS size`,
      from: sql`FROM installations i INDEXED BY installations_of_organization ${joinIntegration}
      WHERE i.organization = ${organization.id} AND ${isAfterCursor(cursor, sql`i.created_at`, sql`i.id`)}`,
      order: sql`i.created_at DESC, i.id DESC`,
      matches: search ? matchText([sql`name`, sql`title`], search) : undefined,
      limit,
    });
    const keys = fitRows({ match: result, order: sql`f.created_at DESC, f.id DESC` });
    const selectPage = listedRow.query(sql`SELECT ${listedRow.with(fitExpressions)} FROM (${keys}) l
    CROSS JOIN installations i ON i.id = l.id ${joinIntegration} ORDER BY l.created_at DESC, l.id DESC`);
    const { items: records, ...rest } = paginateMatches(await readRows(db, selectPage), limit, {
      item: ({ installation }) => installation,
      getCursor: ({ installation }) => [installation.createdAt, installation.id],
    });
    const integrationsByName = await readVisibleIntegrations(
      db,
      actor,
      records.map(({ integration }) => integration.name),
    );
    const items = records.flatMap((record) => {
      const integration = integrationsByName.get(record.integration.name);
      return integration === undefined ? [] : [{ record, integration: presentIntegration(integration, urls) }];
    });
    const both = items.map(async ({ record, integration }) => ({
      integration,
      installation: await presentInstallation(record, { env, urls, toPeople: true }),
    }));
    return { ...rest, count: both.length, items: await Promise.all(both) };
  },
);

export const createIntegrationInstallationToken = handler(
  'createIntegrationInstallationToken',
  async (_, { env, db, actor, installation }) => {
    if (installation.status === 'paused') throw preconditionFailed('The installation is paused.');
    const { token, expiresAt } = await createInstallationToken({ env, db }, installation, actor.depth);
    return { token, expiresAt: formatTimestamp(expiresAt) };
  },
);

const maxInstallations = 100;
const secretLength = 40;

export const installIntegration = handler(
  'installIntegration',
  async ({ body: { organization, scopes } }, { env, db, urls, actor, commit, integration: { integration } }) => {
    if (integration.visibility === 'private' && integration.organization !== organization) {
      throw forbidden('A private integration can only be installed in the organization that owns it.');
    }
    const agreed = getAgreedScopes(integration.scopes, scopes);
    const record = createInstallation(integration, organization, agreed);
    const { id, account, status, spaceSelection, createdAt: now } = record;
    const completeConfiguration = createDefaultConfiguration(integration.configurations?.account);
    const configuration = await sealConfiguration(env, id, completeConfiguration);
    const signingSecret = await seal(env, id, createRandomString(secretLength));
    const { integration: integrationName, ...columns } = record;
    const row = {
      ...columns,
      integration: integrationName.name,
      agreedVersion: integrationName.version,
      configuration,
      signingSecret,
      createdBy: actor.id,
    };
    const write = [
      ...addInstallationAccount(
        db,
        { account, organization },
        {
          integration: integrationName.name,
          displayName: integration.title,
          reachesAll: spaceSelection === 'all',
          now,
        },
      ),
      db.insert(installations).values(row),
    ];
    const data = { installation: id, integration: integrationName.name, status, scopes: agreed };
    await commitChecked(db, getInstallChecks(integrationName, organization), (guards) =>
      commit([...guards, ...write], [{ type: 'installation.created', organization, data }]),
    );
    return presentInstallation({ ...record, configuration }, { env, urls, toPeople: true });
  },
);

/**
 * Creates an installation. It can access all spaces and sites if the target of the integration is `organization`,
 * otherwise only selected ones.
 */
function createInstallation(
  integration: InstallationRecord['integration'],
  organization: OrganizationId,
  agreedScopes: IntegrationScope[],
): Omit<InstallationRecord, 'configuration'> {
  const { name, version, account, title, target, scopes, configurations } = integration;
  const selection = target === 'organization' ? 'all' : 'selected';
  const now = Date.now();
  return {
    ...{ id: createId('installation'), organization, account: createId('account') },
    scopes: agreedScopes,
    status: getStatus(configurations?.account, createDefaultConfiguration(configurations?.account)),
    ...{ spaceSelection: selection, siteSelection: selection, externalIds: [], spaces: 0 },
    ...{ createdAt: now, updatedAt: now },
    integration: { name, version, account, title, target, scopes, configurations },
  };
}

type InstallRequest = Pick<InstallationRecord['integration'], 'name' | 'account' | 'version'>;

/** Checks that the integration was not replaced, unpublished or made private meanwhile. */
const getInstallChecks = ({ name, account, version }: InstallRequest, organization: OrganizationId): Check[] => [
  {
    condition: sql`EXISTS (SELECT 1 FROM integrations WHERE name = ${name} AND account = ${account}
      AND unpublished_at IS NULL AND (visibility <> 'private' OR organization = ${organization}))`,
    createError: () => notFound('integration'),
  },
  requireSameVersion({ name, version }),
  {
    condition: sql`NOT EXISTS (SELECT 1 FROM installations WHERE integration = ${name} AND organization = ${organization})`,
    createError: () => conflict('The integration is already installed in this organization.'),
    enforcedBy: 'constraint',
  },
  {
    condition: sql`(SELECT COUNT(*) FROM (SELECT 1 FROM installations WHERE organization = ${organization}
      LIMIT ${maxInstallations})) < ${maxInstallations}`,
    createError: () => conflict(`An organization can have at most ${maxInstallations} installations.`),
  },
];

type Change = BodyOf<typeof integrations.updateIntegrationInstallation>;

export const updateIntegrationInstallation = handler(
  'updateIntegrationInstallation',
  async ({ body }, { env, db, urls, background, actor, isAdmin, installation, commit }) => {
    if (!isAdmin) rejectTargetChanges(body);
    const properties = installation.integration.configurations?.account;
    const before = await readConfiguration(env, installation.id, installation.configuration);
    const isByPerson = isPerson(actor);
    const configuration =
      body.configuration === undefined
        ? before
        : applyChanges(properties, { before, after: body.configuration, isByPerson });
    const agreedScopes = body.scopes && getAgreedScopes(installation.integration.scopes, body.scopes);
    const changed = {
      ...getChanges(body, installation),
      ...(agreedScopes && { scopes: agreedScopes, agreedVersion: installation.integration.version }),
      status: getStatusAfter(body, installation, getStatus(properties, configuration)),
      configuration: await resealConfiguration(env, installation.id, {
        sealedText: installation.configuration,
        before,
        after: configuration,
      }),
      updatedAt: Date.now(),
    };
    const { id, organization, integration, status: previous } = installation;
    const reach = { reachesAll: changed.spaceSelection === 'all', isPaused: changed.status === 'paused' };
    const write = [
      db.update(installations).set(changed).where(eq(installations.id, id)),
      updateInstallationAccount(db, installation, reach),
      ...(isByPerson && body.configuration !== undefined ? [resetInstallationFailures(db, id)] : []),
    ];
    const data = {
      installation: id,
      integration: integration.name,
      status: changed.status,
      previous,
      ...(agreedScopes && { scopes: agreedScopes }),
    };
    await commitChecked(db, getUpdateChecks(installation), (guards) =>
      commit([...guards, ...write], [{ type: 'installation.updated', organization, data }]),
    );
    if (previous === 'paused' && changed.status !== 'paused')
      wakeAfterCommit(env, background, getSubscriptions(installation));
    return presentInstallation({ ...installation, ...changed }, { env, urls, toPeople: isByPerson });
  },
);

/**
 * Returns the subscriptions of an installation: for its webhook and for its script. Deliveries that waited while the
 * installation was paused are sent as soon as it is resumed.
 */
const getSubscriptions = ({ id, organization }: InstallationRecord) =>
  ['webhook', 'script'].map((transport) => ({ subscription: `${id}-${transport}`, organization }));

/** An installation cannot extend its own reach or rights, nor resume itself: only people can. */
function rejectTargetChanges(body: Change): void {
  const changedFields = (['status', 'scopes', 'space_selection', 'site_selection'] as const).filter(
    (field) => body[field] !== undefined,
  );
  if (changedFields.length > 0)
    throw forbidden(`Only an admin of the organization can change ${changedFields.join(' and ')}.`);
}

const getChanges = (body: Change, installation: InstallationRecord) => ({
  spaceSelection: body.space_selection ?? installation.spaceSelection,
  siteSelection: body.site_selection ?? installation.siteSelection,
  externalIds: body.externalIds ?? installation.externalIds,
});

/**
 * A paused installation stays paused until a request changes its status. Otherwise the configuration determines the
 * status.
 */
function getStatusAfter(
  { status }: Change,
  installation: InstallationRecord,
  byConfiguration: InstallationStatus,
): InstallationStatus {
  const isPaused = status === 'paused' || (status === undefined && installation.status === 'paused');
  return isPaused ? 'paused' : byConfiguration;
}

/** Rejects concurrent changes, which would overwrite each other. */
function getUpdateChecks(record: InstallationRecord): Check[] {
  const { id, configuration, status, spaceSelection, siteSelection, externalIds } = record;
  return [
    {
      condition: sql`EXISTS (SELECT 1 FROM installations WHERE id = ${id})`,
      createError: () => notFound('installation'),
    },
    {
      condition: sql`EXISTS (SELECT 1 FROM installations WHERE id = ${id} AND configuration = ${configuration}
        AND status = ${status} AND space_selection = ${spaceSelection} AND site_selection = ${siteSelection}
        AND external_ids = ${JSON.stringify(externalIds)})`,
      createError: () => conflict('The installation was changed in the meantime. Read it again.'),
    },
    requireSameVersion(record.integration),
  ];
}

export const uninstallIntegration = handler('uninstallIntegration', async (_, { db, commit, installation: { id } }) => {
  await retryOnConflict(async () => {
    const ending = await readRow(db, selectEnding(id));
    if (ending === undefined) throw notFound('installation');
    await commit(removeInstallations(db, [ending]), createEndEvents(ending));
  });
  return undefined;
});

/**
 * Returns the scopes that an organization agrees to, by default all that are requested.
 * @throws ApiError invalid if a scope is not requested
 */
function getAgreedScopes(published: IntegrationScope[], scopes: IntegrationScope[] = published): IntegrationScope[] {
  const unasked = scopes.filter((scope) => !published.includes(scope));
  if (unasked.length === 0) return scopes;
  throw invalid([{ path: 'body.scopes', message: `The integration does not request ${unasked.join(' and ')}.` }]);
}
