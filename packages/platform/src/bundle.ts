import { builtinModules } from 'node:module';
import path from 'node:path';
import { build, type Message, type Plugin } from 'esbuild';
import { PlatformError } from './platform-error.ts';
import { writeWhole } from './write-whole.ts';

const bareBuiltins = new RegExp(`^(${builtinModules.filter((name) => !name.startsWith('_')).join('|')})$`);
const bareOrNodeBuiltins = new RegExp(bareBuiltins.source.replace('^', '^(?:node:)?'));

/** The runtime has modules to import and no `require`: where a CommonJS library requires one, it gets what is imported. */
const required = 'required-builtin';

const runtimeModules: Plugin = {
  name: 'runtime-modules',
  setup(build) {
    build.onResolve({ filter: bareOrNodeBuiltins }, ({ path, kind }) =>
      kind === 'require-call' ? { path: path.replace(/^node:/, ''), namespace: required } : undefined,
    );
    build.onLoad({ filter: /./, namespace: required }, ({ path }) => ({
      contents: `import builtin from 'node:${path}'; module.exports = builtin;`,
    }));
    build.onResolve({ filter: /^(node|cloudflare):/ }, ({ path }) => ({ path, external: true }));
    build.onResolve({ filter: bareBuiltins }, ({ path }) => ({ path: `node:${path}`, external: true }));
  },
};

const describe = ({ text, location }: Message) =>
  location ? `${location.file}:${location.line}:${location.column + 1}: ${text}` : text;

/** The runtime gives a module no address of its own; pdfkit resolves one against it when it starts. */
const define = { 'import.meta.url': '"file:///worker.mjs"' };

/** Bundles one worker as the runtime takes it, one module and its source map beside it. */
export async function bundleWorker(name: string, main: string, outDir: string): Promise<string> {
  const file = path.join(outDir, `${name}.mjs`);
  try {
    const { outputFiles } = await build({
      entryPoints: [main],
      outfile: file,
      write: false,
      bundle: true,
      format: 'esm',
      target: 'es2024',
      minify: true,
      sourcemap: true,
      conditions: ['workerd', 'worker', 'browser'],
      define,
      plugins: [runtimeModules],
      logLevel: 'silent',
    });
    for (const output of outputFiles) await writeWhole(output.path, output.contents);
  } catch (error) {
    const messages = error instanceof Error && 'errors' in error ? (error.errors as Message[]) : [];
    if (messages.length === 0) throw error;
    throw new PlatformError(`The worker "${name}" does not build: ${messages.map(describe).join('\n  ')}`);
  }
  return path.basename(file);
}
