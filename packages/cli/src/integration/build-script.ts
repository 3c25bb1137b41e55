import { createRequire } from 'node:module';
import path from 'node:path';
import type { BuildOptions, Message, Plugin } from 'esbuild';
import { Failure } from '../failure.ts';
import type { FoundManifest } from './read-manifest.ts';

const isFailure = (error: unknown): error is { errors: Message[] } =>
  error instanceof Error && 'errors' in error && Array.isArray(error.errors);

/** What is wrong with a script, one line each. */
export const tellErrors = (errors: Message[]): string =>
  errors
    .map(
      ({ location, text }) => `${location ? `${location.file}:${location.line}:${location.column + 1}: ` : ''}${text}`,
    )
    .join('\n');

const library = '@octavo/integration';
const asked = Symbol('asked for where the script is');

/** A project that has not installed the library gets the one that comes with the command. */
const ownLibrary: Plugin = {
  name: 'library',
  setup(build) {
    build.onResolve({ filter: new RegExp(`^${library}$`) }, async ({ resolveDir, kind, importer, pluginData }) => {
      if (pluginData === asked) return undefined;
      const found = await build.resolve(library, { resolveDir, kind, importer, pluginData: asked });
      if (found.errors.length === 0) return found;
      return { path: createRequire(import.meta.url).resolve(library), sideEffects: false };
    });
  },
};

/** How the script of a manifest is made one module that needs nothing else. */
export function buildOptions({ file, manifest }: FoundManifest, mode: 'production' | 'development'): BuildOptions {
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
    // Who comes from the other platform draws components so, and asks for the mode.
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

/** Makes the script. @throws Failure */
export async function buildScript(found: FoundManifest): Promise<string> {
  const { build } = await import('esbuild');
  const { outputFiles } = await build(buildOptions(found, 'production')).catch((error: unknown) => {
    throw isFailure(error) ? new Failure(`The script cannot be built.\n${tellErrors(error.errors)}`) : error;
  });
  return outputFiles?.[0]?.text ?? '';
}
