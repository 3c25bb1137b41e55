import { randomInt, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buildPlatform, startPlatform } from '@octavo/platform';
import type { TestProject } from 'vitest/node';
import { freePort } from './free-port.ts';

declare module 'vitest' {
  interface ProvidedContext {
    root: string;
    /** One platform per test process. */
    sharedPlatforms: { url: string; dataDir: string }[];
  }
}

/** Random tests share one seed. It is printed, and can be set to reproduce a run. */
function chooseSeed(): void {
  process.env.OCTAVO_SEED ??= String(randomInt(2 ** 31));
  console.log(`OCTAVO_SEED=${process.env.OCTAVO_SEED}`);
}

const vars = {
  OCTAVO_CHECK_RESPONSES: '1',
  OCTAVO_IMPORT_ALLOW_PRIVATE: '1',
  OCTAVO_CLIENT_ADDRESS_HEADER: 'x-real-ip',
  OCTAVO_RATE_LIMITS: 'off',
};

/** How the workers run: all in one isolate, or each in its own isolate with the local D1, as on Cloudflare. */
const shape = process.env.OCTAVO_SHAPE === 'workers' ? 'workers' : 'machine';

async function startShared(root: string) {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'octavo-test-'));
  const testKey = process.env.OCTAVO_TEST_KEY;
  const { url, stop } = await startPlatform({ root, dataDir, port: await freePort(), vars, testKey, shape });
  return { url, dataDir, stop };
}

/** Starts one platform per test process. All test files of the process share it through `platform()`. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  chooseSeed();
  process.env.OCTAVO_TEST_KEY = randomUUID();
  const root = path.resolve(import.meta.dirname, '../..');
  // Some long tests start separate workers.
  const scope = shape === 'workers' || process.env.OCTAVO_TEST === 'all' ? 'all' : 'machine';
  await buildPlatform({ root, outDir: path.join(root, 'build'), scope });
  const processes = Array.from({ length: project.config.maxWorkers });
  const platforms = await Promise.all(processes.map(() => startShared(root)));
  project.provide('root', root);
  project.provide(
    'sharedPlatforms',
    platforms.map(({ url, dataDir }) => ({ url, dataDir })),
  );
  return async () => {
    await Promise.all(platforms.map(({ stop }) => stop()));
    for (const { dataDir } of platforms) await rm(dataDir, { recursive: true, force: true });
  };
}
