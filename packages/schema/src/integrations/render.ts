import * as z from 'zod';
import { contract } from '../endpoint.ts';
import { Id } from '../ids.ts';
import { IntegrationName } from './integration.ts';

const theme = z.enum(['dark', 'light']);

/** Where a component of an integration is drawn. */
export const ComponentContext = z.discriminatedUnion('type', [
  z.object({ type: z.literal('configuration_account'), theme, organizationId: Id }),
  z.object({ type: z.literal('configuration_space'), theme, spaceId: Id }),
  z.object({ type: z.literal('configuration_site'), theme, siteId: Id }),
  z.object({ type: z.literal('configuration_contentsource'), theme, organizationId: Id, spaceId: Id.optional() }),
  z.object({ type: z.literal('document'), theme, spaceId: Id, editable: z.boolean() }),
]);
export type ComponentContext = z.infer<typeof ComponentContext>;

const Plain = z.record(z.string(), z.unknown());

/** What is asked of a component: to draw itself, after an action where there was one. */
export const RenderRequest = z
  .object({
    componentId: z.string().min(1).max(100),
    props: Plain,
    state: Plain.optional(),
    context: ComponentContext,
    action: Plain.optional(),
  })
  .meta({ id: 'RenderIntegrationUI' });
export type RenderRequest = z.infer<typeof RenderRequest>;

/** What the component made of it: an element, or the end of a dialogue. */
const Rendered = z.looseObject({ type: z.string() }).meta({ id: 'RenderedIntegrationUI' });

const params = z.object({ integrationName: IntegrationName });
const renders = {
  path: '/v1/integrations/:integrationName/render',
  access: { integration: 'view' },
  scope: 'integration:read',
  byInstallation: 'none',
  params,
  response: Rendered,
  success: 200,
} as const;

export const renderEndpoints = contract({
  renderIntegrationUIWithPost: {
    ...renders,
    method: 'POST',
    summary: 'Have an integration draw one of its components',
    body: RenderRequest,
    reads: true,
  },
  renderIntegrationUIWithGet: {
    ...renders,
    method: 'GET',
    summary: 'Have an integration draw one of its components, by what a cache may keep',
    query: z.object({
      request: z.string().min(1).max(16_384).meta({
        description: 'The body of the POST as JSON, compressed by LZ-string for addresses.',
      }),
    }),
  },
});
