import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { PlatformError } from '@octavo/platform';
import { pidsOf } from './processes.ts';

/** Counts how often a tree of processes waits for the disk while some work is done, by strace. */
export async function countSyncs(first: number, folder: string, work: () => Promise<unknown>): Promise<number> {
  const file = path.join(folder, 'syncs');
  const pids = (await pidsOf(first)).flatMap((pid) => ['-p', String(pid)]);
  const strace = spawn('strace', ['-f', '-c', '-o', file, '-e', 'trace=fsync,fdatasync', ...pids], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  await new Promise<void>((resolve, reject) => {
    strace.on('error', (error) => reject(new PlatformError(`strace does not start: ${error.message}`)));
    strace.on('exit', () => reject(new PlatformError(`strace ended: ${said}`)));
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
