import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { link, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { BuildOptions } from 'esbuild';
import { type BuiltFile, browserTargets, bundleApp } from './app-files.ts';

/** A font file that pages load. */
interface FontFile {
  /** The path relative to the folder of these files. */
  name: string;
  bytes: Uint8Array;
}

interface FontPackage {
  version: string;
  id: string;
  family: string;
  weights: number[];
  /** The characters that each script of the font contains, as a CSS `unicode-range`. */
  ranges: Record<string, string>;
  /** The path of the source file. */
  from: string;
}

const modules = fileURLToPath(new URL('../node_modules/', import.meta.url));
const readJson = async <Value>(file: string): Promise<Value> => JSON.parse(await readFile(file, 'utf8')) as Value;

async function readPackage(folder: string): Promise<FontPackage> {
  const [{ version }, { id, family, weights }, ranges] = await Promise.all([
    readJson<{ version: string }>(`${folder}/package.json`),
    readJson<Pick<FontPackage, 'id' | 'family' | 'weights'>>(`${folder}/metadata.json`),
    readJson<Record<string, string>>(`${folder}/unicode.json`),
  ]);
  return { version, id, family, weights, ranges, from: `${folder}/files` };
}

/** The properties in a file name such as `roboto-latin-ext-wght-italic.woff2`. */
interface Face {
  file: string;
  script: string;
  weight: string;
  style: string;
}

function readFaces({ id, weights }: FontPackage, names: string[]): Face[] {
  return names.flatMap((file): Face[] => {
    const [, script, weight, style] =
      /^(.+)-(wght|400|700)-(normal|italic)\.woff2$/.exec(file.slice(id.length + 1)) ?? [];
    if (script === undefined || weight === undefined || style === undefined) return [];
    const span = weight === 'wght' ? `${Math.min(...weights)} ${Math.max(...weights)}` : weight;
    return [{ file, script, weight: span, style }];
  });
}

/** `font-display: optional` uses a font only if it loads in time, so that text does not move. */
const createFontRule = ({ family, id, version, ranges }: FontPackage, { file, script, weight, style }: Face): string =>
  `@font-face{font-family:"${family}";font-style:${style};font-weight:${weight};font-display:optional;` +
  `src:url("${id}-${version}/${file}") format("woff2");unicode-range:${ranges[script]}}`;

/** A font that sites can use. */
interface ReaderFont {
  stylesheet: FontFile;
  /** The files of the stylesheet, in a folder whose name contains the version. */
  faces: FontFile[];
  /**
   * For each script, the name of its upright font file, which most text and headings use. Pages request the file by
   * this name.
   */
  upright: Record<string, string>;
}

async function readFont(folder: string): Promise<ReaderFont> {
  const font = await readPackage(folder);
  const faces = readFaces(font, (await readdir(font.from)).sort()).filter(({ script }) => script in font.ranges);
  const getFaceName = ({ file }: Face) => `fonts/${font.id}-${font.version}/${file}`;
  const upright = faces.filter(({ style }) => style === 'normal');
  return {
    stylesheet: {
      name: `fonts/${font.id}.css`,
      bytes: new TextEncoder().encode(faces.map((face) => createFontRule(font, face)).join('\n')),
    },
    faces: await Promise.all(
      faces.map(async (face) => ({ name: getFaceName(face), bytes: await readFile(`${font.from}/${face.file}`) })),
    ),
    upright: Object.fromEntries(
      upright.map((face) => [
        `${font.id}-${face.script}${face.weight === '700' ? '-bold' : ''}.woff2`,
        getFaceName(face),
      ]),
    ),
  };
}

/** Reads the fonts that customizations can name, so that the platform can serve them itself. */
async function readFonts(): Promise<ReaderFont[]> {
  const scopes = ['@fontsource', '@fontsource-variable'];
  const folders = await Promise.all(
    scopes.map(async (scope) =>
      (await readdir(`${modules}${scope}`)).sort().map((name) => `${modules}${scope}/${name}`),
    ),
  );
  return Promise.all(folders.flat().map(readFont));
}

const reader = fileURLToPath(new URL('../../reader/', import.meta.url));

const shared = {
  ...{ outdir: reader, bundle: true, minify: true, write: false, format: 'esm', legalComments: 'none' },
  target: browserTargets,
} satisfies BuildOptions;

const getName = (file: string): string => path.relative(reader, file).split(path.sep).join('/');

/** Bundles and minifies the styles and scripts of pages. */
async function bundleSite(): Promise<BuiltFile[]> {
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
    name: getName(file).replace(/\.(css|js)\.\1$/, '.$1'),
    bytes: contents,
  }));
}

