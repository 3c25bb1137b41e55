import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { BucketScripts, WorkerOptions } from './local-runtime.ts';

export interface BuiltWorker {
  name: string;
  /** Of what it was built from. */
  sources: string;
  /** The bundle's file name in the build folder. */
  bundle: string;
  crons: string[];
  deadLetterQueues: string[];
  consumedQueues: string[];
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

export const manifestFile = (outDir: string) => path.join(outDir, 'manifest.json');

export async function readManifest(outDir: string): Promise<Manifest | undefined> {
  try {
    return JSON.parse(await readFile(manifestFile(outDir), 'utf8')) as Manifest;
  } catch {
    return undefined;
  }
}
