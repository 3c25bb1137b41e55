import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { BucketScripts, WorkerOptions } from './local-runtime.ts';
import { PlatformError } from './platform-error.ts';

export interface BuiltWorker {
  name: string;
  /** The fingerprint of the worker's sources. */
  sources: string;
  /** The bundle's file name in the build folder. */
  bundle: string;
  /** The WebAssembly files that the bundle imports, in the build folder. */
  wasm: string[];
  /** The value of OCTAVO_BUILD. */
  build: string;
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
  /** `machine` means that the bundles of the other workers may be outdated or missing. */
  scope: BuildScope;
  /** The locations of the packages that the server runs, which are resolved only at build time. */
  runtime: { workerd: string; buckets: BucketScripts };
  workers: BuiltWorker[];
  /** The worker in front of several installations. It is part of none of them. */
  directory: BuiltWorker;
  migrations: Migration[];
}

/** The worker that contains all other workers. */
export const MACHINE_WORKER = 'machine';
/** The worker of script processes, which run separately from the platform. */
const SCRIPT_WORKER = 'script-process';
const OPERATOR_WORKER = 'operator';
/** The worker that prints PDFs and reads specifications. On one machine, it runs in a process of its own. */
export const RENDER_WORKER = 'render';

export const DIRECTORY_WORKER = 'directory';

/** Whether a worker is never deployed to Cloudflare. */
export const runsOnlyOnMachine = (name: string): boolean => [MACHINE_WORKER, SCRIPT_WORKER].includes(name);

/** Whether a server needs the bundle of a worker when all workers run in one isolate. */
export const hasOwnBundleOnMachine = (name: string): boolean =>
  runsOnlyOnMachine(name) || [OPERATOR_WORKER, RENDER_WORKER].includes(name);

/** Whether a build was made from these sources and contains all workers of the scope. */
export const isUpToDate = (
  build: Pick<Manifest, 'sources' | 'scope'> | undefined,
  sources: string,
  scope: BuildScope,
) => build?.sources === sources && (build.scope === 'all' || build.scope === scope);

export function findBuiltWorker(workers: BuiltWorker[], name: string): BuiltWorker {
  const worker = workers.find((each) => each.name === name);
  if (worker === undefined) throw new PlatformError(`The build has no worker "${name}".`);
  return worker;
}

/**
 * Separates the workers of the machine's isolate from the machine worker and from the workers that have their own
 * processes.
 */
export function splitWorkers(manifest: Manifest) {
  const separate = {
    machine: findBuiltWorker(manifest.workers, MACHINE_WORKER),
    script: findBuiltWorker(manifest.workers, SCRIPT_WORKER),
    render: findBuiltWorker(manifest.workers, RENDER_WORKER),
  };
  const workers = manifest.workers.filter((each) => !Object.values(separate).includes(each));
  return { manifest: { ...manifest, workers }, ...separate };
}

export const getManifestFile = (outDir: string) => path.join(outDir, 'manifest.json');

export async function readManifest(outDir: string): Promise<Manifest | undefined> {
  try {
    return JSON.parse(await readFile(getManifestFile(outDir), 'utf8')) as Manifest;
  } catch {
    return undefined;
  }
}
