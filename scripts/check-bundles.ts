import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { outDir, root } from './settings.ts';

const BUDGET_GZIP_KB = new Map([
  // The documentation of the API takes 60 of it.
  ['gateway', 150],
  // The parsers of websites and documents take half of it, the parser of configuration scripts 45, search 22.
  ['content', 668],
  ['collaboration', 290],
  ['org-admin', 258],
  // Typesetting of PDFs and the document parser take most of it; syntax highlighting takes 60, the YAML parser and the
  // conversion of Swagger 25, the WebP decoder 50. Page rendering takes 100, of which formulas are 60.
  // The MCP server takes 40. Rendering of specifications and their markdown takes 60.
  ['publishing', 945],
  // The code that every worker contains takes 105 of it.
  ['integrations', 192],
  // Runs in script processes, on one machine only.
  ['script-process', 20],
  // Both run only on one machine: `machine` contains all workers above, and `operator` is the operator's worker.
  ['machine', 1556],
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

/** Compares the size of each worker's upload in the build with its budget. */
export async function checkBundles(): Promise<Outcome> {
  const folders = await readdir(path.join(root, 'workers'));
  const unlistedFolders = folders.filter((name) => !BUDGET_GZIP_KB.has(name));
  const failures = [
    ...unlistedFolders.map((name) => `The worker "${name}" has no size budget.`),
    ...(await Promise.all([...BUDGET_GZIP_KB].map(([name, budget]) => checkWorker(name, budget)))).flat(),
  ];
  return { isOk: failures.length === 0, output: failures.join('\n') };
}
