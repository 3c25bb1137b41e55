import * as z from 'zod';
import { ComputedSourceInput, LinkTarget, PageTitle } from '../content/pages.ts';
import { Emoji } from '../emoji.ts';
import { contract } from '../endpoint.ts';
import { Id } from '../ids.ts';
import { createLineSchema } from '../text.ts';
import { createHttpUrlSchema } from '../web-address.ts';
import { IntegrationName } from './integrations.ts';

const theme = z.enum(['dark', 'light']);

/** The context in which a component of an integration is rendered. */
export const ComponentContext = z.discriminatedUnion('type', [
  z.object({ type: z.literal('configuration_account'), theme, organizationId: Id }),
  z.object({ type: z.literal('configuration_space'), theme, spaceId: Id }),
  z.object({ type: z.literal('configuration_site'), theme, siteId: Id }),
  z.object({ type: z.literal('configuration_contentsource'), theme, organizationId: Id, spaceId: Id.optional() }),
  z.object({ type: z.literal('document'), theme, spaceId: Id, editable: z.boolean() }),
]);
export type ComponentContext = z.infer<typeof ComponentContext>;

const Plain = z.record(z.string(), z.unknown());

/** A request to render a component. If `action` is set, the component handles it first. */
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

/** The output of a component: an element, or the end of a dialog. */
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
    summary: 'Render a component',
    body: RenderRequest,
    reads: true,
  },
  renderIntegrationUIWithGet: {
    ...renders,
    method: 'GET',
    summary: 'Render a component with a cacheable request',
    query: z.object({
      request: z.string().min(1).max(16_384),
    }),
  },
});

/** Limits of the tasks of one integration: pending tasks, characters of a payload, and seconds of the delay. */
export const maxWaitingTasks = 1000;
const maxTaskCharacters = 64 * 1024;
const maxSeconds = 86_400;

export const taskEndpoints = contract({
  queueIntegrationTask: {
    method: 'POST',
    path: '/v1/integrations/:integrationName/tasks',
    summary: 'Queue a task for an integration',
    access: { integration: 'admin' },
    scope: 'integration:publish',
    byIntegration: true,
    params: z.object({ integrationName: IntegrationName }),
    body: z.object({
      task: z
        .record(z.string(), z.unknown())
        .refine(
          (task) => JSON.stringify(task).length <= maxTaskCharacters,
          `must have at most ${maxTaskCharacters} characters as JSON`,
        ),
      schedule: z.number().min(0).max(maxSeconds).default(0),
    }),
    success: 204,
    errors: ['conflict'],
  },
});

const developedExample = {
  path: '/v1/integrations/:integrationName/dev',
  access: { integration: 'admin' },
  scope: 'integration:publish',
  params: z.object({ integrationName: IntegrationName }),
} as const;

export const developmentEndpoints = contract({
  setIntegrationDevelopmentMode: {
    ...developedExample,
    method: 'PUT',
    summary: 'Start the development mode of an integration',
    body: z.object({
      tunnelUrl: createHttpUrlSchema({ max: 256 }),
      seconds: z.number().int().min(60).max(3600).default(3600),
      all: z.boolean().default(false),
    }),
    success: 204,
  },
  disableIntegrationDevelopmentMode: {
    ...developedExample,
    method: 'DELETE',
    summary: 'End the development mode of an integration',
    success: 205,
  },
});

/** Maximum number of pages that an integration can generate for one computed page. */
export const maxComputedPages = 100;

const shownExample = {
  title: PageTitle,
  emoji: Emoji.optional(),
  icon: z
    .string()
    .regex(/^[a-z0-9-]{1,64}$/, 'must be the name of an icon')
    .optional(),
};

const writtenExample = {
  ...shownExample,
  slug: z.string().min(1).max(100).optional(),
  description: createLineSchema(0, 300).optional(),
  computed: ComputedSourceInput.optional(),
  pages: z.array(z.unknown()).max(maxComputedPages).optional(),
};

const notOfLinks = z.undefined('must be left out for a link').optional();

/** A page in an integration's response to `content_compute_revision`. The items of its `pages` have the same form. */
export const ComputedPageResponse = z.discriminatedUnion(
  'type',
  [
    z.object({ type: z.literal('document'), ...writtenExample }),
    z.object({ type: z.literal('group'), ...writtenExample }),
    z.object({
      type: z.literal('link'),
      ...shownExample,
      target: LinkTarget,
      ...{ slug: notOfLinks, description: notOfLinks, computed: notOfLinks, pages: notOfLinks },
    }),
  ],
  'must be document, group or link',
);
export type ComputedPageResponse = z.infer<typeof ComputedPageResponse>;

/** An integration's response to `content_compute_revision`. */
export const ComputedRevisionAnswer = z.object({
  pages: z.array(z.unknown()).max(maxComputedPages),
  files: z
    .array(z.unknown())
    .max(0, 'must be left out: generated pages have no files, so images need a URL')
    .optional(),
});

/** An integration's response to `content_compute_document`. The code that stores the document validates its content. */
export const ComputedDocumentAnswer = z.object({ document: z.looseObject({ nodes: z.array(z.unknown()) }) });
