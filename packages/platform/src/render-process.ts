import { request } from 'node:http';
import { connect, createServer, type Socket } from 'node:net';
import path from 'node:path';
import { Embedded, toCapnpText } from './capnp-text.ts';
import { getRenderConfigFile, getRenderProcessSocket, getRenderSocket, writeAtomically } from './data-folder.ts';
import { HelperProcess, ProcessWatchdog } from './helper-process.ts';
import { listenOnSocket } from './listen-on-socket.ts';
import type { Log } from './log.ts';
import { type BuiltWorker, type Manifest, splitWorkers } from './manifest.ts';

const SOCKET = 'calls';

/** The protocol of both ends of the socket, with remote procedure calls besides HTTP. */
export const renderProtocol = { capnpConnectHost: 'render' };

/** The largest document in YAML takes about 300 MB while it is read. */
const v8Flags = ['--max-old-space-size=768', '--single-threaded-gc'];

/** Returns the configuration of the render worker's process: its fonts, and no network. */
function createRenderConfig(outDir: string, { bundle, wasm, options }: BuiltWorker): string {
  const { compatibilityDate = '', assets } = options;
  const worker = {
    modules: [
      { name: 'render.js', esModule: new Embedded(path.resolve(outDir, bundle)) },
      ...wasm.map((file) => ({ name: path.basename(file), wasm: new Embedded(path.resolve(outDir, file)) })),
    ],
    compatibilityDate,
    globalOutbound: 'nowhere',
    bindings: assets?.binding === undefined ? [] : [{ name: assets.binding, service: 'fonts' }],
  };
  const config = {
    services: [
      { name: 'render', worker },
      { name: 'nowhere', network: { allow: [] } },
      ...(assets === undefined ? [] : [{ name: 'fonts', disk: { path: assets.directory, writable: false } }]),
    ],
    sockets: [{ name: SOCKET, http: renderProtocol, service: 'render' }],
    v8Flags,
  };
  return `using Workerd = import "/workerd/workerd.capnp";\nconst config :Workerd.Config = ${toCapnpText(config)};\n`;
}

interface Times {
  /** The interval of checks. The process ends when it has had no calls for one to two intervals, to free its memory. */
  checkMilliseconds: number;
  /** A process that does not respond for this time is stuck. */
  maxSilenceMilliseconds: number;
}

const defaultTimes: Times = { checkMilliseconds: 15_000, maxSilenceMilliseconds: 60_000 };

/** Returns the number of running calls. @throws Error if the process does not respond in time */
const countCalls = (socketPath: string, milliseconds: number): Promise<number> =>
  new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(milliseconds);
    request({ socketPath, agent: false, signal }, async (response) => {
      let text = '';
      for await (const chunk of response.setEncoding('utf8')) text += chunk;
      resolve(Number(text));
    })
      .on('error', reject)
      .end();
  });

interface RenderServerOptions {
  outDir: string;
  dataDir: string;
  manifest: Manifest;
  log: Log;
}

/** The process of the render worker. It starts when it is needed. */
class RenderProcess {
  readonly #options: ConstructorParameters<typeof HelperProcess>[0];
  readonly #log: Log;
  readonly #times: Times;
  #process: HelperProcess | undefined;
  #ending: Promise<unknown> | undefined;
  /** Whether bytes were sent to or from the process since the last check. */
  #isUsed = false;
  #isChecking = false;

  constructor({ dataDir, manifest, log }: RenderServerOptions, times: Times) {
    const [config, socket] = [getRenderConfigFile(dataDir), getRenderProcessSocket(dataDir)];
    const { workerd } = manifest.runtime;
    this.#options = { workerd, config, socketName: SOCKET, socket, watchdog: new ProcessWatchdog(), niceness: 5 };
    this.#log = log;
    this.#times = times;
  }

  /** Connects a client with the process. The connection closes when either of them closes it. */
  async connect(client: Socket): Promise<void> {
    client.on('error', () => undefined).pause();
    this.#isUsed = true;
    // Wait until the previous process has ended, because both processes would use the same socket.
    await this.#ending;
    try {
      await this.#start().listening;
    } catch (error) {
      this.#log.write('error', `The process of the render worker could not be started: ${error}`);
      await this.end();
      client.destroy();
      return;
    }
    if (client.destroyed) return;
    const server = connect(this.#options.socket).on('error', () => undefined);
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      from.pipe(to);
      from.on('data', () => {
        this.#isUsed = true;
      });
      from.on('close', () => to.destroy());
    }
  }

  #start(): HelperProcess {
    if (this.#process !== undefined) return this.#process;
    const process = new HelperProcess(this.#options);
    this.#process = process;
    this.#isUsed = true;
    let timer: NodeJS.Timeout | undefined;
    const startChecks = () => {
      timer = setInterval(() => this.#check(process), this.#times.checkMilliseconds).unref();
    };
    process.listening.then(startChecks, () => undefined);
    const handleEnd = () => {
      clearInterval(timer);
      if (this.#process !== process) return;
      this.#log.write('error', `The process of the render worker stopped unexpectedly. ${process.errorOutput}`);
      void this.end();
    };
    process.ended.then(handleEnd, handleEnd);
    return process;
  }

  async #check(process: HelperProcess): Promise<void> {
    if (this.#isChecking) return;
    this.#isChecking = true;
    await this.#endIfUnused(process).finally(() => {
      this.#isChecking = false;
    });
  }

  async #endIfUnused(process: HelperProcess): Promise<void> {
    const wasUsed = this.#isUsed;
    this.#isUsed = false;
    try {
      const calls = await countCalls(this.#options.socket, this.#times.maxSilenceMilliseconds);
      if (calls > 0 || wasUsed || this.#isUsed || this.#process !== process) return;
    } catch (error) {
      if (this.#process !== process) return;
      this.#log.write('error', `The process of the render worker does not respond and is ended: ${error}`);
    }
    await this.end();
  }

  async end(): Promise<void> {
    const process = this.#process;
    this.#process = undefined;
    this.#ending = Promise.all([this.#ending, process?.end()]);
    await this.#ending;
  }
}

/**
 * Runs the render worker in a process of its own, so that printing PDFs and reading specifications blocks no request.
 * Returns a function that stops it.
 */
export async function startRenderServer(
  options: RenderServerOptions,
  times: Partial<Times> = {},
): Promise<() => Promise<void>> {
  const { outDir, dataDir, manifest } = options;
  const config = createRenderConfig(path.resolve(outDir), splitWorkers(manifest).render);
  await writeAtomically(getRenderConfigFile(dataDir), config, 0o600);
  const process = new RenderProcess(options, { ...defaultTimes, ...times });
  const server = createServer((client) => void process.connect(client));
  const close = await listenOnSocket(server, getRenderSocket(dataDir), 'PDFs and specifications cannot be processed');
  return async () => {
    close();
    await process.end();
  };
}
