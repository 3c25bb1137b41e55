import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, rm } from 'node:fs/promises';
import { cpus } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { PlatformError } from '@octavo/platform';

/** What a tree of processes has used since it began. */
export interface Usage {
  cpuSeconds: number;
  writtenBytes: number;
  /** Calls that write: to disk, to sockets and to pipes. */
  writes: number;
}

interface Entry {
  pid: number;
  parent: number;
  session: number;
  ticks: number;
}

const QUIET_WINDOW_MS = 400;
/** Of a processor: timers and checks take a little always. */
const QUIET_SHARE = 0.06;
const QUIET_PATIENCE_MS = 600_000;

const run = promisify(execFile);
let ticks: Promise<number> | undefined;

/** In what the system counts processor time. */
function ticksPerSecond(): Promise<number> {
  ticks ??= run('getconf', ['CLK_TCK']).then(({ stdout }) => Number(stdout));
  return ticks;
}

// A process may end between two looks at it: then there is nothing to read.
const textOf = (file: string): Promise<string> => readFile(file, 'utf8').catch(() => '');

async function entryOf(pid: string): Promise<Entry> {
  const text = await textOf(`/proc/${pid}/stat`);
  // Behind the name, which may hold anything: state, parent, group, session, ... then four counts of ticks.
  const fields = text
    .slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
  const [parent = 0, , session = 0] = fields.slice(1);
  return { pid: Number(pid), parent, session, ticks: fields.slice(11, 15).reduce((sum, each) => sum + each, 0) };
}

/** The processes of a tree that are there now: what its first one started, also what stays behind others of it. */
async function readTree(first: number): Promise<Entry[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const entries = await Promise.all(pids.map(entryOf));
  const members = new Set(
    entries.filter(({ pid, session }) => pid === first || session === first).map(({ pid }) => pid),
  );
  for (let size = 0; size < members.size; ) {
    size = members.size;
    for (const { pid, parent } of entries) if (members.has(parent)) members.add(pid);
  }
  return entries.filter(({ pid }) => members.has(pid));
}

export const pidsOf = async (first: number): Promise<number[]> => (await readTree(first)).map(({ pid }) => pid);

const numberIn = (text: string, name: string): number =>
  Number(new RegExp(`^${name}:\\s*(\\d+)`, 'm').exec(text)?.[1] ?? 0);

export async function usageOf(first: number): Promise<Usage> {
  const tree = await readTree(first);
  const files = await Promise.all(tree.map(({ pid }) => textOf(`/proc/${pid}/io`)));
  const sum = (name: string) => files.reduce((total, text) => total + numberIn(text, name), 0);
  const used = tree.reduce((total, entry) => total + entry.ticks, 0);
  return { cpuSeconds: used / (await ticksPerSecond()), writtenBytes: sum('write_bytes'), writes: sum('syscw') };
}

/** What a tree of processes holds in memory, each shared page once (PSS), in MB of a million bytes. */
export async function measureMegabytes(first: number): Promise<number> {
  const pids = await pidsOf(first);
  const files = await Promise.all(pids.map((pid) => textOf(`/proc/${pid}/smaps_rollup`)));
  return (files.reduce((total, text) => total + numberIn(text, 'Pss'), 0) * 1024) / 1e6;
}

/** Waits until a tree of processes does next to nothing: what requests have left to do is done then. */
export async function waitUntilQuiet(first: number): Promise<Usage> {
  const deadline = performance.now() + QUIET_PATIENCE_MS;
  let last = await usageOf(first);
  for (;;) {
    const asked = performance.now();
    await delay(QUIET_WINDOW_MS);
    const now = await usageOf(first);
    const share = (now.cpuSeconds - last.cpuSeconds) / ((performance.now() - asked) / 1000);
    if (share <= QUIET_SHARE) return now;
    if (performance.now() > deadline) throw new PlatformError(`Process ${first} does not become idle.`);
    last = now;
  }
}

/** Counts how often a tree of processes waits for the disk while some work is done, by strace. */
export async function countSyncs(first: number, folder: string, work: () => Promise<unknown>): Promise<number> {
  const file = path.join(folder, 'syncs');
  const pids = (await pidsOf(first)).flatMap((pid) => ['-p', String(pid)]);
  const strace = spawn('strace', ['-f', '-c', '-o', file, '-e', 'trace=fsync,fdatasync', ...pids], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  await new Promise<void>((resolve, reject) => {
    strace.on('error', (error) => reject(new PlatformError(`strace could not be started: ${error.message}`)));
    strace.on('exit', () => reject(new PlatformError(`strace stopped: ${said}`)));
    strace.stderr.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      if ((said.match(/attached/g)?.length ?? 0) * 2 >= pids.length) resolve();
    });
  });
  await work();
  const ended = once(strace, 'exit');
  strace.kill('SIGINT');
  await ended;
  const table = await readFile(file, 'utf8');
  await rm(file);
  // % time, seconds, usecs/call, calls, errors, name
  const rows = table.split('\n').filter((line) => /\bf(data)?sync$/.test(line));
  return rows.reduce((sum, row) => sum + Number(row.trim().split(/\s+/)[3]), 0);
}

/** Seconds that all processors have worked for anybody, also those that the machine's host took from it. */
async function readWorkedSeconds(): Promise<number> {
  const text = await readFile('/proc/stat', 'utf8').catch(() => '');
  const [user = 0, nice = 0, system = 0, , , interrupts = 0, softInterrupts = 0, stolen = 0] = (
    text.split('\n')[0] ?? ''
  )
    .split(/\s+/)
    .slice(1)
    .map(Number);
  return (user + nice + system + interrupts + softInterrupts + stolen) / (await ticksPerSecond());
}

/** Tells, when it is called, what share of the processors went to others than this process and those below it since. */
export async function watchOthers(): Promise<() => Promise<number>> {
  const began = performance.now();
  const [worked, own] = [await readWorkedSeconds(), await usageOf(process.pid)];
  return async () => {
    const spent = (await readWorkedSeconds()) - worked - ((await usageOf(process.pid)).cpuSeconds - own.cpuSeconds);
    return Math.max(0, spent / (((performance.now() - began) / 1000) * cpus().length));
  };
}
