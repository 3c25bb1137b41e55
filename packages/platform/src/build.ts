import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { access, copyFile, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { addBuildIds } from './build-ids.ts';
import { writeAtomically } from './data-folder.ts';
import { findWorkerd, readBucketScripts, readConfiguration, splitStatements } from './local-runtime.ts';
import {
  type BuildScope,
  type BuiltWorker,
  DIRECTORY_WORKER,
  findBuiltWorker,
  getManifestFile,
  hasOwnBundleOnMachine,
  isUpToDate,
  MACHINE_WORKER,
  type Manifest,
  type Migration,
  readManifest,
} from './manifest.ts';
import { PlatformError } from './platform-error.ts';
import { apiReference, buildReaderFiles, linkReaderFiles } from './reader-files.ts';

const SKIPPED = /^(node_modules|\..*|.*\.test\.ts)$/;

async function* listFiles(folder: string): AsyncGenerator<string> {
  const entries = await readdir(folder, { withFileTypes: true });
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (SKIPPED.test(entry.name)) continue;
    const file = path.join(folder, entry.name);
    if (entry.isDirectory()) yield* listFiles(file);
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
  for (const folder of folders) for await (const file of listFiles(path.join(root, folder))) await add(file);
  return hash.digest('hex');
}

const shared = ['wrangler.toml', 'pnpm-lock.yaml'];

/**
 * Returns a hash of the names, sizes and times of all files that the build reads. If the hash changes, the build is
 * outdated.
 */
const fingerprintSources = (root: string): Promise<string> =>
  fingerprint(root, shared, ['workers', 'packages', 'scripts', 'migrations']);

/** Like `fingerprintSources`, for the files of one worker. The machine's worker includes all other workers. */
export const fingerprintWorker = (root: string, name: string): Promise<string> =>
  fingerprint(root, shared, [name === MACHINE_WORKER ? 'workers' : `workers/${name}`, 'packages']);

export const wranglerProgram = fileURLToPath(new URL('../node_modules/wrangler/bin/wrangler.js', import.meta.url));
/**
 * Without these variables, wrangler would look for new versions and write a log into the home folder, and a
 * CLOUDFLARE_ENV of the caller would change the names of workers.
 */
export const wranglerVariables = {
  CLOUDFLARE_ENV: '',
  WRANGLER_HIDE_BANNER: 'true',
  WRANGLER_SEND_METRICS: 'false',
  WRANGLER_WRITE_LOGS: 'false',
};

/**
 * Ends wrangler when the process that started it is killed. Otherwise it would still run during the next `npm run
 * deploy`. Wrangler passes this option on to the process that it starts itself.
 */
const endWithParent = [
  '--import',
  'data:text/javascript,const{ppid}=process;setInterval(()=>process.ppid===ppid||process.exit(1),100).unref()',
];

/** Runs a command of wrangler and returns its output. */
export async function runWranglerCommand(
  args: string[],
  { cwd, env = {} }: { cwd?: string; env?: NodeJS.ProcessEnv } = {},
): Promise<{ isOk: boolean; output: string }> {
  const child = spawn(process.execPath, [...endWithParent, wranglerProgram, ...args], {
    cwd,
    env: { ...process.env, ...wranglerVariables, ...env },
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

function bundleWithWrangler(config: string, folder: string): Promise<{ isOk: boolean; output: string }> {
  const metafile = path.join(folder, contents);
  const args = ['deploy', '--dry-run', '--outdir', folder, '--metafile', metafile, '-c', config];
  return runWranglerCommand(args, { cwd: path.dirname(config) });
}

/** `contents` is the file that lists a bundle's source files, and `uploaded` are the files to upload. */
const contents = 'contents.json';
const uploaded = ['worker.js.map', 'worker.js'];

/** The files of a worker, relative to the build folder: its module, and the WebAssembly modules that it imports. */
interface Bundle {
  bundle: string;
  wasm: string[];
}

/** Bundles a worker as `wrangler deploy` would upload it. */
async function bundleWorker(name: string, config: string, outDir: string): Promise<Bundle> {
  const temporary = await mkdtemp(path.join(outDir, `${name}-`));
  try {
    const { isOk, output } = await bundleWithWrangler(config, temporary);
    if (!isOk) throw new PlatformError(`The worker "${name}" could not be built:\n${output.trim()}`);
    const files = await readdir(temporary);
    const wasm = files.filter((file) => file.endsWith('.wasm'));
    const strange = files.find((file) => ![...uploaded, ...wasm, contents, 'README.md'].includes(file));
    if (strange) throw new PlatformError(`The build of the worker "${name}" contains an unsupported file: ${strange}.`);
    await mkdir(path.join(outDir, name), { recursive: true });
    const staleModules = (await readdir(path.join(outDir, name))).filter((file) => file.endsWith('.wasm'));
    for (const file of staleModules) await rm(path.join(outDir, name, file));
    for (const file of [contents, ...uploaded, ...wasm])
      await rename(path.join(temporary, file), path.join(outDir, name, file));
    return { bundle: path.join(name, 'worker.js'), wasm: wasm.map((file) => path.join(name, file)) };
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

/** The bundle of scripts/serve.ts, in the build folder. */
export const serverBundle = 'serve.mjs';

/** Flags of Node.js that limit the memory of the server. */
export const serverFlags = ['--max-semi-space-size=1', '--max-old-space-size=128'];

/**
 * The bundle that creates the initial content, in the build folder. It is seldom used, so it is separate from the
 * server.
 */
export const fillBundle = 'fill.mjs';

/** Bundles the server and the script that creates the first content. Bundles start faster and use less memory. */
async function bundleServer(root: string, outDir: string): Promise<void> {
  const { build } = await import('esbuild');
  await build({
    entryPoints: ['scripts/serve.ts', 'scripts/fill.ts'].map((file) => path.join(root, file)),
    outdir: outDir,
    entryNames: '[name]',
    outExtension: { '.js': '.mjs' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node24',
    external: ['miniflare', 'wrangler', 'esbuild', '@octavo/cli'],
    // Bundled CommonJS modules need `require` to load Node.js's own modules.
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
    logLevel: 'silent',
  });
}

interface BuildOptions {
  root: string;
  outDir: string;
  /** The bundles that are needed. `all` by default; bundling all workers takes three times as long. */
  scope?: BuildScope | undefined;
}

/** Returns the wrangler.toml files of all workers. */
export async function findConfigFiles(root: string): Promise<string[]> {
  const workers = await readdir(path.join(root, 'workers'));
  const files = workers.sort().map((name) => path.join(root, 'workers', name, 'wrangler.toml'));
  const present = await Promise.all(
    files.map((file) =>
      access(file)
        .then(() => [file])
        .catch(() => []),
    ),
  );
  return [path.join(root, 'wrangler.toml'), ...present.flat()];
}

/** Returns the bundle of a worker from the last build, if none of its sources have changed. */
async function findUnchangedBundle(
  built: BuiltWorker | undefined,
  sources: string,
  outDir: string,
): Promise<Bundle | undefined> {
  if (built?.sources !== sources) return undefined;
  const { bundle, wasm = [] } = built;
  const hasFiles = await Promise.all([bundle, ...wasm].map((file) => access(path.join(outDir, file)))).then(
    () => true,
    () => false,
  );
  return hasFiles ? { bundle, wasm } : undefined;
}

async function buildWorker(
  config: string,
  { root, outDir, scope }: BuildOptions,
  last: BuiltWorker[],
): Promise<Omit<BuiltWorker, 'build'>> {
  const configuration = await readConfiguration(config);
  const { name } = configuration;
  const previousBuild = last.find((worker) => worker.name === name);
  if (scope === 'machine' && !hasOwnBundleOnMachine(name)) {
    const { sources = '', bundle = path.join(name, 'worker.js'), wasm = [] } = previousBuild ?? {};
    return { ...configuration, sources, bundle, wasm };
  }
  const sources = await fingerprintWorker(root, name);
  const bundle =
    (await findUnchangedBundle(previousBuild, sources, outDir)) ?? (await bundleWorker(name, config, outDir));
  return { ...configuration, sources, ...bundle };
}

/**
 * Builds as many workers in parallel as there are processors, and returns them in the order of their configurations.
 */
async function buildWorkers(options: BuildOptions, last: BuiltWorker[]): Promise<BuiltWorker[]> {
  const built: Omit<BuiltWorker, 'build'>[] = [];
  const remaining = (await findConfigFiles(options.root)).entries();
  const buildRemaining = async () => {
    for (const [index, config] of remaining) built[index] = await buildWorker(config, options, last);
  };
  await Promise.all(Array.from({ length: availableParallelism() }, buildRemaining));
  return addBuildIds(built, options.outDir);
}

async function readMigrations(folder: string): Promise<Migration[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort();
  return Promise.all(
    names.map(async (name) => ({
      name,
      statements: await splitStatements(await readFile(path.join(folder, name), 'utf8')),
    })),
  );
}

/** The fonts of PDFs, by the names that the render worker uses. */
const fonts = {
  sans: 'noto-sans/400Regular/NotoSans_400Regular.ttf',
  'sans-bold': 'noto-sans/700Bold/NotoSans_700Bold.ttf',
  'sans-italic': 'noto-sans/400Regular_Italic/NotoSans_400Regular_Italic.ttf',
  'sans-bold-italic': 'noto-sans/700Bold_Italic/NotoSans_700Bold_Italic.ttf',
  mono: 'noto-sans-mono/400Regular/NotoSansMono_400Regular.ttf',
  'mono-bold': 'noto-sans-mono/700Bold/NotoSansMono_700Bold.ttf',
  jp: 'noto-sans-jp/400Regular/NotoSansJP_400Regular.ttf',
  sc: 'noto-sans-sc/400Regular/NotoSansSC_400Regular.ttf',
  kr: 'noto-sans-kr/400Regular/NotoSansKR_400Regular.ttf',
  emoji: 'noto-emoji/400Regular/NotoEmoji_400Regular.ttf',
  symbols: 'noto-sans-symbols-2/400Regular/NotoSansSymbols2_400Regular.ttf',
  math: 'noto-sans-math/400Regular/NotoSansMath_400Regular.ttf',
  ...Object.fromEntries(
    [
      ...[
        'Arabic',
        'Armenian',
        'Bengali',
        'Ethiopic',
        'Georgian',
        'Gujarati',
        'Gurmukhi',
        'Hebrew',
        'Kannada',
        'Khmer',
      ],
      ...['Lao', 'Malayalam', 'Myanmar', 'Oriya', 'Sinhala', 'Tamil', 'Telugu', 'Thai'],
    ].flatMap((script) => {
      const name = script.toLowerCase();
      const getFile = (style: string): string => `noto-sans-${name}/${style}/NotoSans${script}_${style}.ttf`;
      return [
        [name, getFile('400Regular')],
        [`${name}-bold`, getFile('700Bold')],
      ];
    }),
  ),
};

async function copyAssets(outDir: string): Promise<void> {
  const assets = path.join(outDir, 'assets');
  await mkdir(path.join(assets, 'reference'), { recursive: true });
  await copyFile(apiReference, path.join(assets, 'reference', 'scalar.js'));
  const fontsDir = path.join(outDir, 'fonts');
  await mkdir(fontsDir, { recursive: true });
  const packages = new URL('../node_modules/@expo-google-fonts/', import.meta.url);
  for (const [name, file] of Object.entries(fonts))
    await copyFile(new URL(file, packages), path.join(fontsDir, `${name}.ttf`));
  const compressedFont = await readFile(new URL('../node_modules/twemoji-colr-font/twemoji.woff2', import.meta.url));
  const { decompress } = await import('wawoff2');
  await writeFile(path.join(fontsDir, 'emoji-color.ttf'), await decompress(compressedFont));
  const readerFiles = path.join(outDir, 'files', 'reader');
  await buildReaderFiles(readerFiles);
  await linkReaderFiles(readerFiles, assets);
}

const listBundled = ({ workers, scope }: Manifest): string[] =>
  workers.map(({ name }) => name).filter((name) => scope === 'all' || hasOwnBundleOnMachine(name));

/** Builds the workers of the workspace into `outDir`, unless nothing has changed since the last build. */
export async function buildPlatform({
  root,
  outDir,
  scope = 'all',
}: BuildOptions): Promise<{ isRebuilt: boolean; workers: string[] }> {
  const sources = await fingerprintSources(root);
  const previous = await readManifest(outDir);
  if (previous !== undefined && isUpToDate(previous, sources, scope))
    return { isRebuilt: false, workers: listBundled(previous) };
  await mkdir(outDir, { recursive: true });
  const isOfOtherSources = previous?.sources !== sources;
  if (isOfOtherSources) await copyAssets(outDir);
  const last = [...(previous?.workers ?? [])].concat(previous?.directory ?? []);
  const built = await buildWorkers({ root, outDir, scope }, last);
  const workers = built.filter(({ name }) => name !== DIRECTORY_WORKER);
  const directory = findBuiltWorker(built, DIRECTORY_WORKER);
  const migrations = await readMigrations(path.join(root, 'migrations'));
  if (isOfOtherSources) await bundleServer(root, outDir);
  const runtime = { workerd: findWorkerd(), buckets: readBucketScripts() };
  const manifest: Manifest = { sources, scope, runtime, workers, directory, migrations };
  await writeAtomically(getManifestFile(outDir), JSON.stringify(manifest, null, 2));
  return { isRebuilt: true, workers: listBundled(manifest) };
}
