import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import path from 'node:path';
import type { Readable } from 'node:stream';
import {
  encodeHead,
  encodeOutcome,
  headHeader,
  type ScriptFault,
  type ScriptHead,
  takeRun,
} from '@octavo/script-isolate/frame';
import { Embedded, toCapnpText } from '../capnp-text.ts';
import type { BuiltWorker } from '../manifest.ts';
import { readUsage, type Usage } from './process-usage.ts';

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

/*
 * Script processes do not end with this process. A shell reads their ids from a pipe that only this process holds, and
 * ends them when the pipe closes.
 */
const WATCHDOG = `
while read -r line; do pids=$line; done
for pid in $pids; do
  name=$(cat "/proc/$pid/comm" 2> /dev/null || ps -o comm= -p "$pid")
  case "$name" in *workerd*) kill -9 "$pid" ;; esac
done
`;

/** Ends registered processes when this process ends for any reason. */
export class ScriptWatchdog {
  readonly #pids = new Set<number>();
  #shell: ChildProcess | undefined;

  add(pid: number): void {
    this.#pids.add(pid);
    this.#shell ??= this.#start();
    this.#reportState();
  }

  delete(pid: number): void {
    this.#pids.delete(pid);
    this.#reportState();
    if (this.#pids.size > 0) return;
    this.#shell?.stdin?.end();
    this.#shell = undefined;
  }

  #start(): ChildProcess {
    const shell = spawn('/bin/sh', ['-c', WATCHDOG], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
    shell.unref();
    // A watchdog that failed to start or has ended is started again with the next process.
    const forget = () => {
      if (this.#shell === shell) this.#shell = undefined;
    };
    shell.on('error', forget).on('exit', forget);
    shell.stdin?.on('error', () => undefined);
    return shell;
  }

  #reportState(): void {
    this.#shell?.stdin?.write(`${[...this.#pids].join(' ')}\n`);
  }
}

export interface ProcessOptions {
  workerd: string;
  /** The configuration file. */
  config: string;
  socket: string;
  watchdog: ScriptWatchdog;
}

/** The input of a script: the form and its type. */
interface ScriptForm {
  type: string;
  body: Buffer;
}

const sampleMilliseconds = 25;
/**
 * Times in milliseconds. A process stops itself at the time limit of a run. If it exceeds the limit by
 * `graceMilliseconds`, it is stuck. `startMilliseconds` is the limit for its start.
 */
const graceMilliseconds = 300;
const startMilliseconds = 10_000;
/**
 * Maximum size of a run's output besides the response body: the headers, and the console messages, which are sent
 * immediately and again at the end.
 */
const maxReportBytes = 1024 * 1024;
/** A process is not reused after it has grown by `maxGrowthBytes` or has executed `maxRuns` runs. */
const maxGrowthBytes = 128_000_000;
const maxRuns = 1000;
/** Maximum number of scripts that a process caches. */
const maxScripts = 8;

// Starts a process with the lowest processor priority, as the first to be killed if memory runs out, and without core
// dumps.
const LAUNCH = 'ulimit -c 0; echo 1000 2> /dev/null > /proc/self/oom_score_adj; exec nice -n 10 "$0" "$@"';

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
  readonly #options: ProcessOptions;
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown>;
  readonly #listening: Promise<void>;
  readonly #scripts = new Set<string>();
  #startUsage: Usage | undefined;
  #runs = 0;
  #isSpent = false;
  #errorOutput = '';

