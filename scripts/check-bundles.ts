import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { outDir, root } from './settings.ts';

const BUDGET_GZIP_KB = new Map([
  // The documentation of the API takes 60 KB of this budget.
  ['gateway', 158],
  // The parsers of websites and documents take half of this budget, the parser of configuration scripts 45 KB, search
  // 22 KB.
  ['content', 695],
  ['collaboration', 299],
  ['org-admin', 275],
  // Page rendering takes 100 KB of this budget, of which formulas are 60 KB. Syntax highlighting takes 60 KB, the MCP
  // server 40 KB, and the rendering of specifications and their markdown 60 KB.
  ['publishing', 630],
  // Typesetting of PDFs and the document parser take most of this budget. Syntax highlighting takes 60 KB, the YAML
  // parser and the conversion of Swagger 25 KB, and the WebP decoder 50 KB.
  ['render', 510],
  // The code that every worker contains takes 110 KB of this budget.
  ['integrations', 199],
  // Runs in script processes, on one machine only.
  ['script-process', 20],
  // The code that accesses the database takes most of this budget.
  ['operator', 64],
  // Schemas of errors and ids take most of this budget.
  ['directory', 32],
  // All workers above except `render`, for one machine.
  ['machine', 1311],
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
