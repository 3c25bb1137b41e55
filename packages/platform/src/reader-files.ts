import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { bundleDiagrams, bundleSite, diagramsPage, type ReaderFile } from './bundle-reader.ts';
import { readFonts } from './reader-fonts.ts';

/** What the pages of sites load, by the names that are asked for: the names of files follow from what these hold. */
interface Listed {
  /** Tells this build of the software from others, where nothing else does. */
  build: string;
  files: Record<string, string>;
  icons: Record<string, string[]>;
}

const hashOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex').slice(0, 12);

/** Larger files take too long at the best quality, for a few percent. */
const largeBytes = 64 * 1024;

const pack = [
  [
    '.br',
    (bytes: Uint8Array) =>
      promisify(brotliCompress)(bytes, {
        params: { [constants.BROTLI_PARAM_QUALITY]: bytes.length > largeBytes ? 6 : 11 },
      }),
  ],
  ['.gz', (bytes: Uint8Array) => promisify(gzip)(bytes)],
] as const;

/** Keeps a file, and beside it compressed for who takes that. What is there already holds the same. */
async function keep(folder: string, { name, bytes }: ReaderFile): Promise<string[]> {
  const file = path.join(folder, name);
  const all = [name, ...pack.map(([ending]) => `${name}${ending}`)];
  if (existsSync(file)) return all;
  await mkdir(path.dirname(file), { recursive: true });
  for (const [ending, packed] of pack) await writeFile(`${file}${ending}`, await packed(bytes));
  await writeFile(file, bytes);
  return all;
}

/** A file under a name that follows from its bytes. */
function named({ name, bytes }: ReaderFile): ReaderFile {
  const { dir, name: stem, ext } = path.posix.parse(name);
  return { name: path.posix.join(dir, `${stem}.${hashOf(bytes)}${ext}`), bytes };
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

/** Removes what an earlier build has left. */
async function dropOthers(folder: string, kept: ReadonlySet<string>): Promise<void> {
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const name = path.relative(folder, path.join(entry.parentPath, entry.name)).split(path.sep).join('/');
    if (entry.isFile() && !kept.has(name) && !/^(?:icons|fonts)\//.test(name)) await rm(path.join(folder, name));
  }
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
    const own = named({ name: `fonts/${path.basename(stylesheet.name)}`, bytes: stylesheet.bytes });
    await keep(folder, own);
    files[path.basename(stylesheet.name)] = own.name;
    Object.assign(files, upright);
  }
  return files;
}

/** Makes the files that pages of sites load, and `files.json`, which lists them. */
export async function buildReaderFiles(folder: string, build: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const { script, parts } = await bundleDiagrams();
  const page = diagramsPage(named(script).name);
  const files: Record<string, string> = {};
  const kept = new Set(['files.json']);
  const client = { name: 'api-client.js', bytes: await readFile(apiReference) };
  for (const file of [...(await bundleSite()), client, script, page]) {
    const own = named(file);
    files[path.posix.basename(file.name)] = own.name;
    for (const name of await keep(folder, own)) kept.add(name);
  }
  for (const file of parts) for (const name of await keep(folder, file)) kept.add(name);
  Object.assign(files, await keepFonts(folder));
  const listed: Listed = { build, files, icons: await keepIcons(folder) };
  await writeFile(path.join(folder, 'files.json'), JSON.stringify(listed));
  await dropOthers(folder, kept);
}
