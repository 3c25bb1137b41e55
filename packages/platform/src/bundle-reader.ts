import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { BuildOptions } from 'esbuild';

const reader = fileURLToPath(new URL('../../reader/', import.meta.url));

const shared = {
  ...{ outdir: reader, bundle: true, minify: true, write: false, format: 'esm', legalComments: 'none' },
  target: ['es2023', 'chrome123', 'firefox121', 'safari17.5'],
} satisfies BuildOptions;

/** A file that pages load. */
export interface ReaderFile {
  /** The path below the folder of these files. */
  name: string;
  bytes: Uint8Array;
}

const nameOf = (file: string): string => path.relative(reader, file).split(path.sep).join('/');

/** The styles and behaviours of pages, minified. */
export async function bundleSite(): Promise<ReaderFile[]> {
  const { build } = await import('esbuild');
  const { outputFiles } = await build({
    ...shared,
    entryPoints: {
      'site.css': path.join(reader, 'styles/site.css'),
      'site.js': path.join(reader, 'enhance/site.ts'),
      'test-page.js': path.join(reader, 'enhance/test-page.ts'),
    },
    entryNames: '[name]',
  });
  return outputFiles.map(({ path: file, contents }) => ({
    name: nameOf(file).replace(/\.(css|js)\.\1$/, '.$1'),
    bytes: contents,
  }));
}

const folder = 'diagrams';
const mermaid = fileURLToPath(new URL('../../reader/node_modules/mermaid/', import.meta.url));

/** The parts of Mermaid, of which a diagram loads those that its kind needs, in a folder with the version in its name. */
async function partsOfMermaid(parts: string): Promise<ReaderFile[]> {
  const dist = path.join(mermaid, 'dist');
  const chunks = await readdir(path.join(dist, 'chunks/mermaid.esm.min'));
  const names = ['mermaid.esm.min.mjs', ...chunks.map((name) => `chunks/mermaid.esm.min/${name}`)];
  const own = names.filter((name) => name.endsWith('.mjs'));
  return Promise.all(
    own.map(async (name) => ({ name: `${folder}/${parts}/${name}`, bytes: await readFile(path.join(dist, name)) })),
  );
}

/** What draws diagrams: the script of a page, and the parts that it loads. They are bundled and minified as they come. */
export async function bundleDiagrams(): Promise<{ script: ReaderFile; parts: ReaderFile[] }> {
  const { build } = await import('esbuild');
  const { version } = JSON.parse(await readFile(path.join(mermaid, 'package.json'), 'utf8')) as { version: string };
  const parts = `mermaid-${version}`;
  const { outputFiles } = await build({
    ...shared,
    entryPoints: { 'frame.js': path.join(reader, 'enhance/diagram/frame.ts') },
    entryNames: '[name]',
    plugins: [
      {
        name: 'mermaid',
        setup: ({ onResolve }) =>
          onResolve({ filter: /^mermaid\// }, ({ path: from }) => ({
            path: `./${parts}/${path.posix.basename(from)}`,
            external: true,
          })),
      },
    ],
  });
  const bytes = outputFiles[0]?.contents ?? new Uint8Array();
  return { script: { name: `${folder}/frame.js`, bytes }, parts: await partsOfMermaid(parts) };
}

/** The page that a script of this name runs in. */
export function diagramsPage(script: string): ReaderFile {
  const html = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Diagrams</title><body><script type="module" src="${path.posix.basename(script)}"></script>`;
  return { name: `${folder}/diagrams.html`, bytes: new TextEncoder().encode(html) };
}
