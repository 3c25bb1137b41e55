import { access, copyFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { bundleServer } from './bundle-server.ts';
import { type Bundle, bundleWorker } from './deployment.ts';
import { bucketScripts, readConfiguration, splitStatements, workerdBinary } from './local-runtime.ts';
import { type BuiltWorker, type Manifest, type Migration, manifestFile, readManifest } from './manifest.ts';
import { apiReference, buildReaderFiles } from './reader-files.ts';
import { fingerprintSources, fingerprintWorker } from './sources.ts';
import { writeWhole } from './write-whole.ts';

export interface BuildOptions {
  root: string;
  outDir: string;
}

async function configFiles(root: string): Promise<string[]> {
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

/** A worker as the last build left it, where nothing that it is made from has changed since. */
async function unchanged(built: BuiltWorker | undefined, sources: string, outDir: string): Promise<Bundle | undefined> {
  if (built?.sources !== sources) return undefined;
  const { bundle, wasm = [] } = built;
  const isThere = await Promise.all([bundle, ...wasm].map((file) => access(path.join(outDir, file)))).then(
    () => true,
    () => false,
  );
  return isThere ? { bundle, wasm } : undefined;
}

async function buildWorker(config: string, { root, outDir }: BuildOptions, last: BuiltWorker[]): Promise<BuiltWorker> {
  const configuration = await readConfiguration(config);
  const { name } = configuration;
  const sources = await fingerprintWorker(root, name);
  const former = last.find((worker) => worker.name === name);
  const bundle = (await unchanged(former, sources, outDir)) ?? (await bundleWorker(name, config, outDir));
  return { ...configuration, sources, ...bundle };
}

/** Builds as many at once as there are processors, and gives the workers in the order of their configurations. */
async function buildWorkers(options: BuildOptions, last: BuiltWorker[]): Promise<BuiltWorker[]> {
  const built: BuiltWorker[] = [];
  const waiting = (await configFiles(options.root)).entries();
  const work = async () => {
    for (const [index, config] of waiting) built[index] = await buildWorker(config, options, last);
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  return built;
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

/** What PDFs are set in, by the names that the publishing worker knows them by. */
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
  arabic: 'noto-sans-arabic/400Regular/NotoSansArabic_400Regular.ttf',
  'arabic-bold': 'noto-sans-arabic/700Bold/NotoSansArabic_700Bold.ttf',
  hebrew: 'noto-sans-hebrew/400Regular/NotoSansHebrew_400Regular.ttf',
  'hebrew-bold': 'noto-sans-hebrew/700Bold/NotoSansHebrew_700Bold.ttf',
  thai: 'noto-sans-thai/400Regular/NotoSansThai_400Regular.ttf',
  'thai-bold': 'noto-sans-thai/700Bold/NotoSansThai_700Bold.ttf',
};

async function copyAssets(outDir: string, build: string): Promise<void> {
  const assets = path.join(outDir, 'assets', 'reference');
  await mkdir(assets, { recursive: true });
  await copyFile(apiReference, path.join(assets, 'scalar.js'));
  const fontsDir = path.join(outDir, 'files', 'fonts');
  await mkdir(fontsDir, { recursive: true });
  const packages = new URL('../node_modules/@expo-google-fonts/', import.meta.url);
  for (const [name, file] of Object.entries(fonts))
    await copyFile(new URL(file, packages), path.join(fontsDir, `${name}.ttf`));
  const packed = await readFile(new URL('../node_modules/twemoji-colr-font/twemoji.woff2', import.meta.url));
  const { decompress } = await import('wawoff2');
  await writeFile(path.join(fontsDir, 'emoji-color.ttf'), await decompress(packed));
  await buildReaderFiles(path.join(outDir, 'files', 'reader'), build);
}

/** Builds every worker of the workspace into `outDir`, unless nothing changed since the last build. */
export async function buildPlatform({ root, outDir }: BuildOptions): Promise<{ rebuilt: boolean; workers: string[] }> {
  const sources = await fingerprintSources(root);
  const last = await readManifest(outDir);
  if (last?.sources === sources) return { rebuilt: false, workers: last.workers.map(({ name }) => name) };
  await mkdir(outDir, { recursive: true });
  await copyAssets(outDir, sources);
  const workers = await buildWorkers({ root, outDir }, last?.workers ?? []);
  const migrations = await readMigrations(path.join(root, 'migrations'));
  await bundleServer(root, outDir);
  const runtime = { workerd: workerdBinary(), buckets: bucketScripts() };
  const manifest: Manifest = { sources, runtime, workers, migrations };
  await writeWhole(manifestFile(outDir), JSON.stringify(manifest, null, 2));
  return { rebuilt: true, workers: workers.map(({ name }) => name) };
}
