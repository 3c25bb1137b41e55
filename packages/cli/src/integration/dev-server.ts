import { type ScriptServer, serveScript } from '@octavo/platform/script-server';
import type { IntegrationEvent } from '@octavo/schema';
import type { Api } from '../api.ts';
import { type LocalRequest, type LocalResponse, listenLocally } from '../local-server.ts';

interface DevServer {
  url: string;
  /** Switches to this script. */
  use(script: string): Promise<void>;
  stop(): Promise<void>;
}

interface Running extends ScriptServer {
  /** Calls in progress. */
  calls: Set<Promise<unknown>>;
}

/** The response before the first build. It makes the platform retry the event. */
const nothingYet: LocalResponse = { status: 503, body: 'The script is not built yet.' };

/** Listens for calls of the platform and forwards them to the newest script. `log` receives log lines. */
export async function openDevServer(port: number, log: (line: string) => void): Promise<DevServer> {
  let running: Running | undefined;
  const started = new Set<Running>();

  async function handleLocalRequest(request: LocalRequest): Promise<LocalResponse> {
    if (running === undefined) return nothingYet;
    const startedAt = performance.now();
    const { url, calls } = running;
    const call = forwardRequest(request, url);
    calls.add(call);
    const response = await call.finally(() => calls.delete(call));
    const took = Math.round(performance.now() - startedAt);
    log(`${await getType(request)}: ${response.status} in ${took} ms`);
    return response;
  }

  /** Stops a script that was replaced, after its calls in progress have finished. */
  async function closePrevious(previous: Running): Promise<void> {
    await Promise.allSettled(previous.calls);
    await previous.stop();
    started.delete(previous);
  }

  const { url, close } = await listenLocally(port, handleLocalRequest);
  return {
    url,
    async use(script) {
      const previous = running;
      running = { ...(await serveScript(script, (line) => log(`  ${line}`))), calls: new Set() };
      started.add(running);
      if (previous !== undefined) void closePrevious(previous);
    },
    async stop() {
      await close();
      await Promise.all([...started].map((running) => running.stop()));
    },
  };
}

const ofConnection = new Set([
  'host',
  'connection',
  'content-length',
  'transfer-encoding',
  'content-encoding',
  'keep-alive',
]);
const filterHeaders = (headers: Iterable<[string, string]>): Record<string, string> =>
  Object.fromEntries([...headers].filter(([name]) => !ofConnection.has(name.toLowerCase())));

async function forwardRequest({ method, path, headers, body }: LocalRequest, url: string): Promise<LocalResponse> {
  const hasBody = method !== 'GET' && method !== 'HEAD';
  const response = await fetch(`${url}${path}`, {
    method,
    headers: filterHeaders(Object.entries(headers)),
    redirect: 'manual',
    ...(hasBody && { body }),
  });
  return {
    status: response.status,
    headers: filterHeaders(response.headers),
    body: new Uint8Array(await response.arrayBuffer()),
  };
}

/** Returns the type of the event in a call, or its method and path if it has no event. */
async function getType({ method, path, headers, body }: LocalRequest): Promise<string> {
  try {
    const type = headers['content-type'] ?? '';
    const form = await new Response(body, { headers: { 'content-type': type } }).formData();
    return String((JSON.parse(String(form.get('event'))) as { type: unknown }).type);
  } catch {
    return `${method} ${path}`;
  }
}

/**
 * Page size and maximum number of pages per poll. If more events arrive between two polls, only the newest are shown.
 */
const pageSize = 50;
const maxPages = 10;

/** Returns a function that returns the events of an integration since its last call, the oldest first. */
export function followEvents(api: Api, integrationName: string) {
  let knownIds: ReadonlySet<string> | undefined;

  return async function readNew(): Promise<IntegrationEvent[]> {
    const newEvents: IntegrationEvent[] = [];
    let page: string | undefined;
    for (let pageCount = 0; pageCount < (knownIds === undefined ? 1 : maxPages); pageCount++) {
      const query = { limit: String(pageSize), page };
      const { items, next } = await api.listIntegrationEvents({ params: { integrationName }, query });
      const fresh = items.filter(({ id }) => !knownIds?.has(id));
      newEvents.push(...fresh);
      page = next?.page;
      if (fresh.length < items.length || page === undefined) break;
    }
    knownIds = new Set(
      [...newEvents.slice(0, pageSize * maxPages).map(({ id }) => id), ...(knownIds ?? [])].slice(
        0,
        pageSize * maxPages,
      ),
    );
    return newEvents.reverse();
  };
}

/** Indents continuation lines, so that they cannot be mistaken for separate log lines. */
const indentLines = (text: string): string => text.replaceAll('\n', '\n    ');

/** Formats an event, the log of the script and its error as lines. */
export function printEvent(
  { createdAt, status, installationId, payload }: IntegrationEvent,
  { logs, error }: { logs: { level: string; message: string }[]; error?: string | undefined },
) {
  const { type, ...rest } = payload;
  const origin = installationId === undefined ? '' : ` ${installationId}`;
  return [
    `${createdAt} ${status} ${type}${origin} ${JSON.stringify(rest)}`,
    ...logs.map(({ level, message }) => `  [${level}] ${indentLines(message)}`),
    ...(error === undefined ? [] : [`  ${indentLines(error)}`]),
  ];
}
