import { toAddressKey } from '../addresses.ts';
import { removeMarkdownEnding } from '../candidates.ts';
import { type DataValue, getTextAt, getValueAt, isObject } from '../data/read-data.ts';
import { createPageItem, getPaths, type Item } from '../items.ts';
import { getFolder, normalizePath, toDisplayName } from '../paths.ts';
import type { SourceReader } from '../reader.ts';
import type { Convention } from '../repository.ts';
import { collectFolderItems } from './folders.ts';
import { createPlainSite, type Layout } from './layout.ts';
import { getConfiguration } from './load-configuration.ts';
import { createOutputLocations } from './places.ts';
import { readSummaryItems } from './summary.ts';

/** The location of a book and the settings of its configuration. */
interface Book {
  name: Convention;
  /** The folder of the book's pages, with a trailing slash. */
  root: string;
  summary?: string | undefined;
  readme?: string | undefined;
  configuration?: DataValue;
  /** The path of the book's configuration file. */
  file?: string;
}

/** Reads GitBook, mdBook and other layouts that order their pages by a summary. Returns undefined if there is none. */
export async function readBook(reader: SourceReader): Promise<Layout | undefined> {
  const book = (await findGitbook(reader)) ?? (await findMdbook(reader)) ?? (await findSummary(reader));
  return book && getLayout(reader, book);
}

/** Reads a folder as a book of GitBook. `folder` has a trailing slash and may contain the book's configuration. */
export async function readBookIn(reader: SourceReader, folder: string): Promise<Layout> {
  const file = `${folder}.gitbook.yaml`;
  const configuration = await reader.readData(file);
  const book =
    configuration && getBook(reader, { name: 'gitbook', file, configuration, root: getTextAt(configuration, 'root') });
  return getLayout(reader, book ?? { name: 'gitbook', root: folder, summary: findSummaryPath(reader, folder) });
}

/** Reads a `.gitbook` folder without a configuration file. */
export async function readGitbookFolder(reader: SourceReader): Promise<Layout | undefined> {
  return hasOwnFolder(reader) ? getLayout(reader, { name: 'gitbook', root: '' }) : undefined;
}

/** Reads a summary in a docs folder, if nothing at the root defines the order. */
export async function readInnerSummary(reader: SourceReader): Promise<Layout | undefined> {
  const summary = getConfiguration(reader, 'SUMMARY\\.md');
  return summary === undefined ? undefined : getLayout(reader, { name: 'summary', root: getFolder(summary), summary });
}

