import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { fingerprintWorker } from './build.ts';
import { isUpToDate } from './manifest.ts';

test('a change in one worker changes the hash of that worker and of the machine, but of no other worker', async () => {
  const root = await mkdtemp(path.join(tmpdir(), 'octavo-sources-'));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  const write = async (file: string, text: string) => {
    await mkdir(path.dirname(path.join(root, file)), { recursive: true });
    await writeFile(path.join(root, file), text);
  };
  for (const file of ['wrangler.toml', 'pnpm-lock.yaml', 'packages/a.ts']) await write(file, '');
  const workers = ['machine', 'content', 'publishing'];
  for (const name of workers) await write(`workers/${name}/src/worker.ts`, '');
  const computeFingerprints = () => Promise.all(workers.map((name) => fingerprintWorker(root, name)));
  const before = await computeFingerprints();

  await write('workers/publishing/src/worker.ts', 'changed');

  const after = await computeFingerprints();
  expect(workers.filter((_, index) => before[index] !== after[index])).toEqual(['machine', 'publishing']);
});

test('a build for the machine outdates the builds of all workers, and a whole build includes everything', () => {
  const has = (built: 'all' | 'machine', scope: 'all' | 'machine', sources = 'a') =>
    isUpToDate({ sources: 'a', scope: built }, sources, scope);

  expect([has('all', 'all'), has('all', 'machine'), has('machine', 'machine')]).toEqual([true, true, true]);
  expect([has('machine', 'all'), has('all', 'all', 'b'), has('machine', 'machine', 'b')]).toEqual([
    false,
    false,
    false,
  ]);
  expect(isUpToDate(undefined, 'a', 'machine')).toBe(false);
});