const folder = 'diagrams';
const mermaid = fileURLToPath(new URL('../../reader/node_modules/mermaid/', import.meta.url));

/**
 * Reads Mermaid's chunks. A diagram loads only the chunks for its own type. The name of their folder contains the
 * version.
 */
async function readMermaidParts(parts: string): Promise<BuiltFile[]> {
  const dist = path.join(mermaid, 'dist');
  const chunks = await readdir(path.join(dist, 'chunks/mermaid.esm.min'));
  const names = ['mermaid.esm.min.mjs', ...chunks.map((name) => `chunks/mermaid.esm.min/${name}`)];
  const partNames = names.filter((name) => name.endsWith('.mjs'));
  return Promise.all(
    partNames.map(async (name) => ({
      name: `${folder}/${parts}/${name}`,
      bytes: await readFile(path.join(dist, name)),
    })),
  );
}

/** Builds the diagram script and reads the parts that it loads, which are already bundled and minified. */
async function bundleDiagrams(): Promise<{ script: BuiltFile; parts: BuiltFile[] }> {
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
  return { script: { name: `${folder}/frame.js`, bytes }, parts: await readMermaidParts(parts) };
}

/** Returns the page in which the diagram script runs. */
function createDiagramsPage(script: string): BuiltFile {
  const html = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Diagrams</title><body><script type="module" src="${path.posix.basename(script)}"></script>`;
  return { name: `${folder}/diagrams.html`, bytes: new TextEncoder().encode(html) };
}

/** The files that pages of sites load, by name. File names contain a hash of the contents. */
interface FileList {
  files: Record<string, string>;
  icons: Record<string, string[]>;
  /** The scripts that every screen of the app needs. The first one starts the app. */
  appScripts: string[];
}

const hashBytes = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex').slice(0, 12);

/** Larger files take too long to compress at the best quality, which would save only a few percent. */
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

/**
 * Stores a file and its compressed forms. Existing files are not written again, because they have the same contents.
 */
async function storeFile(folder: string, { name, bytes }: BuiltFile): Promise<string> {
  const file = path.join(folder, name);
  if (existsSync(file)) return name;
  await mkdir(path.dirname(file), { recursive: true });
  for (const [ending, compress] of pack) await writeFile(`${file}${ending}`, await compress(bytes));
  await writeFile(file, bytes);
  return name;
}

/** Adds a hash of the contents to the name of a file. */
function addHashToName({ name, bytes }: BuiltFile): BuiltFile {
  const { dir, name: stem, ext } = path.posix.parse(name);
  return { name: path.posix.join(dir, `${stem}.${hashBytes(bytes)}${ext}`), bytes };
}

/** Stores icons as files that a page draws in its own color with `<use href="….svg#icon">`. */
async function storeIcons(folder: string): Promise<Record<string, string[]>> {
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

/** The names of all files except icons. Each contains a hash or a version. */
const namesFile = 'names.json';

/**
 * Deletes files of builds before the previous one. Pages that the previous build rendered still load its files
 * after an upgrade.
 */
export async function removeOldFiles(folder: string, names: string[]): Promise<void> {
  const previousNames = await readJson<string[]>(path.join(folder, namesFile)).catch(() => undefined);
  await writeFile(path.join(folder, namesFile), JSON.stringify(names));
  // A build of release 0.1.0 did not list its files.
  if (previousNames === undefined) return;
  const usedNames = new Set(['files.json', namesFile, ...names, ...previousNames]);
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const name = path.relative(folder, path.join(entry.parentPath, entry.name)).split(path.sep).join('/');
    const isKept = usedNames.has(name.replace(/\.(?:br|gz)$/, '')) || name.startsWith('icons/');
    if (entry.isFile() && !isKept) await rm(path.join(folder, name));
  }
}

/** The bundled API client for testing operations, including its dependencies. */
export const apiReference = new URL(
  '../node_modules/@scalar/api-reference/dist/browser/standalone.js',
  import.meta.url,
);

/**
 * Stores the fonts. Returns the names of all their files, and those of their stylesheets and of the files that pages
 * preload.
 */
async function storeFonts(folder: string): Promise<{ names: string[]; files: Record<string, string> }> {
  const files: Record<string, string> = {};
  const names: string[] = [];
  for (const { stylesheet, faces, upright } of await readFonts()) {
    for (const { name, bytes } of faces) {
      await mkdir(path.dirname(path.join(folder, name)), { recursive: true });
      await writeFile(path.join(folder, name), bytes);
      names.push(name);
    }
    const hashedFile = addHashToName({ name: `fonts/${path.basename(stylesheet.name)}`, bytes: stylesheet.bytes });
    names.push(await storeFile(folder, hashedFile));
    files[path.basename(stylesheet.name)] = hashedFile.name;
    Object.assign(files, upright);
  }
  return { names, files };
}

/**
 * Builds the files that pages of sites and the app load. `files.json` lists those that pages name, `names.json` lists
 * all.
 */
export async function buildReaderFiles(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const { script, parts } = await bundleDiagrams();
  const page = createDiagramsPage(addHashToName(script).name);
  const files: Record<string, string> = {};
  const fonts = await storeFonts(folder);
  const names = fonts.names;
  const client = { name: 'api-client.js', bytes: await readFile(apiReference) };
  for (const file of [...(await bundleSite()), client, script, page]) {
    const hashedFile = addHashToName(file);
    files[path.posix.basename(file.name)] = hashedFile.name;
    names.push(await storeFile(folder, hashedFile));
  }
  const app = await bundleApp();
  for (const file of [...parts, ...app.files]) names.push(await storeFile(folder, file));
  files['app.css'] = app.style;
  Object.assign(files, fonts.files);
  const fileList: FileList = { files, icons: await storeIcons(folder), appScripts: app.scripts };
  await writeFile(path.join(folder, 'files.json'), JSON.stringify(fileList));
  await removeOldFiles(folder, names);
}

/** The headers of static files on Cloudflare, equal to those that workers send. */
const staticHeaders = `/~/assets/*
  Cache-Control: public, max-age=31536000, immutable
  Vary: accept-encoding
  Access-Control-Allow-Origin: *
  X-Content-Type-Options: nosniff
  Referrer-Policy: no-referrer
`;

/**
 * Adds the files of `buildReaderFiles` to the static files of the gateway, below the path at which pages load them, so
 * that Cloudflare serves them without calling a worker. The headers of HTML depend on the host, so a worker serves it.
 * Cloudflare compresses files itself.
 */
export async function linkReaderFiles(folder: string, assets: string): Promise<void> {
  const served = path.join(assets, '~');
  await rm(served, { recursive: true, force: true });
  const names = await readJson<string[]>(path.join(folder, namesFile));
  const icons = (await readdir(path.join(folder, 'icons'), { recursive: true })).map((name) => `icons/${name}`);
  for (const name of [...names, ...icons].filter((each) => /\.(?:css|m?js|svg|woff2)$/.test(each))) {
    const file = path.join(served, 'assets', name);
    await mkdir(path.dirname(file), { recursive: true });
    await link(path.join(folder, name), file);
  }
  await writeFile(path.join(assets, '_headers'), staticHeaders);
}