async function getLayout(reader: SourceReader, book: Book): Promise<Layout> {
  const { root, summary } = book;
  const pages = reader.pages.filter((path) => path.startsWith(root) && !/(?:^|\/)\.gitbook\//.test(path));
  const items = await getItems(reader, book, pages);
  return {
    name: book.name,
    ...(summary !== undefined && { path: summary }),
    items,
    parts: [],
    redirects: getRedirects(book),
    site: createPlainSite(root, { base: getBasePath(book) }),
    ...(book.name === 'mdbook' && { addresses: { style: 'html', pages: getAddresses(book, getPaths(items)) } }),
    outputLocations: getOutputLocations(reader, book),
  };
}

/** Returns the addresses of an mdBook. The first page is also the home page. */
function getAddresses({ root }: Book, paths: string[]): Map<string, string> {
  const own = paths.map((path): [string, string] => [
    toAddressKey(removeMarkdownEnding(path.slice(root.length)).replace(/(^|\/)readme$/i, '$1index')),
    path,
  ]);
  const known = new Map(own);
  const [first] = paths;
  return first === undefined || known.has('') ? known : known.set('', first);
}

const getBasePath = ({ configuration }: Book): string =>
  `/${normalizePath(getTextAt(configuration, 'output', 'html', 'site-url') ?? '')}/`.replace('//', '/');

/**
 * Returns the locations of new files. A GitBook book has its `.gitbook` folder next to its pages, unless the repository
 * already has such a folder.
 */
function getOutputLocations({ source }: SourceReader, { name, root, summary }: Book): Layout['outputLocations'] {
  const [existingFolder] = source.paths
    .flatMap((path) => /^((?:.*\/)?\.gitbook\/)/.exec(path)?.[1] ?? [])
    .sort((one, other) => one.length - other.length);
  const folder = existingFolder ?? (name === 'gitbook' ? `${root}.gitbook/` : '.gitbook/');
  return createOutputLocations(root, {
    keptFolder: folder,
    ...(name === 'gitbook' && { files: `${folder}assets/` }),
    ...(summary !== undefined && { summary }),
  });
}

async function getItems(reader: SourceReader, { root, summary, readme }: Book, pages: string[]): Promise<Item[]> {
  if (summary === undefined) return collectFolderItems(reader, { root, pages, readme });
  const items = await readSummaryItems(reader, summary, pages);
  const first = items.find((item) => item.type === 'page' && item.path === readme && item.hidden);
  if (readme === undefined || first === undefined) return items;
  return [createPageItem(readme), ...items.filter((item) => item !== first)];
}

async function findGitbook(reader: SourceReader): Promise<Book | undefined> {
  const file = getConfiguration(reader, '\\.gitbook\\.ya?ml');
  const configuration = file === undefined ? undefined : await reader.readData(file);
  if (file === undefined || configuration === undefined) return findOldGitbook(reader);
  return getBook(reader, { name: 'gitbook', file, configuration, root: getTextAt(configuration, 'root') });
}

async function findOldGitbook(reader: SourceReader): Promise<Book | undefined> {
  const file = reader.files.has('book.json') ? 'book.json' : undefined;
  const configuration = file === undefined ? undefined : await reader.readData(file);
  if (file !== undefined && configuration !== undefined)
    return getBook(reader, { name: 'gitbook', file, configuration, root: getTextAt(configuration, 'root') });
  const summary = hasOwnFolder(reader) ? findSummaryPath(reader, '') : undefined;
  return summary === undefined ? undefined : { name: 'gitbook', root: '', summary };
}

const hasOwnFolder = ({ source }: SourceReader): boolean => source.paths.some((path) => /^\.gitbook\//.test(path));

async function findMdbook(reader: SourceReader): Promise<Book | undefined> {
  const file = getConfiguration(reader, 'book\\.toml');
  const configuration = file === undefined ? undefined : await reader.readData(file);
  if (file === undefined || configuration === undefined) return undefined;
  return getBook(reader, {
    name: 'mdbook',
    file,
    configuration,
    root: getTextAt(configuration, 'book', 'src') ?? 'src',
  });
}

async function findSummary(reader: SourceReader): Promise<Book | undefined> {
  // The source of a book can be in `src` even if its configuration file is missing.
  for (const root of ['', 'src/']) {
    const summary = findSummaryPath(reader, root);
    if (summary !== undefined) return { name: 'summary', root, summary };
  }
  return undefined;
}

interface FoundBook {
  name: Convention;
  file: string;
  configuration: DataValue;
  root: string | undefined;
}

function getBook(
  reader: SourceReader,
  { name, file, configuration, root: rootOption = '' }: FoundBook,
): Book | undefined {
  const inside = normalizePath(`${getFolder(file)}${rootOption}`);
  if (inside.startsWith('..')) {
    reader.warn(
      file,
      `The root ${JSON.stringify(toDisplayName(rootOption))} is outside the imported folder and was ignored.`,
    );
    return undefined;
  }
  const root = inside === '' ? '' : `${inside}/`;
  const getPath = (key: string): string | undefined => {
    const configuredPath = getTextAt(configuration, 'structure', key);
    const path = configuredPath === undefined ? undefined : normalizePath(`${root}${configuredPath}`);
    if (path === undefined || reader.files.has(path)) return path;
    reader.warn(file, `The file ${toDisplayName(path)} in structure.${key} does not exist.`);
    return undefined;
  };
  return {
    name,
    root,
    file,
    configuration,
    summary: getPath('summary') ?? findSummaryPath(reader, root),
    readme: getPath('readme'),
  };
}

/** Returns the summary of a folder. Some repositories write its name in lowercase. */
function findSummaryPath(reader: SourceReader, root: string): string | undefined {
  const exact = `${root}SUMMARY.md`;
  if (reader.files.has(exact)) return exact;
  return reader.pages.find((path) => path.startsWith(root) && /^summary\.md$/i.test(path.slice(root.length)));
}

function getRedirects({ root, file = '', configuration }: Book): Layout['redirects'] {
  const redirects = getValueAt(configuration, 'redirects') ?? getValueAt(configuration, 'output', 'html', 'redirect');
  if (!isObject(redirects)) return [];
  return Object.entries(redirects).flatMap(([source, target]) =>
    typeof target === 'string' ? [{ source: `/${source.replace(/^\/+/, '')}`, target, from: root, file }] : [],
  );
}
