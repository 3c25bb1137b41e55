import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { outDir, root } from './settings.ts';

const BUDGET_GZIP_KB = new Map([
  // The documentation of the API is 60 of it.
  ['gateway', 150],
  // The parsers of websites and documents are half of it.
  ['content', 584],
  ['collaboration', 284],
  ['org-admin', 250],
  // What sets PDFs and the parser of documents are most of it; what reads code to color it takes 60, the parser of YAML
  // and the upgrade of Swagger 25, the decoder of WebP 50. What draws pages takes 100: of it formulas 60.
  // What answers clients of MCP takes 40.
  // What draws specifications and reads their markdown takes 60.
  ['publishing', 945],
  // What every worker carries is 105 of it.
  ['integrations', 192],
  // Runs in the processes of scripts, on one machine only.
  ['script-process', 20],
  // Both run on one machine only: all of the above in one, and what the operator asks.
  ['machine', 1445],
  ['operator', 3],
]);

export interface Outcome {
  isOk: boolean;
  output: string;
}

async function checkWorker(name: string, budget: number): Promise<string[]> {
  const folder = path.join(outDir, name);
  const files = (await readdir(folder)).filter((file) => file === 'worker.js' || file.endsWith('.wasm'));
  const sizes = await Promise.all(files.map(async (file) => gzipSync(await readFile(path.join(folder, file))).length));
  const size = Math.ceil(sizes.reduce((sum, each) => sum + each, 0) / 1000);
  return size <= budget ? [] : [`The worker "${name}" has ${size} KB gzipped. Its budget is ${budget} KB.`];
}

/** Holds of every worker what would be uploaded, which the build has made, against its budget. */
export async function checkBundles(): Promise<Outcome> {
  const folders = await readdir(path.join(root, 'workers'));
  const unlisted = folders.filter((name) => !BUDGET_GZIP_KB.has(name));
  const failures = [
    ...unlisted.map((name) => `The worker "${name}" has no size budget.`),
    ...(await Promise.all([...BUDGET_GZIP_KB].map(([name, budget]) => checkWorker(name, budget)))).flat(),
  ];
  return { isOk: failures.length === 0, output: failures.join('\n') };
}
