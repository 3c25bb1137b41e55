import type { IntegrationContext, IntegrationEnvironment } from './context.ts';
import { getContext } from './context.ts';
import type { IntegrationDefinition, IntegrationHandler, Questions } from './definition.ts';

const contractVersion = '/v1';

interface ReceivedEvent {
  type: string;
}

interface Execution {
  waitUntil(work: Promise<unknown>): void;
}

/** Returns the default export of a script: it parses the platform's request and calls the handler. */
export function defineIntegration(definition: IntegrationDefinition) {
  return {
    async fetch(request: Request, _bindings: unknown, execution: Execution): Promise<Response> {
      try {
        if (new URL(request.url).pathname !== contractVersion)
          throw new Refusal(`This script must be called at ${contractVersion}.`);
        const { event, environment, body } = await readForm(request);
        return await runHandler(
          definition,
          { event, body },
          getContext(environment, (work) => execution.waitUntil(work)),
        );
      } catch (error) {
        return createErrorResponse(error);
      }
    },
  };
}

async function readForm(request: Request) {
  const form = await request.formData().catch(() => {
    throw new Refusal('A script must be called with a form.');
  });
  return {
    event: getField<ReceivedEvent>(form, 'event'),
    environment: getField<IntegrationEnvironment>(form, 'environment'),
    body: form.get('fetch-body') as string | Blob | null,
  };
}

function getField<Value>(form: FormData, name: string): Value {
  const text = form.get(name);
  try {
    if (typeof text === 'string') return JSON.parse(text) as Value;
  } catch {}
  throw new Refusal(`The form field "${name}" must be JSON.`);
}

interface Received {
  event: ReceivedEvent;
  body: string | Blob | null;
}

async function runHandler(
  definition: IntegrationDefinition,
  { event, body }: Received,
  context: IntegrationContext,
): Promise<Response> {
  if (isQuestion(event)) return dispatch(definition, event, body, context);
  const events: Record<string, IntegrationHandler<ReceivedEvent> | undefined> = definition.events as never;
  const handler = definition.events !== undefined && Object.hasOwn(events, event.type) ? events[event.type] : undefined;
  if (handler === undefined) throw new Refusal(`This integration does not handle ${event.type}.`, 406);
  await handler(event, context);
  return new Response(null, { status: 204 });
}

const isQuestion = (event: ReceivedEvent): event is Questions[keyof Questions] => Object.hasOwn(handlers, event.type);

function dispatch<Type extends keyof Questions>(
  definition: IntegrationDefinition,
  event: Questions[Type] & { type: Type },
  body: string | Blob | null,
  context: IntegrationContext,
): Promise<Response> {
  return handlers[event.type](definition, { event, body }, context);
}

/** The response does not contain unexpected errors, because their messages may include secrets. */
function createErrorResponse(error: unknown): Response {
  if (error instanceof Refusal) return Response.json({ error: error.message }, { status: error.status });
  console.error(error instanceof Error ? (error.stack ?? error.message) : String(error));
  return Response.json({ error: 'The integration failed.' }, { status: 500 });
}

type Question<Type extends keyof Questions> = { event: Questions[Type]; body: string | Blob | null };

/** Handles each question of the platform with the matching part of the definition. */
const handlers: {
  [Type in keyof Questions]: (
    definition: IntegrationDefinition,
    question: Question<Type>,
    context: IntegrationContext,
  ) => Promise<Response>;
} = {
  fetch: async ({ fetch }, { event, body }, context) => {
    if (fetch === undefined) throw new Refusal('This integration does not handle requests.');
    return fetch(getRequest(event.request, body), context);
  },
  fetch_published_script: async ({ publishedScript }, { event }, context) => {
    if (publishedScript === undefined) throw new Refusal('This integration has no script for sites.');
    const script = await publishedScript(event, context);
    return new Response(script ?? '/* no script */', {
      headers: { 'content-type': 'text/javascript; charset=utf-8' },
    });
  },
  fetch_visitor_authentication: async ({ visitorAuthentication }, { event, body }, context) => {
    if (visitorAuthentication === undefined) throw new Refusal('This integration does not sign in visitors.');
    return visitorAuthentication(getRequest(event.request, body), context);
  },
  ui_render: async ({ components }, { event }, context) =>
    Response.json(await getEntry(components, event.componentId, 'component')(event, context)),
  content_compute_revision: async ({ contentSources }, { event }, context) =>
    Response.json(await getEntry(contentSources, event.sourceId, 'content source').revision(event, context)),
  content_compute_document: async ({ contentSources }, { event }, context) =>
    Response.json({
      document: await getEntry(contentSources, event.sourceId, 'content source').document(event, context),
    }),
  task: async ({ tasks }, { event }, context) => {
    const handler: IntegrationHandler<Record<string, unknown>> = getEntry(tasks, String(event.task.type), 'task');
    await handler(event.task, context);
    return new Response(null, { status: 204 });
  },
};

function getEntry<Entry>(entries: Record<string, Entry> | undefined, name: string, description: string): Entry {
  const entry = entries !== undefined && Object.hasOwn(entries, name) ? entries[name] : undefined;
  if (entry === undefined) throw new Refusal(`This integration has no ${description} "${name}".`, 404);
  return entry;
}

function getRequest({ url, method, headers }: Questions['fetch']['request'], body: string | Blob | null): Request {
  const hasBody = method !== 'GET' && method !== 'HEAD';
  return new Request(url, { method, headers, ...(hasBody && { body }) });
}

/**
 * An error that is reported to the caller: the response has its message and status. If an event handler throws it, the
 * platform sends the event again if the status is 408, 429, or at least 500. It does not send the event again after
 * another status from 400 to 499.
 */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly status: number;

  constructor(message: string, status = 400) {
    super(message);
    this.status = status;
  }
}
