import { type ScriptServer, serveScript } from '@octavo/platform';
import type { IntegrationEvent } from '@octavo/schema';
import type { Api } from '../api.ts';
import { type LocalAnswer, type LocalRequest, listenLocally } from '../local-server.ts';

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
const nothingYet: LocalAnswer = { status: 503, body: 'The script is not built yet.' };

/** Listens for calls of the platform and forwards them to the newest script. `say` receives log lines. */
export async function openDevServer(port: number, say: (line: string) => void): Promise<DevServer> {
  let running: Running | undefined;
  const started = new Set<Running>();

  async function answer(request: LocalRequest): Promise<LocalAnswer> {
    if (running === undefined) return nothingYet;
    const begun = performance.now();
    const { url, calls } = running;
    const call = passOn(request, url);
    calls.add(call);
    const answered = await call.finally(() => calls.delete(call));
    const took = Math.round(performance.now() - begun);
    say(`${await getType(request)}: ${answered.status} in ${took} ms`);
    return answered;
  }

  /** Stops a script that was replaced, after its calls in progress have finished. */
  async function retire(former: Running): Promise<void> {
    await Promise.allSettled(former.calls);
    await former.stop();
    started.delete(former);
  }

  const { url, close } = await listenLocally(port, answer);
  return {
    url,
    async use(script) {
      const former = running;
      running = { ...(await serveScript(script, (line) => say(`  ${line}`))), calls: new Set() };
      started.add(running);
      if (former !== undefined) void retire(former);
    },
    async stop() {
      await close();
      await Promise.all([...started].map((each) => each.stop()));
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
const passed = (headers: Iterable<[string, string]>): Record<string, string> =>
  Object.fromEntries([...headers].filter(([name]) => !ofConnection.has(name.toLowerCase())));

async function passOn({ method, path, headers, body }: LocalRequest, url: string): Promise<LocalAnswer> {
  const hasBody = method !== 'GET' && method !== 'HEAD';
  const response = await fetch(`${url}${path}`, {
    method,
    headers: passed(Object.entries(headers)),
    redirect: 'manual',
    ...(hasBody && { body }),
  });
  return {
    status: response.status,
    headers: passed(response.headers),
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
  let known: ReadonlySet<string> | undefined;

  return async function readNew(): Promise<IntegrationEvent[]> {
    const found: IntegrationEvent[] = [];
    let page: string | undefined;
    for (let read = 0; read < (known === undefined ? 1 : maxPages); read++) {
      const query = { limit: String(pageSize), page };
      const { items, next } = await api.listIntegrationEvents({ params: { integrationName }, query });
      const fresh = items.filter(({ id }) => !known?.has(id));
      found.push(...fresh);
      page = next?.page;
      if (fresh.length < items.length || page === undefined) break;
    }
    known = new Set(
      [...found.slice(0, pageSize * maxPages).map(({ id }) => id), ...(known ?? [])].slice(0, pageSize * maxPages),
    );
    return found.reverse();
  };
}

/** Indents continuation lines, so that they cannot be mistaken for separate log lines. */
const setIn = (text: string): string => text.replaceAll('\n', '\n    ');

/** Formats an event, the log of the script and its error as lines. */
export function printEvent(
  { createdAt, status, installationId, payload }: IntegrationEvent,
  { logs, error }: { logs: { level: string; message: string }[]; error?: string | undefined },
) {
  const { type, ...rest } = payload;
  const where = installationId === undefined ? '' : ` ${installationId}`;
  return [
    `${createdAt} ${status} ${type}${where} ${JSON.stringify(rest)}`,
    ...logs.map(({ level, message }) => `  [${level}] ${setIn(message)}`),
    ...(error === undefined ? [] : [`  ${setIn(error)}`]),
  ];
}
