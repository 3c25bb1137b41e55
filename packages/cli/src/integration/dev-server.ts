import { type ScriptServer, serveScript } from '@octavo/platform';
import { type LocalAnswer, type LocalRequest, listenLocally } from '../local-server.ts';

export interface DevServer {
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
