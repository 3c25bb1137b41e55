import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { BucketScripts, WorkerOptions } from './local-runtime.ts';
import { PlatformError } from './platform-error.ts';

export interface BuiltWorker {
  name: string;
  /** Of what it was built from. */
  sources: string;
  /** The bundle's file name in the build folder. */
  bundle: string;
  /** The files of WebAssembly that it imports, beside it. */
  wasm: string[];
  crons: string[];
  deadLetterQueues: string[];
  consumedQueues: string[];
  /** How many batches of a queue are handled at once, of those that say so. */
  concurrencyOfQueues: Record<string, number>;
  options: WorkerOptions;
}

export interface Migration {
  name: string;
  statements: string[];
}

export interface Manifest {
  sources: string;
  /** Where the packages are that the server runs, which it looks for no more once it is built. */
  runtime: { workerd: string; buckets: BucketScripts };
  workers: BuiltWorker[];
  migrations: Migration[];
}

/** The worker that all others are bundled in. */
export const MACHINE_WORKER = 'machine';
/** The worker that runs scripts, in processes beside the platform. */
const SCRIPT_WORKER = 'script-process';

/** What a build has of the platform's own workers, and the two that stand apart. */
export function splitWorkers(manifest: Manifest) {
  const findWorker = (name: string): BuiltWorker => {
    const worker = manifest.workers.find((each) => each.name === name);
    if (worker === undefined) throw new PlatformError(`The build has no worker "${name}".`);
    return worker;
  };
  const [machine, script] = [findWorker(MACHINE_WORKER), findWorker(SCRIPT_WORKER)];
  const workers = manifest.workers.filter((each) => each !== machine && each !== script);
  return { manifest: { ...manifest, workers }, machine, script };
}

export const getManifestFile = (outDir: string) => path.join(outDir, 'manifest.json');

export async function readManifest(outDir: string): Promise<Manifest | undefined> {
  try {
    return JSON.parse(await readFile(getManifestFile(outDir), 'utf8')) as Manifest;
  } catch {
    return undefined;
  }
}
