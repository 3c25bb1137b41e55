import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, rm } from 'node:fs/promises';
import { cpus } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { PlatformError } from '@octavo/platform';

/** The resources that a process tree has used since it started. */
export interface Usage {
  cpuSeconds: number;
  writtenBytes: number;
  /** Number of system calls that write to disk, sockets or pipes. */
  writes: number;
}

interface Entry {
  pid: number;
  parent: number;
  session: number;
  ticks: number;
}

const QUIET_WINDOW_MS = 400;
/**
 * A process tree is idle while it uses less than this share of a processor, because timers and checks always use a
 * little. Waiting for this ends after `QUIET_PATIENCE_MS`.
 */
const QUIET_SHARE = 0.06;
const QUIET_PATIENCE_MS = 600_000;

const run = promisify(execFile);
let ticks: Promise<number> | undefined;

/** Returns the unit in which the system counts processor time. */
function getTicksPerSecond(): Promise<number> {
  ticks ??= run('getconf', ['CLK_TCK']).then(({ stdout }) => Number(stdout));
  return ticks;
}

// The process may have ended, and then there is nothing to read.
const getText = (file: string): Promise<string> => readFile(file, 'utf8').catch(() => '');

async function getEntry(pid: string): Promise<Entry> {
  const text = await getText(`/proc/${pid}/stat`);
  // Fields after the name, which can contain any character: state, parent, group, session, ... then four counts of
  // ticks.
  const fields = text
    .slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
  const [parent = 0, , session = 0] = fields.slice(1);
  return { pid: Number(pid), parent, session, ticks: fields.slice(11, 15).reduce((sum, each) => sum + each, 0) };
}

/** Returns the current processes of a tree, including those whose parent within the tree has ended. */
async function readTree(first: number): Promise<Entry[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const entries = await Promise.all(pids.map(getEntry));
  const members = new Set(
    entries.filter(({ pid, session }) => pid === first || session === first).map(({ pid }) => pid),
  );
  for (let size = 0; size < members.size; ) {
    size = members.size;
    for (const { pid, parent } of entries) if (members.has(parent)) members.add(pid);
  }
  return entries.filter(({ pid }) => members.has(pid));
}

export const getPids = async (first: number): Promise<number[]> => (await readTree(first)).map(({ pid }) => pid);

const readNumber = (text: string, name: string): number =>
  Number(new RegExp(`^${name}:\\s*(\\d+)`, 'm').exec(text)?.[1] ?? 0);

export async function getUsage(first: number): Promise<Usage> {
  const tree = await readTree(first);
  const files = await Promise.all(tree.map(({ pid }) => getText(`/proc/${pid}/io`)));
  const sum = (name: string) => files.reduce((total, text) => total + readNumber(text, name), 0);
  const used = tree.reduce((total, entry) => total + entry.ticks, 0);
  return { cpuSeconds: used / (await getTicksPerSecond()), writtenBytes: sum('write_bytes'), writes: sum('syscw') };
}

/** Returns the memory of a process tree in megabytes (10^6 bytes). Shared pages count once (PSS). */
export async function measureMegabytes(first: number): Promise<number> {
  const pids = await getPids(first);
  const files = await Promise.all(pids.map((pid) => getText(`/proc/${pid}/smaps_rollup`)));
  return (files.reduce((total, text) => total + readNumber(text, 'Pss'), 0) * 1024) / 1e6;
}

/** Waits until a process tree is idle, so that work after the responses is included. */
export async function waitUntilIdle(first: number): Promise<Usage> {
  const deadline = performance.now() + QUIET_PATIENCE_MS;
  let last = await getUsage(first);
  for (;;) {
    const startedAt = performance.now();
    await delay(QUIET_WINDOW_MS);
    const now = await getUsage(first);
    const share = (now.cpuSeconds - last.cpuSeconds) / ((performance.now() - startedAt) / 1000);
    if (share <= QUIET_SHARE) return now;
    if (performance.now() > deadline) throw new PlatformError(`Process ${first} does not become idle.`);
    last = now;
  }
}

/** Counts with strace how often a process tree waits for the disk during some work. */
export async function countSyncs(first: number, folder: string, work: () => Promise<unknown>): Promise<number> {
  const file = path.join(folder, 'syncs');
  const pids = (await getPids(first)).flatMap((pid) => ['-p', String(pid)]);
  const strace = spawn('strace', ['-f', '-c', '-o', file, '-e', 'trace=fsync,fdatasync', ...pids], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let output = '';
  await new Promise<void>((resolve, reject) => {
    strace.on('error', (error) => reject(new PlatformError(`strace could not be started: ${error.message}`)));
    strace.on('exit', () => reject(new PlatformError(`strace stopped: ${output}`)));
    strace.stderr.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      if ((output.match(/attached/g)?.length ?? 0) * 2 >= pids.length) resolve();
    });
  });
  await work();
  const ended = once(strace, 'exit');
  strace.kill('SIGINT');
  await ended;
  const table = await readFile(file, 'utf8');
  await rm(file);
  // The columns of the table: % time, seconds, usecs/call, calls, errors, name.
  const rows = table.split('\n').filter((line) => /\bf(data)?sync$/.test(line));
  return rows.reduce((sum, row) => sum + Number(row.trim().split(/\s+/)[3]), 0);
}

/** Returns the busy seconds of all processors, including the time that the machine's host took (steal). */
async function readWorkedSeconds(): Promise<number> {
  const text = await readFile('/proc/stat', 'utf8').catch(() => '');
  const [user = 0, nice = 0, system = 0, , , interrupts = 0, softInterrupts = 0, stolen = 0] = (
    text.split('\n')[0] ?? ''
  )
    .split(/\s+/)
    .slice(1)
    .map(Number);
  return (user + nice + system + interrupts + softInterrupts + stolen) / (await getTicksPerSecond());
}

/**
 * Returns a function that reports the share of the processors that other processes have used since this call. This
 * process and its children do not count.
 */
export async function watchOtherProcesses(): Promise<() => Promise<number>> {
  const began = performance.now();
  const [worked, ownUsage] = [await readWorkedSeconds(), await getUsage(process.pid)];
  return async () => {
    const othersSeconds =
      (await readWorkedSeconds()) - worked - ((await getUsage(process.pid)).cpuSeconds - ownUsage.cpuSeconds);
    return Math.max(0, othersSeconds / (((performance.now() - began) / 1000) * cpus().length));
  };
}
