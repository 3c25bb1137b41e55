import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { outDir, root } from './settings.ts';

const BUDGET_GZIP_KB = new Map([
  ['gateway', 300],
  // The parsers of websites and documents are half of it.
  ['content', 450],
  ['collaboration', 250],
  ['org-admin', 350],
  // What sets PDFs and the parser of documents are most of it.
  ['publishing', 520],
  ['integrations', 250],
]);

export interface Outcome {
  isOk: boolean;
  output: string;
}

type Run = (command: string, args: string[]) => Promise<Outcome>;

async function gzippedKilobytes(folder: string): Promise<number> {
  const names = await readdir(folder);
  const code = names.filter((name) => /\.(js|mjs|wasm)$/.test(name)).map((name) => readFile(path.join(folder, name)));
  return Math.ceil(gzipSync(Buffer.concat(await Promise.all(code))).length / 1000);
}

async function checkWorker(name: string, budget: number, run: Run): Promise<Outcome> {
  const config = name === 'gateway' ? 'wrangler.toml' : `workers/${name}/wrangler.toml`;
  const folder = path.join(outDir, 'deploy', name);
  const { isOk, output } = await run('wrangler', [
    'deploy',
    '--dry-run',
    '--outdir',
    folder,
    '-c',
    path.join(root, config),
  ]);
  if (!isOk) return { isOk, output: `${config} cannot be deployed:\n${output}` };
  const size = await gzippedKilobytes(folder);
  if (size <= budget) return { isOk: true, output: '' };
  return { isOk: false, output: `The worker "${name}" is ${size} KB gzipped; its budget is ${budget} KB.` };
}

/** Makes of every worker what would be uploaded, and holds it against its budget. */
export async function checkBundles(run: Run): Promise<Outcome> {
  process.env.WRANGLER_SEND_METRICS = 'false';
  const folders = await readdir(path.join(root, 'workers'));
  const unlisted = folders.filter((name) => !BUDGET_GZIP_KB.has(name));
  const outcomes = unlisted.map((name) => ({ isOk: false, output: `The worker "${name}" has no size budget.` }));
  const waiting = [...BUDGET_GZIP_KB];
  const work = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) outcomes.push(await checkWorker(...next, run));
  };
  await Promise.all([work(), work()]);
  const failures = outcomes.filter(({ isOk }) => !isOk);
  return { isOk: failures.length === 0, output: failures.map(({ output }) => output).join('\n') };
}
