import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { outputPipe } from '../../packages/platform/src/data-folder.ts';
import { openLog } from '../../packages/platform/src/log.ts';
import { openThreadedLog } from '../../packages/platform/src/threaded-log.ts';

async function dataFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'octavo-log-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

const line = JSON.stringify({ timestamp: 1, level: 'log', message: '{"level":"info","message":"request"}' });

/** Writes this many lines as a runtime would, and stops this thread until they are written. */
const flood = (dataDir: string, lines: number) =>
  spawnSync('/bin/sh', ['-c', 'yes "$1" | head -n "$2" > "$3"', 'flood', line, String(lines), outputPipe(dataDir)], {
    timeout: 30_000,
  });

test('the output of the runtime is read while the thread that started it is stopped', async () => {
  const dataDir = await dataFolder();
  const log = await openThreadedLog(dataDir);
  log.write('warn', 'from here');

  expect(flood(dataDir, 50_000)).toMatchObject({ status: 0, signal: null });
  await log.close();
  const lines = (await readFile(path.join(dataDir, 'octavo.log'), 'utf8')).trimEnd().split('\n');
  expect(lines.filter((each) => each === '{"level":"info","message":"request"}')).toHaveLength(50_000);
  expect(lines.filter((each) => each.includes('from here'))).toHaveLength(1);
});

test('the log is two files of about 10 MB at most, for its owner alone', async () => {
  const dataDir = await dataFolder();
  const log = await openThreadedLog(dataDir);
  flood(dataDir, 700_000);
  await log.close();

  for (const name of ['octavo.log', 'octavo.log.1']) {
    const { size, mode } = await stat(path.join(dataDir, name));
    expect(size).toBeLessThan(10_200_000);
    expect(mode & 0o777).toBe(0o600);
  }
});

test('what the machine says is read to its end', async () => {
  const dataDir = await dataFolder();
  const log = openLog(dataDir);
  const said = spawn('/bin/sh', ['-c', 'yes "$1" | head -n 50000; printf "no end"', 'said', line]);
  log.read(said.stdout);
  await once(said, 'close');
  log.write('warn', 'from here');
  await log.close();

  const lines = (await readFile(path.join(dataDir, 'octavo.log'), 'utf8')).trimEnd().split('\n');
  expect(lines.slice(0, -2)).toEqual(Array.from({ length: 50_000 }, () => '{"level":"info","message":"request"}'));
  expect(lines.slice(-2)).toEqual([expect.stringContaining('no end'), expect.stringContaining('from here')]);
});

test('a log that cannot be written is said at the start', async () => {
  expect(() => openLog('/dev/null')).toThrow();
  await expect(openThreadedLog('/dev/null')).rejects.toThrow();
});
