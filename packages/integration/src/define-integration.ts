import { answers } from './answers.ts';
import { contextOf, type IntegrationContext } from './context.ts';
import type { IntegrationDefinition, IntegrationHandler } from './definition.ts';
import type { IntegrationEnvironment } from './environment.ts';
import type { Questions } from './event.ts';
import { Refusal } from './refusal.ts';

const contractVersion = '/v1';

interface ReceivedEvent {
  type: string;
}

interface Execution {
  waitUntil(work: Promise<unknown>): void;
}

/** Makes the module that a script exports by default: it takes what the platform posts, and calls the handlers. */
export function defineIntegration(definition: IntegrationDefinition) {
  return {
    async fetch(request: Request, _bindings: unknown, execution: Execution): Promise<Response> {
      try {
        if (new URL(request.url).pathname !== contractVersion)
          throw new Refusal(`This script is called at ${contractVersion}.`);
        const { event, environment, body } = await readForm(request);
        return await handle(
          definition,
          { event, body },
          contextOf(environment, (work) => execution.waitUntil(work)),
        );
      } catch (error) {
        return answerTo(error);
      }
    },
  };
}

async function readForm(request: Request) {
  const form = await request.formData().catch(() => {
    throw new Refusal('A script is called with a form.');
  });
  return {
    event: fieldOf<ReceivedEvent>(form, 'event'),
    environment: fieldOf<IntegrationEnvironment>(form, 'environment'),
    body: form.get('fetch-body') as string | Blob | null,
  };
}

function fieldOf<Value>(form: FormData, name: string): Value {
  const text = form.get(name);
  try {
    if (typeof text === 'string') return JSON.parse(text) as Value;
  } catch {}
  throw new Refusal(`The field "${name}" of the form must be JSON.`);
}

interface Received {
  event: ReceivedEvent;
  body: string | Blob | null;
}

async function handle(
  definition: IntegrationDefinition,
  { event, body }: Received,
  context: IntegrationContext,
): Promise<Response> {
  if (isQuestion(event)) return answer(definition, event, body, context);
  const events: Record<string, IntegrationHandler<ReceivedEvent> | undefined> = definition.events as never;
  const handler = definition.events !== undefined && Object.hasOwn(events, event.type) ? events[event.type] : undefined;
  if (handler === undefined) throw new Refusal(`This integration does not handle ${event.type}.`, 406);
  await handler(event, context);
  return new Response(null, { status: 204 });
}

const isQuestion = (event: ReceivedEvent): event is Questions[keyof Questions] => Object.hasOwn(answers, event.type);

function answer<Type extends keyof Questions>(
  definition: IntegrationDefinition,
  event: Questions[Type] & { type: Type },
  body: string | Blob | null,
  context: IntegrationContext,
): Promise<Response> {
  return answers[event.type](definition, { event, body }, context);
}

/** What went wrong unexpectedly stands in the log alone: its text may tell what was entrusted to the script. */
function answerTo(error: unknown): Response {
  if (error instanceof Refusal) return Response.json({ error: error.message }, { status: error.status });
  console.error(error instanceof Error ? (error.stack ?? error.message) : String(error));
  return Response.json({ error: 'The integration failed.' }, { status: 500 });
}
