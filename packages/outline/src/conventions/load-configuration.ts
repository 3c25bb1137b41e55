import { LinkTarget } from '@octavo/schema';
import { getObject, getTextAt, getValueAt, readTexts } from '../data/read-data.ts';
import { createPageItem, getPaths, type Item, type LinkedItem, type PageItem } from '../items.ts';
import { getName, normalizePath, toDisplayName } from '../paths.ts';
import type { SourceReader } from '../reader.ts';

const deepest = 3;
const maxConfigurations = 50;
const usual = /^(?:website|site|www|docs?|documentation)\/$/;

/**
 * Returns the configuration file that is nearest to the root: at the root, in a folder named like a docs folder, or in
 * the folder with most pages, so that an example in a subfolder does not decide for the repository. Earlier names take
 * precedence. If sibling folders have a file of the same name, none is used and a warning is reported.
 * @param fits Whether a file, in a folder with a trailing slash, belongs to the convention.
 */
export function getConfiguration(
  reader: SourceReader,
  names: string | string[],
  isFitting: (path: string, root: string) => boolean = () => true,
): string | undefined {
  const patterns = [names].flat().map((name) => new RegExp(`^((?:[^/]+/){0,${deepest - 1}}?)(?:${name})$`));
  const candidates = reader.source.paths.flatMap((path) => {
    const rank = patterns.findIndex((pattern) => pattern.test(path));
    const [, root] = patterns[rank]?.exec(path) ?? [];
    return root === undefined || !isFitting(path, root) ? [] : [{ path, root, order: [root.split('/').length, rank] }];
  });
  const configurations = candidates.slice(0, maxConfigurations).filter(({ root }) => mayHoldDocs(reader, root));
  const [first, ...others] = configurations.sort(
    ({ order: [depth = 0, rank = 0] }, { order: [other = 0, last = 0] }) => depth - other || rank - last,
  );
  const otherRoots = others.filter(({ root, order }) => root !== first?.root && String(order) === String(first?.order));
  if (first === undefined || otherRoots.length === 0) return first?.path;
  const all = [first, ...otherRoots].slice(0, 5).map(({ path }) => path);
  reader.warn(
    first.path,
    `There are several configuration files (${all.join(', ')}), so all were ignored. Import one of the folders ` +
      'separately.',
  );
  return undefined;
}

function mayHoldDocs({ pages }: SourceReader, root: string): boolean {
  if (root === '' || usual.test(root)) return true;
  return pages.filter((path) => path.startsWith(root)).length * 2 >= pages.length;
}

/** Returns a link item, or nothing if the address has an unsafe scheme. */
export function createLinkItem(address: string, title: string | undefined): LinkedItem[] {
  const target = LinkTarget.safeParse({ kind: 'url', url: address });
  return target.success && address !== ''
    ? [{ type: 'link', title: title ?? address, target: target.data, items: [] }]
    : [];
}

interface MissingEntry {
  title: string | undefined;
  /** The file or address that the entry names. */
  target: string;
  /** Whether the entry contains other entries. */
  isGroup?: boolean;
}

/** Reports an entry of an outline whose page does not exist. No empty page is created for it. */
export function warnAboutMissingFile(
  { reader, file }: { reader: SourceReader; file: string },
  { title, target, isGroup = false }: MissingEntry,
): void {
  const entry =
    title === undefined || title === '' || title === target ? 'An entry' : `The entry ${toDisplayName(title)}`;
  const result = isGroup ? 'It was imported as a group.' : 'It was left out.';
  reader.warn(file, `${entry} names ${toDisplayName(target)}, which does not exist. ${result}`);
}

/** Whether a file is a partial, not a page: its name, or a folder below `root`, starts with an underscore. */
export const isPart = (path: string, root: string): boolean =>
  path
    .slice(root.length)
    .split('/')
    .some((part) => part.startsWith('_') && !/^_index\./i.test(part));

const maxAliases = 50;

/** Returns the path aliases of TypeScript, such as `@assets/*`, of a folder with a trailing slash. */
export async function readPathAliases(reader: SourceReader, root: string): Promise<[string, string][]> {
  const options = getValueAt(await reader.readData(`${root}tsconfig.json`), 'compilerOptions');
  const base = normalizePath(`${root}${getTextAt(options, 'baseUrl') ?? ''}`);
  const paths = Object.entries(getObject(getValueAt(options, 'paths'))).slice(0, maxAliases);
  return paths.flatMap(([alias, targets]): [string, string][] => {
    const [target] = readTexts(targets);
    if (target === undefined || !alias.endsWith('/*') || !target.endsWith('*')) return [];
    const folder = normalizePath(`${base}/${target.slice(0, -1)}`);
    return [[alias.slice(0, -1), folder === '' ? '' : `${folder}/`]];
  });
}

const isHome = (path: string): boolean => /^(?:index|readme|_index)\.\w+$/i.test(getName(path));

/** Returns the pages that a tree does not list, as hidden pages. */
export function findUnlisted(pages: readonly string[], items: readonly Item[]): PageItem[] {
  const listedPaths = new Set(getPaths(items));
  return pages.filter((path) => !listedPaths.has(path)).map((path) => createPageItem(path, { hidden: true }));
}

/** Adds the unlisted pages of a folder to a tree: the folder's own page first, the others last and hidden. */
export function addUnlisted(items: Item[], pages: readonly string[], root: string): Item[] {
  const rest = findUnlisted(pages, items);
  const home = rest.find(({ path = '' }) => path.slice(root.length) === getName(path) && isHome(path));
  if (home === undefined) return [...items, ...rest];
  const { hidden: _, ...visibleHome } = home;
  return [visibleHome, ...items, ...rest.filter((item) => item !== home)];
}
