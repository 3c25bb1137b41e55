import type { ScriptLimits, ScriptLog, ScriptOutcome } from './frame.ts';
import { entrypoint, logLimits, mainModule, scriptModules } from './script-modules.ts';

/** What makes isolates, as far as it is needed. */
export type IsolateLoader = Pick<WorkerLoader, 'get'>;

/** A script, and the isolate that it runs in. */
export interface Isolate {
  /** Whoever gives the same name gets the same isolate, with what the script left there. */
  name: string;
  script(): Promise<string>;
  /** All that the script reaches of the network. */
  outbound: Fetcher;
}

interface Begun extends Disposable {
  response: Response;
  /** Resolves when all is done that the script still waited for. */
  finish(): Promise<void>;
}

interface Runner {
  run(request: Request, log: (level: unknown, message: unknown) => void): Promise<Begun>;
}

/** Ends a run with what is told of it. */
class Fault extends Error {
  readonly fault: 'timeout' | 'too_large';

  constructor(fault: 'timeout' | 'too_large', message: string) {
    super(message);
    this.fault = fault;
  }
}

const levels: Record<string, ScriptLog['level']> = { debug: 'debug', info: 'info', warn: 'warn', error: 'error' };

/** Keeps what a script writes, within bounds of our own: the isolate's are in the hands of the script. */
function keepLogs(tell: ((log: ScriptLog) => void) | undefined) {
  const logs: ScriptLog[] = [];
  let left = logLimits.characters;
  const log = (level: unknown, message: unknown) => {
    if (logs.length >= logLimits.lines || left <= 0) return;
    const kept = String(message).slice(0, left);
    left -= kept.length;
    const line = { level: levels[String(level)] ?? 'info', message: kept, timestamp: new Date().toISOString() };
    logs.push(line);
    tell?.(line);
  };
  return { logs, log };
}

async function readWithin(response: Response, limit: number): Promise<Uint8Array> {
  if (response.body === null) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body as ReadableStream<Uint8Array>) {
    size += chunk.length;
    if (size > limit) throw new Fault('too_large', `The script answered with more than ${limit} bytes.`);
    chunks.push(chunk);
  }
  const body = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    body.set(chunk, at);
    at += chunk.length;
  }
  return body;
}

const maxHeaders = 100;
const maxHeaderCharacters = 16_384;

function headersOf({ headers }: Response): [string, string][] {
  const kept = [...headers].slice(0, maxHeaders);
  const size = kept.reduce((sum, [name, value]) => sum + name.length + value.length, 0);
  if (size > maxHeaderCharacters || [...headers].length > maxHeaders)
    throw new Fault(
      'too_large',
      `The script answered with more than ${maxHeaders} headers or ${maxHeaderCharacters} characters of them.`,
    );
  return kept;
}

async function answerOf(
  runner: Runner,
  request: Request,
  { log, limits }: { log: ReturnType<typeof keepLogs>['log']; limits: ScriptLimits },
) {
  using begun = await runner.run(request, log);
  const { response } = begun;
  const headers = headersOf(response);
  const body = await readWithin(response, limits.answerBytes);
  await begun.finish();
  return { status: response.status, headers, body };
}

/** Rejects when the time is up. */
function timeout(milliseconds: number): { up: Promise<never>; clear(): void } {
  const { promise: up, reject } = Promise.withResolvers<never>();
  const message = `The script took longer than ${milliseconds / 1000} s.`;
  const timer = setTimeout(() => reject(new Fault('timeout', message)), milliseconds);
  return { up, clear: () => clearTimeout(timer) };
}

const messageOf = (error: unknown): string =>
  (error instanceof Error ? `${error.name}: ${error.message}` : String(error)).slice(0, 1000);

/** What a script is to answer, within which limits; and who is told what it writes to its console as it does. */
export interface IsolateRun {
  request: Request;
  limits: ScriptLimits;
  tell?: (log: ScriptLog) => void;
}

/** Has a script answer a request in its isolate. What the loader's host does not limit is limited here, as far as that goes. */
export async function runIsolate(
  loader: IsolateLoader,
  { name, script, outbound }: Isolate,
  { request, limits, tell }: IsolateRun,
): Promise<ScriptOutcome> {
  const { logs, log } = keepLogs(tell);
  const time = timeout(limits.milliseconds);
  try {
    // An isolate that is there already keeps the limits that it was made with.
    const limited = [name, limits.cpuMilliseconds, limits.requests].join('@');
    const worker = loader.get(limited, async () => ({
      compatibilityDate: '2026-08-01',
      compatibilityFlags: ['nodejs_compat'],
      mainModule,
      modules: scriptModules(await script()),
      env: {},
      globalOutbound: outbound,
      limits: { cpuMs: limits.cpuMilliseconds, subRequests: limits.requests },
    }));
    const runner = worker.getEntrypoint(entrypoint) as unknown as Runner;
    const answer = await Promise.race([answerOf(runner, request, { log, limits }), time.up]);
    return { ok: true, ...answer, logs };
  } catch (error) {
    const fault = error instanceof Fault ? error.fault : 'exception';
    return { ok: false, fault, message: error instanceof Fault ? error.message : messageOf(error), logs };
  } finally {
    time.clear();
  }
}
