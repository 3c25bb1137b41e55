import type { IntegrationContext } from './context.ts';
import type { IntegrationDefinition, IntegrationHandler } from './definition.ts';
import type { Questions } from './event.ts';
import { Refusal } from './refusal.ts';

type Asked<Type extends keyof Questions> = { event: Questions[Type]; body: string | Blob | null };

/** How each question is answered by what the definition holds. */
export const answers: {
  [Type in keyof Questions]: (
    definition: IntegrationDefinition,
    asked: Asked<Type>,
    context: IntegrationContext,
  ) => Promise<Response>;
} = {
  fetch: async ({ fetch }, { event, body }, context) => {
    if (fetch === undefined) throw new Refusal('This integration answers no requests.');
    return fetch(requestOf(event.request, body), context);
  },
  fetch_published_script: async ({ publishedScript }, { event }, context) => {
    if (publishedScript === undefined) throw new Refusal('This integration has no script for sites.');
    const script = await publishedScript(event, context);
    return new Response(script ?? '/* nothing to load */', {
      headers: { 'content-type': 'text/javascript; charset=utf-8' },
    });
  },
  fetch_visitor_authentication: async ({ visitorAuthentication }, { event, body }, context) => {
    if (visitorAuthentication === undefined) throw new Refusal('This integration signs no visitors in.');
    return visitorAuthentication(requestOf(event.request, body), context);
  },
  ui_render: async ({ components }, { event }, context) =>
    Response.json(await named(components, event.componentId, 'component')(event, context)),
  content_compute_revision: async ({ contentSources }, { event }, context) =>
    Response.json(await named(contentSources, event.sourceId, 'content source').revision(event, context)),
  content_compute_document: async ({ contentSources }, { event }, context) =>
    Response.json({
      document: await named(contentSources, event.sourceId, 'content source').document(event, context),
    }),
  task: async ({ tasks }, { event }, context) => {
    const handler: IntegrationHandler<Record<string, unknown>> = named(tasks, String(event.task.type), 'task');
    await handler(event.task, context);
    return new Response(null, { status: 204 });
  },
};

function named<Entry>(entries: Record<string, Entry> | undefined, name: string, what: string): Entry {
  const entry = entries !== undefined && Object.hasOwn(entries, name) ? entries[name] : undefined;
  if (entry === undefined) throw new Refusal(`This integration has no ${what} "${name}".`, 404);
  return entry;
}

function requestOf({ url, method, headers }: Questions['fetch']['request'], body: string | Blob | null): Request {
  const hasBody = method !== 'GET' && method !== 'HEAD';
  return new Request(url, { method, headers, ...(hasBody && { body }) });
}
