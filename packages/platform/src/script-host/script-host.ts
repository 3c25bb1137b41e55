import { chmod, readdir, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import path from 'node:path';
import { scriptConfigFile, scriptSocket, scriptsSocket } from '../data-folder.ts';
import type { Log } from '../log.ts';
import { apart, type Manifest } from '../manifest.ts';
import { PlatformError } from '../platform-error.ts';
import { writeWhole } from '../write-whole.ts';
import { answerRuns, processes } from './answer-runs.ts';
import { usageOf } from './process-usage.ts';
import { type ScriptConfigOptions, scriptConfig } from './script-config.ts';
import { ScriptPool } from './script-pool.ts';
import { ScriptWatchdog } from './script-watchdog.ts';

export interface ScriptHostOptions extends Omit<ScriptConfigOptions, 'worker'> {
  dataDir: string;
  manifest: Manifest;
  log: Log;
}

const idleMilliseconds = 60_000;

/** Sockets of processes that a host left which was killed. */
async function removeOldSockets(dataDir: string): Promise<void> {
  const names = (await readdir(dataDir)).filter((name) => /^script\.\w+\.sock$/.test(name));
  for (const name of names) await rm(path.join(dataDir, name), { force: true });
}

/** Listens for runs of scripts, for which processes are started when there is work; gives what ends it all. */
export async function startScriptHost(options: ScriptHostOptions): Promise<() => Promise<void>> {
  const { dataDir, manifest, log } = options;
  const { workerd } = manifest.runtime;
  const config = scriptConfigFile(dataDir);
  // Before there is work: a path that is too long for one of them is too long now.
  const sockets = Array.from({ length: 2 * processes }, (_, number) => scriptSocket(dataDir, number));
  await removeOldSockets(dataDir);
  await writeWhole(config, scriptConfig({ ...options, worker: apart(manifest).script }), 0o600);
  if (usageOf(process.pid) === undefined)
    log.write('error', 'This system does not tell what a process uses: of scripts, time alone is limited.');
  const watchdog = new ScriptWatchdog();
  const pool = new ScriptPool({ workerd, config, watchdog, sockets, most: processes, idleMilliseconds });
  const answer = answerRuns(pool);
  const server = createServer((request, response) => {
    response.on('error', () => undefined);
    answer(request, response).catch((error: unknown) => {
      log.write('error', `A script was not run: ${error}`);
      if (!response.headersSent) response.writeHead(500);
      response.end();
    });
  });
  // Longer than callers keep a connection that nothing goes over: what both let go at once would lose a run.
  server.keepAliveTimeout = idleMilliseconds;
  const socket = scriptsSocket(dataDir);
  await rm(path.resolve(socket), { force: true });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(new PlatformError(`No scripts can be run: ${error.message}`)));
    server.listen(socket, resolve);
  });
  server.on('error', (error) => log.write('error', `No scripts can be run: ${error.message}`));
  await chmod(socket, 0o600);
  return async () => {
    server.close();
    server.closeAllConnections();
    await pool.end();
  };
}