  constructor(options: ProcessOptions) {
    this.#options = options;
    const { workerd, config, socket, watchdog } = options;
    const listens = ['--control-fd=3', `--socket-addr=${SOCKET}=unix:${socket}`];
    const args = ['-c', LAUNCH, workerd, 'serve', '--experimental', '-I/', ...listens, config];
    // Passes no environment, because it can contain a secret.
    this.#child = spawn('/bin/sh', args, { env: {}, stdio: ['ignore', 'ignore', 'pipe', 'pipe'] });
    const { pid } = this.#child;
    if (pid !== undefined) watchdog.add(pid);
    // Errors of the pipes are ignored, because the end of the process is reported anyway.
    for (const each of [this.#child, ...(this.#child.stdio ?? [])]) each?.on('error', () => undefined);
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#errorOutput = (this.#errorOutput + text).slice(-4096);
    });
    this.#ended = once(this.#child, 'close').finally(() => {
      this.#isSpent = true;
      if (pid !== undefined) watchdog.delete(pid);
    });
    this.#ended.catch(() => undefined);
    this.#listening = this.#listen();
    this.#listening.catch(() => undefined);
  }

  /** Whether the process can run another script. */
  get isUsable(): boolean {
    return !this.#isSpent;
  }

  async #listen(): Promise<void> {
    const ready = once(this.#child.stdio[3] as Readable, 'data').then(() => undefined);
    const ended = this.#ended.then(() => Promise.reject(new Error(`It stopped immediately: ${this.#errorOutput}`)));
    const startTimeout = AbortSignal.timeout(startMilliseconds);
    const tooLate = once(startTimeout, 'abort').then(() => Promise.reject(new Error('It did not start in time.')));
    await Promise.race([ready, ended, tooLate]);
    this.#startUsage = this.#usage();
  }

  /** Runs a script to its end or its limit, and returns the encoded outcome. */
  async run(head: ScriptHead, text: string, form: ScriptForm): Promise<Uint8Array> {
    try {
      await this.#listening;
    } catch (error) {
      await this.end();
      const message = `The script process could not be started. ${error instanceof Error ? error.message : error}`;
      return encodeOutcome({ ok: false, fault: 'unavailable', message: message.slice(0, 500), logs: [] });
    }
    this.#runs += 1;
    const watch = this.#watch(head);
    const ended = this.#ended.then(() => Promise.reject(this.#describeEnd()));
    const chunks: Buffer[] = [];
    try {
      await Promise.race([this.#ask(head, { text, form, chunks }), watch.stopped, ended]);
      const { outcome } = takeRun(Buffer.concat(chunks));
      if (outcome === undefined) throw this.#describeEnd();
      return outcome;
    } catch (error) {
      await this.end();
      const { fault, message } = error instanceof Stopped ? error : this.#describeEnd();
      return encodeOutcome({ ok: false, fault, message, logs: takeRun(Buffer.concat(chunks)).logs });
    } finally {
      watch.clear();
      this.#checkUsage();
    }
  }

  async end(): Promise<void> {
    this.#isSpent = true;
    if (this.#child.exitCode === null && this.#child.signalCode === null) this.#child.kill('SIGKILL');
    await this.#ended.catch(() => undefined);
    await rm(this.#options.socket, { force: true });
  }

  #usage(): Usage | undefined {
    return this.#child.pid === undefined ? undefined : readUsage(this.#child.pid);
  }

  #describeEnd(): Stopped {
    if (/out of memory|heap limit/i.test(this.#errorOutput))
      return new Stopped('memory', 'The script used too much memory.');
    return new Stopped('exception', 'The script process stopped unexpectedly.');
  }

  /** Rejects when a run exceeds its limits. Without /proc, only the time is measured. */
  #watch({ limits }: ScriptHead): { stopped: Promise<never>; clear(): void } {
    const { promise: stopped, reject } = Promise.withResolvers<never>();
    stopped.catch(() => undefined);
    const [before, started] = [this.#usage(), performance.now()];
    const timer = setInterval(() => {
      const now = this.#usage();
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
    const grown = (this.#usage()?.residentBytes ?? 0) - (this.#startUsage?.residentBytes ?? 0);
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
    const call = request({ socketPath: this.#options.socket, method, path: '/', headers, agent: false });
    // Errors are ignored during the whole run: if a process ends after its response has started, writing the rest of
    // the form fails.
    call.on('error', () => undefined);
    call.end(body);
    const [response] = (await once(call, 'response')) as [IncomingMessage];
    await readInto(chunks, response, head.limits.answerBytes + maxReportBytes);
    if ((response.statusCode ?? 0) >= 300) throw new Stopped('exception', 'The script process failed.');
  }
}
