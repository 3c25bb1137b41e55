import type { ScriptLimits, ScriptLog, ScriptOutcome } from './frame.ts';
import { compatibilityFlags, createScriptModules, entrypoint, logLimits, mainModule } from './script-modules.ts';

/** The part of the loader that is used. */
type IsolateLoader = Pick<WorkerLoader, 'get'>;

/** A script with the isolate that it runs in. */
interface Isolate {
  /** Runs with the same name share an isolate with its global state. */
  name: string;
  script(): Promise<string>;
  /** The script's only access to the network. */
  outbound: Fetcher;
}

interface RunningResponse extends Disposable {
  response: Response;
  /** Resolves when the work passed to `waitUntil` is done. */
  finish(): Promise<void>;
}

interface IsolateRunner {
  run(request: Request, log: (level: unknown, message: unknown) => void): Promise<RunningResponse>;
}

/** Ends a run with this fault. */
class Fault extends Error {
  readonly fault: 'timeout' | 'too_large';

  constructor(fault: 'timeout' | 'too_large', message: string) {
    super(message);
    this.fault = fault;
  }
}

const levels: Record<string, ScriptLog['level']> = { debug: 'debug', info: 'info', warn: 'warn', error: 'error' };

/** Collects console messages. The limits are enforced here because the script can bypass limits in its own isolate. */
function collectLogs(writeLog: ((log: ScriptLog) => void) | undefined) {
  const logs: ScriptLog[] = [];
  let remaining = logLimits.characters;
  const log = (level: unknown, message: unknown) => {
    if (logs.length >= logLimits.lines || remaining <= 0) return;
    const text = String(message).slice(0, remaining);
    remaining -= text.length;
    const line = { level: levels[String(level)] ?? 'info', message: text, timestamp: new Date().toISOString() };
    logs.push(line);
    writeLog?.(line);
  };
  return { logs, log };
}

/** Reads a body; returns undefined if it is longer than the limit. */
export async function readLimited(response: Response, limit: number): Promise<Uint8Array | undefined> {
  if (response.body === null) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body as ReadableStream<Uint8Array>) {
    size += chunk.length;
    if (size > limit) return undefined;
    chunks.push(chunk);
  }
  const body = new Uint8Array(size);
  let offset = 0;
  for (const chunk of chunks) {
    body.set(chunk, offset);
    offset += chunk.length;
  }
  return body;
}

const maxHeaders = 100;
const maxHeaderCharacters = 16_384;

function getHeaders({ headers }: Response): [string, string][] {
  const keptHeaders = [...headers].slice(0, maxHeaders);
  const size = keptHeaders.reduce((sum, [name, value]) => sum + name.length + value.length, 0);
  if (size > maxHeaderCharacters || [...headers].length > maxHeaders)
    throw new Fault(
      'too_large',
      `The script returned more than ${maxHeaders} headers or more than ${maxHeaderCharacters} characters of headers.`,
    );
  return keptHeaders;
}

async function toResponse(
  runner: IsolateRunner,
  request: Request,
  { log, limits }: { log: ReturnType<typeof collectLogs>['log']; limits: ScriptLimits },
) {
  using startedRun = await runner.run(request, log);
  const { response } = startedRun;
  const headers = getHeaders(response);
  const body = await readLimited(response, limits.answerBytes);
  if (body === undefined) throw new Fault('too_large', `The script returned more than ${limits.answerBytes} bytes.`);
  await startedRun.finish();
  return { status: response.status, headers, body };
}

/** Returns a promise that rejects after the given time, and a function that clears the timer. */
function startTimeout(milliseconds: number): { expired: Promise<never>; clear(): void } {
  const { promise: expired, reject } = Promise.withResolvers<never>();
  const message = `The script took longer than ${milliseconds / 1000} s.`;
  const timer = setTimeout(() => reject(new Fault('timeout', message)), milliseconds);
  return { expired, clear: () => clearTimeout(timer) };
}

const toMessage = (error: unknown): string =>
  (error instanceof Error ? `${error.name}: ${error.message}` : String(error)).slice(0, 1000);

/** A request to a script; `writeLog` is called for each console message. */
interface IsolateRun {
  request: Request;
  limits: ScriptLimits;
  writeLog?: (log: ScriptLog) => void;
}

/**
 * Runs a script in its isolate. Enforces the limits that the loader's host does not enforce, as far as that is possible
 * from outside the isolate.
 */
export async function runIsolate(
  loader: IsolateLoader,
  { name, script, outbound }: Isolate,
  { request, limits, writeLog }: IsolateRun,
): Promise<ScriptOutcome> {
  const { logs, log } = collectLogs(writeLog);
  const time = startTimeout(limits.milliseconds);
  try {
    // An existing isolate keeps the limits that it was created with, so its name contains them.
    const limited = [name, limits.cpuMilliseconds, limits.requests].join('@');
    const worker = loader.get(limited, async () => ({
      compatibilityDate: '2026-08-01',
      compatibilityFlags,
      mainModule,
      modules: createScriptModules(await script()),
      env: {},
      globalOutbound: outbound,
      limits: { cpuMs: limits.cpuMilliseconds, subRequests: limits.requests },
    }));
    const runner = worker.getEntrypoint(entrypoint) as unknown as IsolateRunner;
    const response = await Promise.race([toResponse(runner, request, { log, limits }), time.expired]);
    return { ok: true, ...response, logs };
  } catch (error) {
    const fault = error instanceof Fault ? error.fault : 'exception';
    return { ok: false, fault, message: error instanceof Fault ? error.message : toMessage(error), logs };
  } finally {
    time.clear();
  }
}
