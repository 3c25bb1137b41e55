import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import path from 'node:path';
import {
  encodeHead,
  encodeOutcome,
  headHeader,
  type ScriptFault,
  type ScriptHead,
  splitOutput,
} from '@octavo/script-isolate/frame';
import { Embedded, toCapnpText } from '../capnp-text.ts';
import { type HelperOptions, HelperProcess } from '../helper-process.ts';
import type { BuiltWorker } from '../manifest.ts';
import type { Usage } from '../process-usage.ts';

export interface ScriptConfigOptions {
  outDir: string;
  /** The worker of a script process. */
  worker: BuiltWorker;
  /** The address on which the gateway listens; undefined if it does not listen. */
  address: { host: string; port: number } | undefined;
  vars: Record<string, string>;
}

/** The name of the process's socket. Its path is passed when the process starts. */
const SOCKET = 'runs';

/*
 * A process runs the scripts of only one integration, so it needs a smaller heap than the runtime. Memory outside the
 * heap is measured by the host.
 */
const v8Flags = ['--max-old-space-size=256', '--single-threaded-gc'];

const everywhere: Record<string, string> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

/** Returns the address at which clients can connect to a server that listens on `host` and `port`. */
function toConnectAddress({ host, port }: { host: string; port: number }): string {
  const reachableHost = everywhere[host] ?? host;
  return reachableHost.includes(':') ? `[${reachableHost}]:${port}` : `${reachableHost}:${port}`;
}

/**
 * Returns the configuration of a script process: no disk, database or secret, and only the network access that its
 * worker allows.
 */
export function createScriptConfig({ outDir, worker, address, vars }: ScriptConfigOptions): string {
  const allowsPrivate = vars.OCTAVO_IMPORT_ALLOW_PRIVATE === '1';
  const allow = allowsPrivate ? ['public', 'private'] : ['public'];
  const texts = {
    PUBLIC_URL: address === undefined ? '' : (vars.OCTAVO_PUBLIC_URL ?? ''),
    ALLOW_PRIVATE: allowsPrivate ? '1' : '',
    ADDRESS_HEADER: vars.OCTAVO_CLIENT_ADDRESS_HEADER ?? '',
  };
  const main = {
    modules: [{ name: 'script-process.js', esModule: new Embedded(path.resolve(outDir, worker.bundle)) }],
    compatibilityDate: worker.options.compatibilityDate ?? '',
    compatibilityFlags: worker.options.compatibilityFlags ?? [],
    globalOutbound: 'outside',
    bindings: [
      { name: 'LOADER', workerLoader: {} },
      ...Object.entries(texts).map(([name, text]) => ({ name, text })),
      ...(address === undefined ? [] : [{ name: 'PLATFORM', service: 'platform' }]),
    ],
  };
  const config = {
    services: [
      { name: 'main', worker: main },
      { name: 'outside', network: { allow, tlsOptions: { trustBrowserCas: true } } },
      ...(address === undefined
        ? []
        : [{ name: 'platform', external: { address: toConnectAddress(address), http: {} } }]),
    ],
    sockets: [{ name: SOCKET, http: {}, service: 'main' }],
    v8Flags,
  };
  return `using Workerd = import "/workerd/workerd.capnp";\nconst config :Workerd.Config = ${toCapnpText(config)};\n`;
}

export type ProcessOptions = Omit<HelperOptions, 'socketName' | 'niceness'>;

/** The input of a script: the form and its type. */
interface ScriptForm {
  type: string;
  body: Buffer;
}

const sampleMilliseconds = 25;
/**
 * In milliseconds. A process stops itself at the time limit of a run. If it exceeds the limit by
 * `graceMilliseconds`, it is stuck.
 */
const graceMilliseconds = 300;
/**
 * Maximum size of a run's output besides the response body: the headers, and the console messages, which are sent
 * immediately and again at the end.
 */
const maxReportBytes = 1024 * 1024;
/** A process is not reused after it has grown by `maxGrowthBytes` or has executed `maxRuns` runs. */
const maxGrowthBytes = 128_000_000;
const maxRuns = 1000;
/** A process is not reused after it has loaded this many scripts. */
const maxScripts = 8;

class Stopped extends Error {
  readonly fault: ScriptFault;

  constructor(fault: ScriptFault, message: string) {
    super(message);
    this.fault = fault;
  }
}

/** Collects the chunks of a response, so that they are available even if the rest never arrives. */
async function readInto(chunks: Buffer[], response: IncomingMessage, limit: number): Promise<void> {
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > limit) throw new Stopped('too_large', 'The response of the script is too large.');
    chunks.push(chunk);
  }
}

/**
 * A runtime process for the scripts of one integration, which runs one script at a time. It is ended when a script
 * exceeds its limits.
 */
