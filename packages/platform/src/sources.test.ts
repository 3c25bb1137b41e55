import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { fingerprintWorker } from './build.ts';

test('a change of one worker also changes the machine, and no other worker', async () => {
  const root = await mkdtemp(path.join(tmpdir(), 'octavo-sources-'));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  const write = async (file: string, text: string) => {
    await mkdir(path.dirname(path.join(root, file)), { recursive: true });
    await writeFile(path.join(root, file), text);
  };
  for (const file of ['wrangler.toml', 'pnpm-lock.yaml', 'packages/a.ts']) await write(file, '');
  const workers = ['machine', 'content', 'publishing'];
  for (const name of workers) await write(`workers/${name}/src/worker.ts`, '');
  const fingerprints = () => Promise.all(workers.map((name) => fingerprintWorker(root, name)));
  const before = await fingerprints();

  await write('workers/publishing/src/worker.ts', 'changed');

  const after = await fingerprints();
  expect(workers.filter((_, index) => before[index] !== after[index])).toEqual(['machine', 'publishing']);
});
