import { execFile } from 'node:child_process';
import { readdir, readFile, readlink } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The short name of a running process, or undefined where there is none with this number. */
export async function processName(pid: number): Promise<string | undefined> {
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
    const answer = await run('ps', ['-o', 'comm=', '-p', String(pid)]).catch(() => undefined);
    return answer?.stdout.trim() || undefined;
  }
}

async function listeningSockets(port: number): Promise<Set<string>> {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const found = new Set<string>();
  for (const table of ['/proc/net/tcp', '/proc/net/tcp6']) {
    const text = await readFile(table, 'utf8').catch(() => '');
    for (const line of text.split('\n').slice(1)) {
      const [, local = '', , state, , , , , , inode] = line.trim().split(/\s+/);
      if (state === '0A' && local.endsWith(suffix)) found.add(`socket:[${inode}]`);
    }
  }
  return found;
}

/** The process that listens on a port, where the system tells (Linux, own processes). */
export async function portHolder(port: number): Promise<number | undefined> {
  const sockets = await listeningSockets(port);
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
