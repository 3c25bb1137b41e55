import { randomInt } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buildPlatform, startPlatform } from '@octavo/platform';
import type { TestProject } from 'vitest/node';
import { freePort } from './free-port.ts';

declare module 'vitest' {
  interface ProvidedContext {
    sharedPlatform: { url: string; dataDir: string; root: string };
  }
}

/** Random tests draw from one seed, which is told, and can be given. */
function chooseSeed(): void {
  process.env.OCTAVO_SEED ??= String(randomInt(2 ** 31));
  console.log(`OCTAVO_SEED=${process.env.OCTAVO_SEED}`);
}

/** Starts the one platform that all test files share; `platform()` gives it to them. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  chooseSeed();
  const root = path.resolve(import.meta.dirname, '../..');
  await buildPlatform({ root, outDir: path.join(root, 'build') });
  const dataDir = await mkdtemp(path.join(tmpdir(), 'octavo-test-'));
  const vars = {
    OCTAVO_CHECK_RESPONSES: '1',
    OCTAVO_IMPORT_ALLOW_PRIVATE: '1',
    OCTAVO_CLIENT_ADDRESS_HEADER: 'x-real-ip',
    OCTAVO_RATE_LIMITS: 'off',
  };
  const platform = await startPlatform({ root, dataDir, port: await freePort(), vars });
  project.provide('sharedPlatform', { url: platform.url, dataDir, root });
  return async () => {
    await platform.stop();
    await rm(dataDir, { recursive: true, force: true });
  };
}
