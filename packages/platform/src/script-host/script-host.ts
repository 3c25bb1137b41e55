import { readdir, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import {
  decodeHead,
  encodeOutcome,
  headHeader,
  hostLimits,
  type ScriptFault,
  type ScriptHead,
  textHeader,
} from '@octavo/script-isolate/frame';
import { getScriptConfigFile, getScriptSocket, getScriptsSocket, writeAtomically } from '../data-folder.ts';
import { ProcessWatchdog } from '../helper-process.ts';
import { listenOnSocket } from '../listen-on-socket.ts';
import type { Log } from '../log.ts';
import { type Manifest, splitWorkers } from '../manifest.ts';
import { readUsage } from '../process-usage.ts';
import { FairQueue } from './fair-queue.ts';
import { ScriptCache, ScriptPool } from './script-pool.ts';
import { createScriptConfig, type ScriptConfigOptions } from './script-process.ts';

/**
 * There are more processes than processors, because most scripts usually wait for responses and then need only memory.
 */
const processes = Math.max(4, Math.min(8, 2 * availableParallelism()));

const queueLimits = {
  slots: processes,
  slotsOfTenant: processes - 1,
  slotsOfCaller: processes / 2,
  slotsOfPublic: processes / 2,
  maxWaiting: 64,
  waitingOfCaller: 16,
  // A request may wait longer than the longest run takes, so that it can start before it is rejected.
  milliseconds: 35_000,
  publicMilliseconds: 10_000,
};

/** Time limit of a run that starts while others wait. */
const sharedMilliseconds = 10_000;

async function readBody(request: IncomingMessage, limit: number): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size <= limit) chunks.push(chunk);
    else chunks.length = 0;
  }
  return size > limit ? undefined : Buffer.concat(chunks);
}

/** Rejects a run before it starts and drops the rest of its input. */
function refuse(request: IncomingMessage, response: ServerResponse, fault: ScriptFault, message: string): void {
  request.resume();
  response.writeHead(200).end(encodeOutcome({ ok: false, fault, message, logs: [] }));
}

interface SentRun {
  text: string;
  form: { type: string; body: Buffer };
}

/**
 * Returns a handler for runs of scripts. A client sends the source of the script before the form, and only if this host
 * has reported that it does not have the source. Only the head of a request is read before its run starts, so that the
 * limit of concurrent runs also limits the memory.
 */
function createRunHandler(pool: ScriptPool) {
  const queue = new FairQueue(queueLimits);
  const scripts = new ScriptCache();

  async function readRun(
    request: IncomingMessage,
    head: ScriptHead,
    cachedScript: string | undefined,
  ): Promise<SentRun | undefined> {
    const textBytes = Number(request.headers[textHeader] ?? 0);
    const { formBytes } = hostLimits;
    if (textBytes > hostLimits.textBytes) return undefined;
    const bytes = await readBody(request, textBytes + formBytes);
    if (bytes === undefined || bytes.length - textBytes > formBytes) return undefined;
    if (cachedScript === undefined) scripts.keep(head.script, bytes.toString('utf8', 0, textBytes));
    const form = { type: request.headers['content-type'] ?? '', body: bytes.subarray(textBytes) };
    return { text: cachedScript ?? scripts.getText(head.script) ?? '', form };
  }

  async function runHead(head: ScriptHead, { text, form }: SentRun, isWaitedFor: boolean): Promise<Uint8Array> {
    const { milliseconds } = head.limits;
    const limits = isWaitedFor
      ? { ...head.limits, milliseconds: Math.min(milliseconds, sharedMilliseconds) }
      : head.limits;
    return pool.use(head.tenant, (process) => process.run({ ...head, limits }, text, form));
  }

  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const head = decodeHead(String(request.headers[headHeader] ?? ''));
    const cachedScript = scripts.getText(head.script);
    if (cachedScript === undefined && request.headers[textHeader] === undefined) {
      request.resume();
      return void response.writeHead(404).end();
    }
    const slot = await queue.enter(head);
    if (slot === undefined) return refuse(request, response, 'busy', 'Too many scripts are waiting.');
    try {
      // The caller of the run has disconnected.
      if (response.destroyed) return;
      const sent = await readRun(request, head, cachedScript);
      if (sent === undefined) return refuse(request, response, 'too_large', 'The input of the script is too large.');
      response.writeHead(200).end(await runHead(head, sent, slot.isWaitedFor));
    } finally {
      slot.leave();
    }
  };
}

interface ScriptHostOptions extends Omit<ScriptConfigOptions, 'worker'> {
  dataDir: string;
  manifest: Manifest;
  log: Log;
}

const idleMilliseconds = 60_000;

/** Deletes the process sockets that a killed host has left behind. */
async function removeOldSockets(dataDir: string): Promise<void> {
  const names = (await readdir(dataDir)).filter((name) => /^script\.\w+\.sock$/.test(name));
  for (const name of names) await rm(path.join(dataDir, name), { force: true });
}

/**
 * Listens for script runs and starts processes for them on demand. Returns a function that stops the server and its
 * processes.
 */
export async function startScriptHost(options: ScriptHostOptions): Promise<() => Promise<void>> {
  const { dataDir, manifest, log } = options;
  const { workerd } = manifest.runtime;
  const config = getScriptConfigFile(dataDir);
  // If one of the socket paths is too long, fail now and not at the first run.
  const sockets = Array.from({ length: 2 * processes }, (_, number) => getScriptSocket(dataDir, number));
  await removeOldSockets(dataDir);
  await writeAtomically(config, createScriptConfig({ ...options, worker: splitWorkers(manifest).script }), 0o600);
  if (readUsage(process.pid) === undefined)
    log.write('error', 'This system does not report the usage of processes. Scripts are limited by time only.');
  const watchdog = new ProcessWatchdog();
  const pool = new ScriptPool({ workerd, config, watchdog, sockets, maxProcesses: processes, idleMilliseconds });
  const handleRun = createRunHandler(pool);
  const server = createServer((request, response) => {
    response.on('error', () => undefined);
    handleRun(request, response).catch((error: unknown) => {
      log.write('error', `A script could not be run: ${error}`);
      if (!response.headersSent) response.writeHead(500);
      response.end();
    });
  });
  // The server keeps idle connections longer than clients do: if both closed one at the same time, a run would be lost.
  server.keepAliveTimeout = idleMilliseconds;
  const close = await listenOnSocket(server, getScriptsSocket(dataDir), 'Scripts cannot be run');
  server.on('error', (error) => log.write('error', `Scripts cannot be run: ${error.message}`));
  return async () => {
    close();
    await pool.end();
  };
}
