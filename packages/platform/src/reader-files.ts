import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type BrotliOptions, brotliCompress, constants, gzip } from 'node:zlib';
import { readFonts } from './reader-fonts.ts';

const reader = fileURLToPath(new URL('../../reader/', import.meta.url));

/** What the pages of sites load, by the names that are asked for: the names of files follow from what these hold. */
interface Listed {
  /** Tells this build of the software from others, where nothing else does. */
  build: string;
  files: Record<string, string>;
  icons: Record<string, string[]>;
}

const hashOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex').slice(0, 12);

/** Above this, in bytes, packing as small as can be takes longer than it is worth. */
const largeBytes = 1024 * 1024;
const packLarge = { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } };
const packBrotli = promisify<Uint8Array, BrotliOptions, Uint8Array>(brotliCompress);

const pack: readonly [ending: string, by: (bytes: Uint8Array) => Promise<Uint8Array>][] = [
  ['.br', (bytes) => packBrotli(bytes, bytes.length > largeBytes ? packLarge : {})],
  ['.gz', promisify(gzip)],
];

/** Keeps a file under a name that follows from its bytes, beside it compressed for who takes that. */
async function keep(folder: string, name: string, bytes: Uint8Array): Promise<string> {
  const { name: stem, ext } = path.parse(name);
  const kept = `${stem}.${hashOf(bytes)}${ext}`;
  await writeFile(path.join(folder, kept), bytes);
  for (const [ending, packed] of pack) await writeFile(path.join(folder, `${kept}${ending}`), await packed(bytes));
  return kept;
}

/** The styles and behaviours of pages, minified. */
async function bundle(): Promise<[name: string, bytes: Uint8Array][]> {
  const { build } = await import('esbuild');
  const { outputFiles } = await build({
    entryPoints: {
      'site.css': path.join(reader, 'styles/site.css'),
      'site.js': path.join(reader, 'enhance/site.ts'),
      'test-page.js': path.join(reader, 'enhance/test-page.ts'),
    },
    entryNames: '[name]',
    outdir: reader,
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    target: ['es2023', 'chrome123', 'firefox121', 'safari17.5'],
  });
  return outputFiles.map(({ path: file, contents }) => [
    path.basename(file).replace(/\.(css|js)\.\1$/, '.$1'),
    contents,
  ]);
}

/** Icons as files that a page draws in its own colour, by `<use href="….svg#icon">`. */
async function keepIcons(folder: string): Promise<Record<string, string[]>> {
  const icons: Record<string, string[]> = {};
  const from = fileURLToPath(new URL('../node_modules/@fortawesome/fontawesome-free/svgs/', import.meta.url));
  for (const style of ['solid', 'regular', 'brands']) {
    await mkdir(path.join(folder, 'icons', style), { recursive: true });
    const names = (await readdir(path.join(from, style))).filter((name) => name.endsWith('.svg')).sort();
    for (const name of names) {
      const source = await readFile(path.join(from, style, name), 'utf8');
      await writeFile(
        path.join(folder, 'icons', style, name),
        source.replace('<svg ', '<svg id="icon" fill="currentColor" '),
      );
    }
    icons[style] = names.map((name) => name.slice(0, -4));
  }
  return icons;
}

/** The client on the pages where operations are tried, with all that it loads. */
export const apiReference = new URL(
  '../node_modules/@scalar/api-reference/dist/browser/standalone.js',
  import.meta.url,
);

/** Fonts, and the names that are asked for of their stylesheets and of what a page loads before these. */
async function keepFonts(folder: string): Promise<Record<string, string>> {
  const files: Record<string, string> = {};
  for (const { stylesheet, faces, upright } of await readFonts()) {
    for (const { name, bytes } of faces) {
      await mkdir(path.dirname(path.join(folder, name)), { recursive: true });
      await writeFile(path.join(folder, name), bytes);
    }
    files[path.basename(stylesheet.name)] =
      `fonts/${await keep(path.join(folder, 'fonts'), path.basename(stylesheet.name), stylesheet.bytes)}`;
    Object.assign(files, upright);
  }
  return files;
}

/** Makes the files that pages of sites load, and `files.json`, which lists them. */
export async function buildReaderFiles(folder: string, build: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const files: Record<string, string> = {};
  for (const [name, bytes] of await bundle()) files[name] = await keep(folder, name, bytes);
  files['api-client.js'] = await keep(folder, 'api-client.js', await readFile(apiReference));
  Object.assign(files, await keepFonts(folder));
  const listed: Listed = { build, files, icons: await keepIcons(folder) };
  await writeFile(path.join(folder, 'files.json'), JSON.stringify(listed));
}
