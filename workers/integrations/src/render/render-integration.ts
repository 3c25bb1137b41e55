import type { Context } from '@octavo/runtime';
import { parseStrictJson } from '@octavo/runtime';
import type { RenderRequest } from '@octavo/schema';
import { ApiError, content, integrations, newId, notFound } from '@octavo/schema';
import type { ScriptOutcome } from '@octavo/script-isolate';
import type { IntegrationsEnvironment } from '../environment.ts';
import { callScript } from '../scripts/call-script.ts';
import { readTarget } from '../scripts/script-target.ts';
import type { RenderPlace } from './installation-for.ts';
import { installationFor } from './installation-for.ts';

type Rendering = Context<typeof integrations.renderIntegrationUIWithPost, IntegrationsEnvironment>;

/** Beyond this nobody waits for a picture. */
const limits = { milliseconds: 10_000 };

/**
 * Whether the caller may see what the component is drawn for: a document by whoever reads its space, a configuration by
 * whoever may set it. @throws ApiError
 */
async function requirePlace({ integration, authorizeFor }: Rendering, place: RenderPlace, type: string): Promise<void> {
  const { installation: installationId, space: spaceId, site: siteId, isOnSpace } = place;
  const params = { integrationName: integration.integration.name, installationId };
  if (type === 'document') {
    await authorizeFor(content.getSpaceById, { spaceId: spaceId ?? '' });
    if (!isOnSpace) throw notFound('installation');
  } else if (spaceId !== undefined)
    await authorizeFor(integrations.getIntegrationSpaceInstallation, { ...params, spaceId });
  else if (siteId !== undefined) await authorizeFor(integrations.getIntegrationSiteInstallation, { ...params, siteId });
  else await authorizeFor(integrations.getIntegrationInstallationById, params);
}

/** What the component answered. @throws ApiError */
function renderedBy(outcome: ScriptOutcome): { type: string } {
  if (outcome.ok && outcome.status === 404) throw notFound('component');
  if (outcome.ok && outcome.status === 200) {
    try {
      const rendered = parseStrictJson(new TextDecoder().decode(outcome.body), 'component');
      if (typeof rendered === 'object' && rendered !== null && 'type' in rendered && typeof rendered.type === 'string')
        return { ...rendered, type: rendered.type };
    } catch {
      // What is no JSON is no component either.
    }
  }
  throw new ApiError('unavailable', 'The integration did not draw the component; its log of events tells why.');
}

/** Has the script of an integration draw one of its components. @throws ApiError */
export async function renderIntegration(request: RenderRequest, context: Rendering): Promise<{ type: string }> {
  const { db, env, urls, actor, integration } = context;
  const { name } = integration.integration;
  const place = await installationFor(db, name, request.context);
  if (place === undefined) throw notFound('installation');
  await requirePlace(context, place, request.context.type);
  const target = await readTarget(db, { integration: name, ...place });
  if (target === undefined) throw notFound('installation');
  const { installation: installationId, space: spaceId, site: siteId } = place;
  const ids = { installationId, ...(spaceId && { spaceId }), ...(siteId && { siteId }) };
  const event = { ...request, eventId: newId('event'), type: 'ui_render', ...ids, auth: { userId: actor.id } };
  return renderedBy(
    await callScript({ env, db, urls }, target, { event, limits, depth: actor.depth, isFrequent: true }),
  );
}
