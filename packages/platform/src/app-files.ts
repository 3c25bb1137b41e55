import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Metafile, Plugin } from 'esbuild';

/** A file that browsers load. */
export interface BuiltFile {
  /** The path relative to the folder of these files. */
  name: string;
  bytes: Uint8Array;
}

/** The oldest browsers that pages support. */
export const browserTargets = ['es2023', 'chrome123', 'firefox121', 'safari17.5'];

const app = fileURLToPath(new URL('../../app/', import.meta.url));
const root = fileURLToPath(new URL('../../../', import.meta.url));

interface AppFiles {
  /** Their names contain a hash of their contents. */
  files: BuiltFile[];
  /** The name of the style sheet. */
  style: string;
  /** The names of the script that starts the app, and of all scripts that it imports statically. */
  scripts: string[];
}

type Output = Metafile['outputs'][string];

/** Returns a script and the scripts that it imports statically, in the order in which they are found. */
function findStaticImports(entry: string, outputs: Record<string, Output>): string[] {
  const found = new Set([entry]);
  for (const name of found)
    for (const { path: imported, kind } of outputs[name]?.imports ?? [])
      if (kind === 'import-statement') found.add(imported);
  return [...found];
}

/** Bundles the app. Each screen is a script of its own, which is loaded when it is first opened. */
export async function bundleApp(): Promise<AppFiles> {
  const { build } = await import('esbuild');
  const folder = path.join(root, 'build/files/reader');
  const bundle = (entryPoints: Record<string, string>, plugins: Plugin[] = []) =>
    build({
      absWorkingDir: root,
      entryPoints,
      plugins,
      outdir: folder,
      entryNames: 'app/[name].[hash]',
      chunkNames: 'app/[name].[hash]',
      ...{ bundle: true, splitting: true, minify: true, write: false, metafile: true, format: 'esm' },
      ...{ legalComments: 'none', target: browserTargets, jsx: 'automatic', jsxImportSource: 'preact' },
    });
  // The export script needs the schemas of the API. If it were built together with the app, scripts of other screens
  // would contain the schemas too.
  const exported = await bundle({ export: path.join(app, 'src/space/export-space.ts') });
  const [exportScript] = exported.outputFiles;
  const { outputFiles, metafile } = await bundle(
    { app: path.join(app, 'src/app.tsx'), style: path.join(app, 'styles/app.css') },
    [createRedirect(/\/export-space\.ts$/, `./${path.basename(exportScript?.path ?? '')}`)],
  );
  const toName = (output: string) => path.relative(folder, path.join(root, output)).split(path.sep).join('/');
  const findEntry = (ending: string) =>
    Object.keys(metafile.outputs).find((name) => metafile.outputs[name]?.entryPoint?.endsWith(ending)) ?? '';
  return {
    files: [...exported.outputFiles, ...outputFiles].map(({ path: file, contents }) => ({
      name: path.relative(folder, file).split(path.sep).join('/'),
      bytes: contents,
    })),
    style: toName(findEntry('app.css')),
    scripts: findStaticImports(findEntry('src/app.tsx'), metafile.outputs).map(toName),
  };
}

/** Creates a plugin that redirects imports of the modules that match `filter` to a script that is already built. */
const createRedirect = (filter: RegExp, script: string): Plugin => ({
  name: 'redirect',
  setup: ({ onResolve }) => onResolve({ filter }, () => ({ path: script, external: true })),
});
