import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, readlink } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import path from 'node:path';
import { promisify } from 'node:util';
import { getErrorCode, PlatformError } from './platform-error.ts';

const run = promisify(execFile);

/** Returns the short name of a running process, or undefined if no process has this id. */
export async function readProcessName(pid: number): Promise<string | undefined> {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EPERM')) return undefined;
  }
  try {
    const status = await readFile(`/proc/${pid}/status`, 'utf8');
    if (/^State:\s*Z/m.test(status)) return undefined;
    const program = await readlink(`/proc/${pid}/exe`).catch(() => undefined);
    return program ? path.basename(program) : /^Name:\s*(.*)$/m.exec(status)?.[1];
  } catch {
    const output = await run('ps', ['-o', 'comm=', '-p', String(pid)]).catch(() => undefined);
    return output?.stdout.trim() || undefined;
  }
}

async function findListeningSockets(port: number): Promise<Set<string>> {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const sockets = new Set<string>();
  for (const table of ['/proc/net/tcp', '/proc/net/tcp6']) {
    const text = await readFile(table, 'utf8').catch(() => '');
    for (const line of text.split('\n').slice(1)) {
      const [, local = '', , state, , , , , , inode] = line.trim().split(/\s+/);
      if (state === '0A' && local.endsWith(suffix)) sockets.add(`socket:[${inode}]`);
    }
  }
  return sockets;
}

/** Returns the process that listens on a port, if the system reports it (Linux, own processes). */
async function findPortOwner(port: number): Promise<number | undefined> {
  const sockets = await findListeningSockets(port);
  if (sockets.size === 0) return undefined;
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  for (const pid of pids) {
    const handles = await readdir(`/proc/${pid}/fd`).catch(() => []);
    for (const handle of handles) {
      const target = await readlink(`/proc/${pid}/fd/${handle}`).catch(() => '');
      if (sockets.has(target)) return Number(pid);
    }
  }
  return undefined;
}

async function describePortOwner(port: number): Promise<string> {
  const pid = await findPortOwner(port);
  if (pid === undefined) return 'is in use by another process; stop that process';
  const name = await readProcessName(pid);
  if (name !== 'workerd') return `is in use by process ${pid} (${name ?? 'unknown'}); stop that process`;
  return (
    `is in use by process ${pid} (workerd, the runtime of an Octavo); stop that Octavo (or, if it was killed, ` +
    `run kill -9 ${pid})`
  );
}

/** Checks that a port is free and returns it; for 0, returns any free port. */
export async function claimPort(port: number, host: string): Promise<number> {
  const server = createServer();
  try {
    server.listen({ port, host, exclusive: true });
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  } catch (error) {
    const next = port < 65535 ? port + 1 : port - 1;
    if (getErrorCode(error) === 'EADDRINUSE')
      throw new PlatformError(
        `Port ${port} ${await describePortOwner(port)}, or choose another port: PORT=${next} npm start`,
      );
    if (getErrorCode(error) === 'EACCES')
      throw new PlatformError(
        `This user is not allowed to open port ${port}. Choose a port above 1023: PORT=8787 npm start`,
      );
    throw new PlatformError(`Port ${port} could not be opened on ${host} (${getErrorCode(error) ?? error}).`);
  } finally {
    server.close();
  }
}
