import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { BucketScripts, WorkerOptions } from './local-runtime.ts';
import { PlatformError } from './platform-error.ts';

export interface BuiltWorker {
  name: string;
  /** The fingerprint of its sources. */
  sources: string;
  /** The bundle's file name in the build folder. */
  bundle: string;
  /** The WebAssembly files that the bundle imports, in the build folder. */
  wasm: string[];
  crons: string[];
  deadLetterQueues: string[];
  consumedQueues: string[];
  /** Maximum number of batches that run concurrently, for each queue that configures it. */
  concurrencyOfQueues: Record<string, number>;
  options: WorkerOptions;
}

export interface Migration {
  name: string;
  statements: string[];
}

/** The workers that a build contains: all of them, or those that the machine runs. */
export type BuildScope = 'all' | 'machine';

export interface Manifest {
  sources: string;
  /** With `machine`, the bundles of the other workers may be outdated or missing. */
  scope: BuildScope;
  /** The locations of the packages that the server runs, which are resolved only at build time. */
  runtime: { workerd: string; buckets: BucketScripts };
  workers: BuiltWorker[];
  migrations: Migration[];
}

/** The worker that contains all other workers. */
export const MACHINE_WORKER = 'machine';
/** The worker of script processes, which run separately from the platform. */
const SCRIPT_WORKER = 'script-process';
const OPERATOR_WORKER = 'operator';

/** Whether a server needs the bundle of a worker when all workers run in one isolate. */
export const runsOnMachine = (name: string): boolean => [MACHINE_WORKER, SCRIPT_WORKER, OPERATOR_WORKER].includes(name);

/** Whether a build contains the workers of a scope, made from these sources. */
export const isUpToDate = (
  build: Pick<Manifest, 'sources' | 'scope'> | undefined,
  sources: string,
  scope: BuildScope,
) => build?.sources === sources && (build.scope === 'all' || build.scope === scope);

/** Separates the platform's own workers from the machine worker and the script worker. */
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
