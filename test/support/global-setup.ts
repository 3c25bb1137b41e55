import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buildPlatform, startPlatform } from '@octavo/platform';
import type { TestProject } from 'vitest/node';
import { pickFreePort } from './free-port.ts';
import { buildLimitedEntry } from './limits/build-entry.ts';
import { findExceededLimits } from './limits/exceeded-limits.ts';

declare module 'vitest' {
  interface ProvidedContext {
    root: string;
    /** One platform per test process. */
    sharedPlatforms: { url: string; dataDir: string }[];
  }
}

const vars = {
  OCTAVO_CHECK_RESPONSES: '1',
  OCTAVO_IMPORT_ALLOW_PRIVATE: '1',
  OCTAVO_CLIENT_ADDRESS_HEADER: 'x-real-ip',
  OCTAVO_RATE_LIMITS: 'off',
};

/** Runs all workers in one isolate, or each in its own isolate with the local D1, as on Cloudflare. */
const shape = process.env.OCTAVO_SHAPE === 'workers' ? 'workers' : 'machine';

async function startShared(root: string, entry: string) {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'octavo-test-'));
  const testKey = process.env.OCTAVO_TEST_KEY;
  const { url, stop } = await startPlatform({ root, dataDir, port: await pickFreePort(), vars, testKey, shape, entry });
  return { url, dataDir, stop };
}

/** Returns the number of processes that run tests: fewer than the maximum if only a few files are selected. */
async function countProcesses(project: TestProject): Promise<number> {
  const filters = JSON.parse(process.env.OCTAVO_TEST_FILTERS ?? '[]') as string[];
  const { testFiles } = await project.globTestFiles(filters);
  return Math.min(project.config.maxWorkers, testFiles.length);
}

/** Starts one platform per test process. All test files of the process share it through `platform()`. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  console.log(`OCTAVO_SEED=${process.env.OCTAVO_SEED}`);
  process.env.OCTAVO_TEST_KEY = randomUUID();
  const root = path.resolve(import.meta.dirname, '../..');
  // Some long tests start separate workers.
  const scope = shape === 'workers' || process.env.OCTAVO_TEST !== 'ordinary' ? 'all' : 'machine';
  await buildPlatform({ root, outDir: path.join(root, 'build'), scope });
  const processes = Array.from({ length: await countProcesses(project) });
  const entry = await buildLimitedEntry(path.join(root, 'build'));
  const platforms = await Promise.all(processes.map(() => startShared(root, entry)));
  project.provide('root', root);
  project.provide(
    'sharedPlatforms',
    platforms.map(({ url, dataDir }) => ({ url, dataDir })),
  );
  return async () => {
    await Promise.all(platforms.map(({ stop }) => stop()));
    const exceeded = platforms.flatMap(({ dataDir }) => findExceededLimits(dataDir));
    for (const { dataDir } of platforms) await rm(dataDir, { recursive: true, force: true });
    if (exceeded.length > 0) throw new Error(exceeded.join('\n'));
  };
}
