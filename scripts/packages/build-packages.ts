import { copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type BuildOptions, build, type Plugin } from 'esbuild';
import { declareApi, listRequests } from './describe-api.ts';

interface PackageManifest {
  name: string;
  version: string;
}

/** Replaces the contract, including its schemas and their library, with the methods and paths that a client uses. */
const requestsOnly: Plugin = {
  name: 'requests-only',
  setup(builder) {
    builder.onLoad({ filter: /packages\/client\/src\/contract\.ts$/ }, () => ({
      contents: `export const contract = ${JSON.stringify(listRequests())};`,
    }));
  },
};

const shared: BuildOptions = {
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  plugins: [requestsOnly],
  logLevel: 'silent',
};

const getSourcePath = (root: string, file: string): string => path.join(root, 'packages', file);

async function bundleClient(root: string, folder: string, { version }: PackageManifest): Promise<void> {
  await build({ ...shared, entryPoints: { index: getSourcePath(root, 'client/src/package.ts') }, outdir: folder });
  const head = await readFile(path.join(import.meta.dirname, 'client.d.ts'), 'utf8');
  await writeFile(path.join(folder, 'index.d.ts'), head + declareApi(version));
}

async function bundleCli(root: string, folder: string): Promise<void> {
  await build({
    ...shared,
    entryPoints: {
      main: getSourcePath(root, 'cli/src/main-package.ts'),
      index: getSourcePath(root, 'cli/src/package.ts'),
    },
    outdir: folder,
    splitting: true,
    inject: [getSourcePath(root, 'cli/src/node-20.ts')],
    external: ['esbuild', 'miniflare', 'wrangler'],
    // Bundled CommonJS modules need this function to load Node.js's own modules.
    banner: { js: "import { createRequire as create } from 'node:module'; const require = create(import.meta.url);" },
  });
  // The library that scripts of integrations import.
  const library = { in: getSourcePath(root, 'integration/src/index.ts'), out: 'integration' };
  await build({ ...shared, entryPoints: [library], outdir: folder, platform: 'neutral' });
  await copyFile(path.join(import.meta.dirname, 'cli.d.ts'), path.join(folder, 'index.d.ts'));
}

const entry = { '.': { types: './dist/index.d.ts', default: './dist/index.js' } };

interface Package {
  description: string;
  bundle: (root: string, folder: string, manifest: PackageManifest) => Promise<void>;
  fields: object;
}

const packages: Record<string, Package> = {
  client: {
    description: 'A typed client of the HTTP API of Octavo',
    bundle: bundleClient,
    fields: { sideEffects: false },
  },
  cli: {
    description: 'The octavo command, which imports, publishes, syncs and reviews documentation',
    bundle: bundleCli,
    fields: {
      bin: { octavo: 'dist/main.js' },
      // Only commands for integrations need this program, which differs between operating systems.
      peerDependencies: { esbuild: '>=0.25' },
      peerDependenciesMeta: { esbuild: { optional: true } },
    },
  },
};

/** Builds a package for Node.js in a folder, which is emptied: plain JavaScript without dependencies, with types. */
export async function buildPackage(root: string, name: string, folder: string): Promise<void> {
  const builtPackage = packages[name];
  if (builtPackage === undefined) throw new Error(`There is no package ${name}.`);
  const { description, bundle, fields } = builtPackage;
  const manifest: PackageManifest = JSON.parse(await readFile(getSourcePath(root, `${name}/package.json`), 'utf8'));
  const dist = path.join(folder, 'dist');
  await rm(folder, { recursive: true, force: true });
  await mkdir(dist, { recursive: true });
  await bundle(root, dist, manifest);
  await copyFile(getSourcePath(root, `${name}/README.md`), path.join(folder, 'README.md'));
  const common = { type: 'module', exports: entry, files: ['dist'], engines: { node: '>=20' } };
  const { name: fullName, version } = manifest;
  const packed = { name: fullName, version, description, ...common, ...fields };
  await writeFile(path.join(folder, 'package.json'), `${JSON.stringify(packed, null, 2)}\n`);
}
