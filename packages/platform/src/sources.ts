import { createHash } from 'node:crypto';
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { MACHINE_WORKER } from './manifest.ts';

const SKIPPED = /^(node_modules|\..*|.*\.test\.ts)$/;

async function* filesIn(folder: string): AsyncGenerator<string> {
  const entries = await readdir(folder, { withFileTypes: true });
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (SKIPPED.test(entry.name)) continue;
    const file = path.join(folder, entry.name);
    if (entry.isDirectory()) yield* filesIn(file);
    else if (entry.isFile()) yield file;
  }
}

async function fingerprint(root: string, files: string[], folders: string[]): Promise<string> {
  const hash = createHash('sha256').update(root);
  const add = async (file: string) => {
    const { mtimeMs, size } = await stat(file);
    hash.update(`\n${path.relative(root, file)} ${mtimeMs} ${size}`);
  };
  for (const file of files) await add(path.join(root, file));
  for (const folder of folders) for await (const file of filesIn(path.join(root, folder))) await add(file);
  return hash.digest('hex');
}

const shared = ['wrangler.toml', 'pnpm-lock.yaml'];

/** A hash of the names, sizes and times of everything the build reads: it changes when the build is out of date. */
export const fingerprintSources = (root: string): Promise<string> =>
  fingerprint(root, shared, ['workers', 'packages', 'scripts', 'migrations']);

/** The same of what one worker is made from: the machine's is made of all of them. */
export const fingerprintWorker = (root: string, name: string): Promise<string> =>
  fingerprint(root, shared, [name === MACHINE_WORKER ? 'workers' : `workers/${name}`, 'packages']);
