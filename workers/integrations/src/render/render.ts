import type { Database } from '@octavo/db';
import { fromQuery, readRow, selection, spaces } from '@octavo/db';
import type { Context } from '@octavo/runtime';
import { parseStrictJson } from '@octavo/runtime';
import type { ComponentContext, OrganizationId, SiteId, SpaceId } from '@octavo/schema';
import { ApiError, content, createId, integrations, invalid, notFound, RenderRequest, validate } from '@octavo/schema';
import type { ScriptOutcome } from '@octavo/script-isolate';
import { sql } from 'drizzle-orm';
import type { IntegrationsEnvironment } from '../environment.ts';
import { handler } from '../handler.ts';
import { callScript } from '../scripts/call-script.ts';
import { readTarget } from '../scripts/script-target.ts';
import { decompress } from './decompress.ts';

const maxCharacters = 1_000_000;
const requestPath = 'query.request';

const createInvalidError = (message: string) => invalid([{ path: requestPath, message }]);

/** Parses a compressed request. @throws ApiError invalid */
function parseRequest(compressed: string): RenderRequest {
  const result = validate(RenderRequest, parseStrictJson(getText(compressed), requestPath));
  if (result.success) return result.data;
  throw invalid(
    result.issues.map(({ path, message }) => ({ path: [requestPath, ...path].map(String).join('.'), message })),
  );
}

function getText(compressed: string): string {
  try {
    return decompress(compressed, maxCharacters);
  } catch {
    throw createInvalidError("must be JSON compressed with lz-string's compressToEncodedURIComponent");
  }
}

export const renderIntegrationUIWithGet = handler('renderIntegrationUIWithGet', ({ query: { request } }, context) =>
  renderIntegration(parseRequest(request), context),
);

export const renderIntegrationUIWithPost = handler('renderIntegrationUIWithPost', ({ body }, context) =>
  renderIntegration(body, context),
);

type Rendering = Context<typeof integrations.renderIntegrationUIWithPost, IntegrationsEnvironment>;

/** Maximum time that users wait for a component. */
const limits = { milliseconds: 10_000 };

/**
 * Requires access to the target: read access to the space of a document, or access to the installation of a
 * configuration.
 * @throws ApiError
 */
async function requireAccess(
  { integration, authorizeOther }: Rendering,
  target: RenderTarget,
  type: string,
): Promise<void> {
  const { installation: installationId, space: spaceId, site: siteId, isOnSpace } = target;
  const params = { integrationName: integration.integration.name, installationId };
  if (type === 'document') {
    await authorizeOther(content.getSpaceById, { spaceId: spaceId ?? '' });
    if (!isOnSpace) throw notFound('installation');
  } else if (spaceId !== undefined)
    await authorizeOther(integrations.getIntegrationSpaceInstallation, { ...params, spaceId });
  else if (siteId !== undefined)
    await authorizeOther(integrations.getIntegrationSiteInstallation, { ...params, siteId });
  else await authorizeOther(integrations.getIntegrationInstallationById, params);
}

/** Returns the rendered component. @throws ApiError */
function getComponent(outcome: ScriptOutcome): { type: string } {
  if (outcome.ok && outcome.status === 404) throw notFound('component');
  if (outcome.ok && outcome.status === 200) {
    try {
      const rendered = parseStrictJson(new TextDecoder().decode(outcome.body), 'component');
      if (typeof rendered === 'object' && rendered !== null && 'type' in rendered && typeof rendered.type === 'string')
        return { ...rendered, type: rendered.type };
    } catch {
      // Invalid JSON is handled like JSON that is not a component.
    }
  }
  throw new ApiError('unavailable', 'The integration did not render the component. See its event log.');
}

/** Renders a component with the integration's script. @throws ApiError */
async function renderIntegration(request: RenderRequest, context: Rendering): Promise<{ type: string }> {
  const { db, env, urls, actor, integration } = context;
  const { name } = integration.integration;
  const renderTarget = await findInstallation(db, name, request.context);
  if (renderTarget === undefined) throw notFound('installation');
  await requireAccess(context, renderTarget, request.context.type);
  const target = await readTarget(db, { integration: name, ...renderTarget });
  if (target === undefined) throw notFound('installation');
  const { installation: installationId, space: spaceId, site: siteId } = renderTarget;
  const ids = { installationId, ...(spaceId && { spaceId }), ...(siteId && { siteId }) };
  const event = { ...request, eventId: createId('event'), type: 'ui_render', ...ids, auth: { userId: actor.id } };
  return getComponent(
    await callScript({ env, db, urls }, target, { event, limits, depth: actor.depth, isFrequent: true }),
  );
}

const foundRow = selection({
  id: fromQuery(String),
  organization: fromQuery(spaces.organization),
  reaches: fromQuery(Boolean),
});

/** The installation that renders a component, with the space or site of the request. */
interface RenderTarget {
  installation: string;
  organization: OrganizationId;
  space?: SpaceId;
  site?: SiteId;
  /** Whether the installation is on the space, regardless of its scopes. */
  isOnSpace: boolean;
}

/** Finds the installation of an integration in the organization of the request. */
async function findInstallation(
  db: Database,
  integration: string,
  context: ComponentContext,
): Promise<RenderTarget | undefined> {
  const space = 'spaceId' in context ? context.spaceId : undefined;
  const site = 'siteId' in context ? context.siteId : undefined;
  const organization =
    'organizationId' in context
      ? sql`${context.organizationId}`
      : space === undefined
        ? sql`(SELECT organization FROM sites WHERE id = ${site ?? ''})`
        : sql`(SELECT organization FROM spaces WHERE id = ${space})`;
  const foundInstallation = await readRow(
    db,
    foundRow.query(sql`SELECT i.id, i.organization, i.space_selection = 'all' OR EXISTS (SELECT 1 FROM space_installations p
        WHERE p.installation = i.id AND p.space = ${space ?? ''} AND p.status = 'active') AS reaches
      FROM installations i INDEXED BY installations_once
      WHERE i.integration = ${integration} AND i.organization = ${organization} AND i.status <> 'paused'`),
  );
  if (foundInstallation === undefined) return undefined;
  const { id: installation, reaches: isOnSpace } = foundInstallation;
  return {
    ...{ installation, organization: foundInstallation.organization, isOnSpace },
    ...(space === undefined ? {} : { space }),
    ...(site === undefined ? {} : { site }),
  };
}
