import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { BuildOptions, BuildResult, Message, Plugin } from 'esbuild';
import { Failure, getMessage } from '../failure.ts';
import type { FoundManifest } from './manifest.ts';

const isFailure = (error: unknown): error is { errors: Message[] } =>
  error instanceof Error && 'errors' in error && Array.isArray(error.errors);

/** Formats the errors of a script, one per line. */
const formatErrors = (errors: Message[]): string =>
  errors
    .map(
      ({ location, text }) => `${location ? `${location.file}:${location.line}:${location.column + 1}: ` : ''}${text}`,
    )
    .join('\n');

const library = '@octavo/integration';
const nestedResolve = Symbol('asked for where the script is');

/** Returns the path of the library: next to the bundle of the package, or in the workspace. */
function findLibrary(): string {
  const bundled = fileURLToPath(new URL('integration.js', import.meta.url));
  return existsSync(bundled) ? bundled : createRequire(import.meta.url).resolve(library);
}

/** A plugin that resolves the library to the version of the CLI if the project has not installed it. */
const ownLibrary: Plugin = {
  name: 'library',
  setup(build) {
    build.onResolve({ filter: new RegExp(`^${library}$`) }, async ({ resolveDir, kind, importer, pluginData }) => {
      if (pluginData === nestedResolve) return undefined;
      const resolution = await build.resolve(library, { resolveDir, kind, importer, pluginData: nestedResolve });
      if (resolution.errors.length === 0) return resolution;
      return { path: findLibrary(), sideEffects: false };
    });
  },
};

/** Returns the options that bundle the script of a manifest into one module without dependencies. */
function buildOptions({ file, manifest }: FoundManifest, mode: 'production' | 'development'): BuildOptions {
  return {
    entryPoints: [path.resolve(path.dirname(file), manifest.script)],
    absWorkingDir: path.resolve(path.dirname(file)),
    bundle: true,
    write: false,
    platform: 'neutral',
    format: 'esm',
    target: 'es2022',
    mainFields: ['worker', 'browser', 'module', 'main'],
    conditions: ['worker', 'browser', mode],
    external: ['node:*', 'cloudflare:*'],
    // Scripts written for GitBook use this JSX runtime, and read the build mode from these names.
    jsx: 'automatic',
    jsxImportSource: '@gitbook/runtime',
    define: { 'process.env.NODE_ENV': JSON.stringify(mode), MODE: JSON.stringify(mode) },
    plugins: [ownLibrary],
    loader: { '.raw.js': 'text', '.raw.css': 'text' },
    minify: mode === 'production',
    sourcemap: mode === 'development' ? 'inline' : false,
    logLevel: 'silent',
  };
}

const loadBundler = () =>
  import('esbuild').catch(() => {
    throw new Failure('Scripts are built with esbuild, which is not installed. Run: npm install esbuild');
  });

/** Builds the script for production. @throws Failure if the script cannot be built */
export async function buildScript(foundManifest: FoundManifest): Promise<string> {
  const { build } = await loadBundler();
  const { outputFiles } = await build(buildOptions(foundManifest, 'production')).catch((error: unknown) => {
    throw isFailure(error) ? new Failure(`The script could not be built.\n${formatErrors(error.errors)}`) : error;
  });
  return outputFiles?.[0]?.text ?? '';
}

interface Builds {
  onBuilt(script: string): Promise<void>;
  onFailed(message: string): void;
}

/** Builds the script now and whenever one of its files changes. Returns a function that stops it. */
export async function watchScript(
  foundManifest: FoundManifest,
  { onBuilt, onFailed }: Builds,
): Promise<() => Promise<void>> {
  const { context } = await loadBundler();
  const reportBuild = async ({ errors, outputFiles }: BuildResult) => {
    if (errors.length > 0) onFailed(formatErrors(errors));
    else await onBuilt(outputFiles?.[0]?.text ?? '').catch((error: unknown) => onFailed(getMessage(error)));
  };
  const options = buildOptions(foundManifest, 'development');
  const onEnd: Plugin = { name: 'report-build', setup: (build) => build.onEnd(reportBuild) };
  const built = await context({ ...options, plugins: [...(options.plugins ?? []), onEnd] });
  await built.watch();
  return () => built.dispose();
}

const longestMilliseconds = 10_000;
const missingExport =
  'A script must export an object with a fetch function by default. Use defineIntegration to create it.';

/**
 * A program that loads a script from standard input and prints the kind of its default export. It prints "unknown" if
 * the script cannot be loaded outside of the platform.
 */
const probe = `
  let text = '';
  for await (const part of process.stdin.setEncoding('utf8')) text += part;
  const has = (value) => typeof (typeof value === 'function' ? value.prototype : value)?.fetch === 'function';
  const found = await import('data:text/javascript;base64,' + Buffer.from(text).toString('base64')).then(
    (module) => (!('default' in module) ? 'no default' : has(module.default) ? 'fetch' : 'no fetch'),
    () => 'unknown');
  process.stdout.write('\\n' + found, () => process.exit());`;

/** Runs the probe without access to files, child processes or environment variables: the script may be untrusted. */
const inspect = (script: string): Promise<string> =>
  new Promise((resolve) => {
    const args = ['--permission', '--no-warnings', '--input-type=module', '--eval', probe];
    const options = { env: {}, timeout: longestMilliseconds };
    const child = execFile(process.execPath, args, options, (error, stdout) =>
      resolve(error ? 'unknown' : (stdout.split('\n').at(-1) ?? '')),
    );
    // The process may exit before it has read everything.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(script);
  });

/** Checks that a script has the export that the platform calls. @throws Failure */
export async function requireFetch(script: string, file: string): Promise<void> {
  const exportKind = await inspect(script);
  if (exportKind === 'no default') throw new Failure(`The script ${file} has no default export. ${missingExport}`);
  if (exportKind === 'no fetch')
    throw new Failure(`The default export of the script ${file} has no fetch. ${missingExport}`);
}