export class ScriptProcess {
  readonly #socket: string;
  readonly #process: HelperProcess;
  readonly #scripts = new Set<string>();
  #runs = 0;
  #isSpent = false;

  constructor(options: ProcessOptions) {
    this.#socket = options.socket;
    this.#process = new HelperProcess({ ...options, socketName: SOCKET, niceness: 10 });
  }

  /** Whether the process can run another script. */
  get isUsable(): boolean {
    return !this.#isSpent && !this.#process.hasEnded;
  }

  /** Runs a script to its end or its limit, and returns the encoded outcome. */
  async run(head: ScriptHead, text: string, form: ScriptForm): Promise<Uint8Array> {
    try {
      await this.#process.listening;
    } catch (error) {
      await this.end();
      const message = `The script process could not be started. ${error instanceof Error ? error.message : error}`;
      return encodeOutcome({ ok: false, fault: 'unavailable', message: message.slice(0, 500), logs: [] });
    }
    this.#runs += 1;
    const watch = this.#watch(head);
    const ended = this.#process.ended.then(() => Promise.reject(this.#describeEnd()));
    const chunks: Buffer[] = [];
    try {
      await Promise.race([this.#ask(head, { text, form, chunks }), watch.stopped, ended]);
      const { outcome } = splitOutput(Buffer.concat(chunks));
      if (outcome === undefined) throw this.#describeEnd();
      return outcome;
    } catch (error) {
      await this.end();
      const { fault, message } = error instanceof Stopped ? error : this.#describeEnd();
      return encodeOutcome({ ok: false, fault, message, logs: splitOutput(Buffer.concat(chunks)).logs });
    } finally {
      watch.clear();
      this.#checkUsage();
    }
  }

  async end(): Promise<void> {
    this.#isSpent = true;
    await this.#process.end();
  }

  #describeEnd(): Stopped {
    if (/out of memory|heap limit/i.test(this.#process.errorOutput))
      return new Stopped('memory', 'The script used too much memory.');
    return new Stopped('exception', 'The script process stopped unexpectedly.');
  }

  /** Rejects when a run exceeds its limits. Without /proc, only the time is measured. */
  #watch({ limits }: ScriptHead): { stopped: Promise<never>; clear(): void } {
    const { promise: stopped, reject } = Promise.withResolvers<never>();
    stopped.catch(() => undefined);
    const [before, started] = [this.#process.readUsage(), performance.now()];
    const timer = setInterval(() => {
      const now = this.#process.readUsage();
      const getIncrease = (field: keyof Usage): number => (now?.[field] ?? 0) - (before?.[field] ?? 0);
      if (now !== undefined && getIncrease('cpuMilliseconds') > limits.cpuMilliseconds)
        reject(new Stopped('timeout', `The script used more than ${limits.cpuMilliseconds} ms of CPU time.`));
      else if (now !== undefined && getIncrease('residentBytes') > limits.memoryBytes)
        reject(new Stopped('memory', `The script used more than ${limits.memoryBytes} bytes of memory.`));
      else if (performance.now() - started > limits.milliseconds + graceMilliseconds)
        reject(new Stopped('timeout', `The script took longer than ${limits.milliseconds / 1000} s.`));
    }, sampleMilliseconds);
    return { stopped, clear: () => clearInterval(timer) };
  }

  /** Scripts can leave state behind in the process, so a process that has grown too much is not reused. */
  #checkUsage(): void {
    const { startUsage } = this.#process;
    const grown = (this.#process.readUsage()?.residentBytes ?? 0) - (startUsage?.residentBytes ?? 0);
    const isFull = this.#runs >= maxRuns || this.#scripts.size >= maxScripts;
    if (grown > maxGrowthBytes || isFull) this.#isSpent = true;
  }

  async #ask(
    head: ScriptHead,
    { text, form, chunks }: { text: string; form: ScriptForm; chunks: Buffer[] },
  ): Promise<void> {
    if (!this.#scripts.has(head.script)) {
      await this.#send('PUT', head, { type: 'text/plain', body: Buffer.from(text) }, []);
      this.#scripts.add(head.script);
    }
    await this.#send('POST', head, form, chunks);
  }

  async #send(method: string, head: ScriptHead, { type, body }: ScriptForm, chunks: Buffer[]): Promise<void> {
    const headers = { [headHeader]: encodeHead(head), 'content-type': type, 'content-length': body.length };
    const call = request({ socketPath: this.#socket, method, path: '/', headers, agent: false });
    // Errors are ignored during the whole run: if a process ends after its response has started, writing the rest of
    // the form fails.
    call.on('error', () => undefined);
    call.end(body);
    const [response] = (await once(call, 'response')) as [IncomingMessage];
    await readInto(chunks, response, head.limits.answerBytes + maxReportBytes);
    if ((response.statusCode ?? 0) >= 300) throw new Stopped('exception', 'The script process failed.');
  }
}
