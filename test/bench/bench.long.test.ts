import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { operationNames } from '../../scripts/bench/operations.ts';
import { getPids } from '../../scripts/bench/processes.ts';
import type { Result } from '../../scripts/bench/result.ts';
import { isRunning, runScript, startScript, until } from '../support/own-platform.ts';

const quick = ['--size', '0.1', '--seconds', '0.4', '--rounds', '1', '--connections', '4'];

test('the edge benchmark prints round trips and the time of each operation, which includes them', async () => {
  const { stdout, code } = await runScript(['scripts/bench.ts', '--edge']);
  const rows = stdout.split('\n').flatMap((line) => {
    const [, title, sequential, trips, milliseconds] = /^(\S.*?) {2,}(\d+) +(\d+) +\d+ +\d+ +(\d+)$/.exec(line) ?? [];
    return title === undefined ? [] : [{ title, sequential: Number(sequential), trips, milliseconds }];
  });

  expect(code).toBe(0);
  expect(rows.map(({ title }) => title)).toContain('read a page by id');
  for (const { sequential, trips, milliseconds } of rows) {
    expect(Number(trips)).toBeGreaterThanOrEqual(sequential);
    expect(Number(milliseconds)).toBeGreaterThanOrEqual(sequential * 5);
  }
});

test('a small benchmark measures everything, compares itself with its own result, and leaves no other files', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'octavo-benched-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const json = path.join(folder, 'result.json');
  const measured = await runScript(['scripts/bench.ts', ...quick, '--json', json], { TMPDIR: folder });

  expect(measured.stderr).not.toContain('FAILED');
  expect(measured).toMatchObject({ code: 0, stdout: expect.stringContaining('read a page, markdown') });
  expect(await readdir(folder)).toEqual(['result.json']);
  const { sizes, options } = JSON.parse(await readFile(json, 'utf8')) as Result;
  const [size] = sizes;
  expect(options).toMatchObject({ rounds: 1, connections: [4] });
  expect(size).toMatchObject({ documents: 50, starts: [expect.any(Number), expect.any(Number), expect.any(Number)] });
  expect(size?.memory?.peak).toBeGreaterThanOrEqual(size?.memory?.idle ?? Number.NaN);
  expect(size?.others).toBeLessThanOrEqual(1);
  const rows = size?.rows ?? [];
  expect(rows.map(({ subject, operation }) => `${subject} ${operation}`).toSorted()).toEqual(
    ['floor constant', ...operationNames.map((name) => `octavo ${name}`)].toSorted(),
  );
  for (const { subject, operation, cells, cost } of rows)
    for (const { median, p50, p99, share, cpuSeconds, failures, connections } of cells) {
      expect(failures).toEqual({});
      expect([median > 0, p50 > 0, p99 >= p50, (cpuSeconds ?? 0) > 0]).toEqual([true, true, true, true]);
      expect(subject === 'floor' ? share === 1 : share > 0).toBe(true);
      // Requests are served concurrently, so each takes about as long as all of them together.
      expect(p50).toBeLessThan((4000 * connections) / median);
      // A published page may be cached, so its number of round trips depends on the last edit.
      if (subject !== 'octavo' || operation.startsWith('page')) continue;
      expect((cost?.trips ?? 0) > 0).toBe(operation !== 'constant');
    }
  const written = ['comment', 'update', 'create'];
  for (const { operation, cost } of rows.filter(({ subject }) => subject === 'octavo'))
    expect((cost?.rowsWritten ?? 0) > 0).toBe(written.includes(operation));
  const compared = await runScript(['scripts/bench.ts', '--compare', json, json]);
  expect(compared.stdout).toMatch(/update, 4 KB +4 .* x 1\.00 /);
});

test('an interrupted benchmark leaves no server and no folder', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'octavo-benched-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const { child, printed, finished } = startScript(['scripts/bench.ts', ...quick], { TMPDIR: folder });
  await until(() => (printed().stderr.includes('starting on the data') ? true : undefined));
  const runtimes = await getPids(child.pid ?? 0);
  child.kill('SIGINT');

  expect(await finished).toMatchObject({ code: 1 });
  expect(await readdir(folder)).toEqual([]);
  await until(() => (runtimes.some(isRunning) ? undefined : true));
});
