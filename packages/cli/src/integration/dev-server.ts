import { type ScriptServer, serveScript } from '@octavo/platform';
import type { IntegrationEvent } from '@octavo/schema';
import type { Api } from '../api.ts';
import { type LocalAnswer, type LocalRequest, listenLocally } from '../local-server.ts';

interface DevServer {
  url: string;
  /** Runs this script from now on. */
  use(script: string): Promise<void>;
  stop(): Promise<void>;
}

interface Running extends ScriptServer {
  /** What it is asked for at the moment. */
  calls: Set<Promise<unknown>>;
}

/** What answers where there is no script yet: the platform takes it that the event is to be sent again. */
const nothingYet: LocalAnswer = { status: 503, body: 'The script is not built.' };

/** Listens for calls of the platform and has the newest script answer them; `say` gets what happens, line by line. */
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
    say(`${await typeOf(request)}: ${answered.status} in ${took} ms`);
    return answered;
  }

  /** A script that another one has taken the place of answers what it was asked before. */
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

/** The type of the event that a call is about. */
async function typeOf({ method, path, headers, body }: LocalRequest): Promise<string> {
  try {
    const type = headers['content-type'] ?? '';
    const form = await new Response(body, { headers: { 'content-type': type } }).formData();
    return String((JSON.parse(String(form.get('event'))) as { type: unknown }).type);
  } catch {
    return `${method} ${path}`;
  }
}

/** So many are read at once, and so many pages back at the most: of what is logged faster, the newest are shown. */
const pageSize = 50;
const maxPages = 10;

/** Gives what an integration's script was called for, at each call what is new since the last one, the oldest first. */
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

/** What goes on in a next line is set in, so that it does not pass for a line of its own. */
const setIn = (text: string): string => text.replaceAll('\n', '\n    ');

/** An event, what the script logged of it and why it failed, as lines. */
export function tellEvent(
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
