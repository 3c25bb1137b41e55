import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { getSpecificationsSocket } from './data-folder.ts';
import { listenOnSocket } from './listen-on-socket.ts';
import type { Log } from './log.ts';
import type { ThreadResult } from './specification-thread.ts';

/** The bundle of the thread, in the build folder. */
export const specificationBundle = 'specification-thread.mjs';

/** The largest document in YAML takes about 300 MB while it is read. */
const resourceLimits = { maxOldGenerationSizeMb: 768 };
/** The thread ends when it has been idle for this time, so that its memory is free. */
const IDLE_MS = 10_000;
/** The largest specification takes a few seconds to read. */
const MAX_READ_MS = 60_000;
const STOPPING = 'The server is stopping.';

/** A thread that reads one specification at a time. It starts when it is needed. */
class SpecificationThread {
  readonly #file: string;
  #thread: Worker | undefined;
  /** Ends the thread after a text that takes too long, or when the thread is idle. */
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;
  #current: PromiseWithResolvers<ThreadResult> | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(file: string) {
    this.#file = file;
  }

  read(bytes: Uint8Array<ArrayBuffer>): Promise<ThreadResult> {
    const result = this.#last.then(() => this.#run(bytes));
    this.#last = result.catch(() => undefined);
    return result;
  }

  async #run(bytes: Uint8Array<ArrayBuffer>): Promise<ThreadResult> {
    clearTimeout(this.#timer);
    if (this.#isStopped) throw new Error(STOPPING);
    const current = Promise.withResolvers<ThreadResult>();
    this.#current = current;
    this.#thread ??= this.#start();
    this.#thread.postMessage(bytes, [bytes.buffer]);
    this.#timer = setTimeout(() => {
      current.resolve({ fault: 'The specification takes too long to read.' });
      this.#end();
    }, MAX_READ_MS);
    try {
      return await current.promise;
    } finally {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.#end(), IDLE_MS).unref();
    }
  }

  #start(): Worker {
    const thread = new Worker(this.#file, { resourceLimits });
    // A thread that was terminated may still report about its last text.
    thread.on('message', (result: ThreadResult) => {
      if (this.#thread === thread) this.#current?.resolve(result);
    });
    thread.on('error', (error) => {
      if (this.#thread !== thread) return;
      this.#thread = undefined;
      this.#current?.reject(error);
    });
    thread.on('exit', () => {
      if (this.#thread !== thread) return;
      this.#thread = undefined;
      this.#current?.reject(new Error('The thread that reads specifications has ended.'));
    });
    return thread;
  }

  /** Ends the thread. The next text starts another one. */
  async #end(): Promise<void> {
    const thread = this.#thread;
    this.#thread = undefined;
    await thread?.terminate();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    this.#current?.reject(new Error(STOPPING));
    await this.#end();
  }
}

async function readBody(request: IncomingMessage): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return new Uint8Array(Buffer.concat(chunks));
}

function respond(response: ServerResponse, result: ThreadResult): void {
  if ('fault' in result) return void response.writeHead(422).end(result.fault);
  const { format, parts } = result;
  const lengths = parts.map(({ length }) => length);
  response.writeHead(200, { 'octavo-parts': JSON.stringify({ format, lengths }) });
  for (const part of parts) response.write(part);
  response.end();
}

interface SpecificationServerOptions {
  outDir: string;
  dataDir: string;
  log: Log;
}

/**
 * Reads specifications for the publishing worker, in a separate thread, because parsing and converting a large one
 * takes hundreds of milliseconds. Returns a function that stops it.
 */
export async function startSpecificationServer(options: SpecificationServerOptions): Promise<() => Promise<void>> {
  const { outDir, dataDir, log } = options;
  const thread = new SpecificationThread(path.join(outDir, specificationBundle));
  const server = createServer(async (request, response) => {
    try {
      respond(response, await thread.read(await readBody(request)));
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      log.write('error', `A specification could not be read: ${message}`);
      response.writeHead(500).end(message);
    }
  });
  const close = await listenOnSocket(server, getSpecificationsSocket(dataDir), 'Specifications cannot be read');
  return async () => {
    close();
    await thread.stop();
  };
}
