import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { PlatformError } from './platform-error.ts';

const wrangler = fileURLToPath(new URL('../node_modules/wrangler/bin/wrangler.js', import.meta.url));
// It would ask the registry for newer versions and write a log into the home folder.
const quiet = { WRANGLER_HIDE_BANNER: 'true', WRANGLER_SEND_METRICS: 'false', WRANGLER_WRITE_LOGS: 'false' };

async function dryRun(config: string, folder: string): Promise<{ isOk: boolean; output: string }> {
  const metafile = path.join(folder, contents);
  const args = [wrangler, 'deploy', '--dry-run', '--outdir', folder, '--metafile', metafile, '-c', config];
  const child = spawn(process.execPath, args, {
    cwd: path.dirname(config),
    env: { ...process.env, ...quiet },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk;
    });
  const [code] = await once(child, 'close');
  return { isOk: code === 0, output };
}

/** Tells which files the module is made of. */
const contents = 'contents.json';
const uploaded = ['worker.js.map', 'worker.js'];

/** The files of a worker, as seen from the build folder: its module, and what that imports of WebAssembly. */
export interface Bundle {
  bundle: string;
  wasm: string[];
}

/** Makes of a worker what `wrangler deploy` uploads. */
export async function bundleWorker(name: string, config: string, outDir: string): Promise<Bundle> {
  const made = await mkdtemp(path.join(outDir, `${name}-`));
  try {
    const { isOk, output } = await dryRun(config, made);
    if (!isOk) throw new PlatformError(`The worker "${name}" does not build:\n${output.trim()}`);
    const files = await readdir(made);
    const wasm = files.filter((file) => file.endsWith('.wasm'));
    const strange = files.find((file) => ![...uploaded, ...wasm, contents, 'README.md'].includes(file));
    if (strange)
      throw new PlatformError(`The worker "${name}" has ${strange} beside its module; nothing here runs that.`);
    await mkdir(path.join(outDir, name), { recursive: true });
    const former = (await readdir(path.join(outDir, name))).filter((file) => file.endsWith('.wasm'));
    for (const file of former) await rm(path.join(outDir, name, file));
    for (const file of [contents, ...uploaded, ...wasm])
      await rename(path.join(made, file), path.join(outDir, name, file));
    return { bundle: path.join(name, 'worker.js'), wasm: wasm.map((file) => path.join(name, file)) };
  } finally {
    await rm(made, { recursive: true, force: true });
  }
}
