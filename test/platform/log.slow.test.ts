import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { getOutputPipe } from '../../packages/platform/src/data-folder.ts';
import { type OpenLog, openLog } from '../../packages/platform/src/log.ts';
import { openThreadedLog } from '../../packages/platform/src/threaded-log.ts';

async function createDataFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'octavo-log-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

const slow = { timeout: 300_000 };
const line = JSON.stringify({ timestamp: 1, level: 'log', message: '{"level":"info","message":"request"}' });

/** Writes this many lines like a runtime does, and blocks this thread until they are written. */
const writeLines = (dataDir: string, lines: number) =>
  spawnSync('/bin/sh', ['-c', 'yes "$1" | head -n "$2" > "$3"', 'flood', line, String(lines), getOutputPipe(dataDir)], {
    timeout: 200_000,
  });

test("logs the output of Miniflare's runtime even while the main thread is stopped", slow, async () => {
  const dataDir = await createDataFolder();
  const log = await openThreadedLog(dataDir);
  log.write('warn', 'from here');

  expect(writeLines(dataDir, 50_000)).toMatchObject({ status: 0, signal: null });
  await log.close();
  const lines = (await readFile(path.join(dataDir, 'octavo.log'), 'utf8')).trimEnd().split('\n');
  expect(lines.filter((each) => each === '{"level":"info","message":"request"}')).toHaveLength(50_000);
  expect(lines.filter((each) => each.includes('from here'))).toHaveLength(1);
});

/** Reads the output of a program to its end. */
async function readAll(log: OpenLog, program: string): Promise<void> {
  const child = spawn('/bin/sh', ['-c', program], { stdio: ['ignore', 'pipe', 'inherit'] });
  log.read(child.stdout);
  await once(child, 'close');
}

test('forwards log lines of the runtime, and wraps its other output', async () => {
  const dataDir = await createDataFolder();
  const log = openLog(dataDir);
  log.write('warn', 'from here');
  await readAll(log, `yes '{"time":"now","message":"request"}' | head -n 50000; echo 'kj: error: bind failed'`);
  await log.close();
  const lines = (await readFile(path.join(dataDir, 'octavo.log'), 'utf8')).trimEnd().split('\n');

  expect(lines.filter((each) => each === '{"time":"now","message":"request"}')).toHaveLength(50_000);
  expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ level: 'error', message: 'kj: error: bind failed' });
  expect(lines.filter((each) => each.includes('from here'))).toHaveLength(1);
});

const fills: Record<string, (dataDir: string) => Promise<void>> = {
  machine: async (dataDir) => {
    const log = openLog(dataDir);
    await readAll(log, `yes '{"time":"now","level":"info","message":"request"}' | head -n 600000`);
    await log.close();
  },
  workers: async (dataDir) => {
    const log = await openThreadedLog(dataDir);
    writeLines(dataDir, 700_000);
    await log.close();
  },
};

test.each(Object.entries(fills))(
  'the log has at most two files of about 10 MB, readable only by the owner (%s)',
  slow,
  async (_, fill) => {
    const dataDir = await createDataFolder();
    await fill(dataDir);

    for (const name of ['octavo.log', 'octavo.log.1']) {
      const { size, mode } = await stat(path.join(dataDir, name));
      expect(size).toBeLessThan(10_200_000);
      expect(mode & 0o777).toBe(0o600);
    }
  },
);

test('reports at startup that the log cannot be written', async () => {
  expect(() => openLog('/dev/null')).toThrow('ENOTDIR');
  await expect(openThreadedLog('/dev/null')).rejects.toThrow();
});
