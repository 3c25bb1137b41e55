import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { type BuiltWorker, MACHINE_WORKER } from './manifest.ts';

/** For a worker, the other worker whose code affects its cached responses. */
export const contributors: Record<string, string> = { publishing: 'content' };

/** The workers whose pages name the files that sites load. */
const namesFiles = ['publishing', MACHINE_WORKER];

/** Returns a hash of a worker's bundle, which is the same for each build of the same sources. */
async function hashBundle({ name, bundle, wasm }: Omit<BuiltWorker, 'build'>, outDir: string): Promise<string> {
  const hash = createHash('sha256');
  const files = [bundle, ...wasm, ...(namesFiles.includes(name) ? ['files/reader/files.json'] : [])];
  // A build for one machine does not contain the other workers.
  for (const file of files.map((each) => path.join(outDir, each)))
    if (existsSync(file)) hash.update(await readFile(file));
  return hash.digest('hex').slice(0, 12);
}

/**
 * Sets the `build` of each worker, the value of OCTAVO_BUILD: its own id and, after a dot, the id of the worker whose
 * code affects its cached responses.
 */
export async function addBuildIds(workers: Omit<BuiltWorker, 'build'>[], outDir: string): Promise<BuiltWorker[]> {
  const ids = new Map<string, string>();
  for (const worker of workers) ids.set(worker.name, await hashBundle(worker, outDir));
  return workers.map((worker) => {
    const parts = [ids.get(worker.name), ids.get(contributors[worker.name] ?? '')];
    return { ...worker, build: parts.filter((part) => part !== undefined).join('.') };
  });
}
