import { removeMarkdownEnding as withoutEnding } from '../candidates.ts';
import { getNumber, getTextAt, getValueAt } from '../data/read-data.ts';
import { parseNumberedName, readPageFields } from '../fields.ts';
import { isFolderPage, nameToSlug, nameToTitle } from '../frontmatter-fields.ts';
import { createPageItem, type Item, type LinkedItem, type PageItem } from '../items.ts';
import { getFolder, getName } from '../paths.ts';
import type { SourceReader } from '../reader.ts';

interface FolderRules {
  /** The folder that the tree is built from, with a trailing slash. Empty for the whole source. */
  root: string;
  /** The markdown files that are pages. */
  pages: string[];
  /** The page of the root folder, if its file name does not identify it. */
  readme?: string | undefined;
  /** Whether number prefixes define the order and are removed from slugs. If so, `a/a.md` is the page of folder `a`. */
  isNumbered?: boolean;
}

interface Folder {
  path: string;
  index: string | undefined;
  files: string[];
  folders: Map<string, Folder>;
}

/** A page or a folder with its sort keys. */
interface Entry {
  name: string;
  position: number | undefined;
  item: Item;
}

/**
 * Builds the tree of the folders. Entries with a number from frontmatter or a `_category_` file come first; the others
 * are sorted by name. A README, an index, or the file of the same name next to the folder is the folder's own page. The
 * root page comes first, followed by its siblings.
 */
export async function collectFolderItems(reader: SourceReader, rules: FolderRules): Promise<Item[]> {
  const root = createFolder(rules.root);
  for (const path of rules.pages) addFile(root, path, rules);
  if (rules.readme !== undefined && rules.readme !== root.index) {
    if (root.index !== undefined) root.files.push(root.index);
    root.index = rules.readme;
    root.files = root.files.filter((path) => path !== rules.readme);
  }
  const first = root.index === undefined ? [] : [(await getEntry(reader, { path: root.index, rules })).item];
  return [...first, ...(await getContent(reader, root, rules))];
}

const createFolder = (path: string): Folder => ({ path, index: undefined, files: [], folders: new Map() });

function addFile(root: Folder, path: string, { root: start, isNumbered = false }: FolderRules): void {
  let folder = root;
  for (const name of path.slice(start.length).split('/').slice(0, -1)) {
    const next = folder.folders.get(name) ?? createFolder(`${folder.path}${name}/`);
    folder.folders.set(name, next);
    folder = next;
  }
  if (!isPageOf(folder, path, isNumbered)) folder.files.push(path);
  else if (folder.index === undefined) folder.index = path;
  else if (isReadme(path) && !isReadme(folder.index)) {
    folder.files.push(folder.index);
    folder.index = path;
  } else folder.files.push(path);
}

const isReadme = (path: string): boolean => /^readme\./i.test(getName(path));

const isPageOf = ({ path: folder }: Folder, path: string, isNumbered: boolean): boolean => {
  if (isFolderPage(path)) return true;
  const [name, folderName] = [withoutEnding(getName(path)), getName(folder.slice(0, -1))];
  return isNumbered && folderName !== '' && parseNumberedName(name).rest === parseNumberedName(folderName).rest;
};

async function getContent(reader: SourceReader, folder: Folder, rules: FolderRules): Promise<Item[]> {
  const pagesByName = new Map(folder.files.map((path) => [withoutEnding(getName(path)), path]));
  for (const [name, inner] of folder.folders) {
    const path = pagesByName.get(name);
    if (inner.index === undefined && path !== undefined) inner.index = path;
  }
  const indexPaths = new Set([...folder.folders.values()].map(({ index }) => index));
  const entries: Entry[] = [];
  for (const path of folder.files) if (!indexPaths.has(path)) entries.push(await getEntry(reader, { path, rules }));
  for (const inner of folder.folders.values()) entries.push(await readFolderEntry(reader, inner, rules));
  const isOrdered = rules.isNumbered || entries.filter(({ name }) => hasNumber(name)).length > 1;
  for (const { item, name } of entries) if (isOrdered) removeNumber(item, name, rules);
  return entries.sort(compareEntries).map(({ item }) => item);
}

const byName = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });

const compareEntries = (a: Entry, b: Entry): number =>
  (a.position ?? Number.POSITIVE_INFINITY) - (b.position ?? Number.POSITIVE_INFINITY) ||
  byName.compare(a.name, b.name) ||
  (a.name < b.name ? -1 : 1);

const hasNumber = (name: string): boolean => parseNumberedName(name).number !== undefined;

/** Removes the number prefix from a title that comes from a file name. */
function removeNumber(item: Item, name: string, { isNumbered }: FolderRules): void {
  if (item.type === 'link' || !hasNumber(name)) return;
  const { rest } = parseNumberedName(name);
  if (item.type === 'page') item.fallbackTitle = nameToTitle(rest);
  else if (item.title === nameToTitle(name)) item.title = nameToTitle(rest);
  if (isNumbered) item.slug ??= nameToSlug(rest);
}

async function getEntry(
  reader: SourceReader,
  { path, rules }: { path: string; rules: FolderRules },
): Promise<Entry & { item: PageItem }> {
  const { position, label, isHidden, isDraft } = readPageFields(await reader.readFields(path));
  if (isDraft) reader.warn(path, 'The page is a draft and was imported as hidden.');
  const name = withoutEnding(getName(path));
  const item = createPageItem(path, {
    ...(label !== undefined && { title: label }),
    ...(isHidden && { hidden: true }),
  });
  return { name, item, position: position ?? (rules.isNumbered ? parseNumberedName(name).number : undefined) };
}

const categoryFiles = ['_category_.json', '_category_.yml', '_category_.yaml'];

/** Returns a folder as its own page, as the page that its category names, or as a group. */
async function readFolderEntry(reader: SourceReader, folder: Folder, rules: FolderRules): Promise<Entry> {
  const name = getName(folder.path.slice(0, -1));
  const file = categoryFiles.map((each) => `${folder.path}${each}`).find((each) => reader.files.has(each));
  const category = file === undefined ? undefined : await reader.readData(file);
  const page = getTextAt(category, 'link', 'id');
  const namedPage = page === undefined ? undefined : findPageById(reader, folder, page);
  if (namedPage !== undefined) folder.files = folder.files.filter((path) => path !== namedPage);
  const index = namedPage ?? (getValueAt(category, 'link') === null ? undefined : folder.index);
  if (index !== folder.index && folder.index !== undefined) folder.files.push(folder.index);
  const indexEntry = index === undefined ? undefined : await getEntry(reader, { path: index, rules });
  const label = getTextAt(category, 'label');
  const item: Exclude<Item, LinkedItem> = indexEntry?.item ?? {
    type: 'group',
    title: label ?? nameToTitle(name),
    slug: nameToSlug(rules.isNumbered ? parseNumberedName(name).rest : name),
    items: [],
  };
  if (label !== undefined) item.title = label;
  item.items = await getContent(reader, folder, rules);
  const number = rules.isNumbered ? parseNumberedName(name).number : undefined;
  return { name, item, position: getNumber(getValueAt(category, 'position')) ?? number ?? indexEntry?.position };
}

/** Returns the page that a category names by ID: a path from the root of the docs, or a name in the folder. */
const findPageById = (reader: SourceReader, folder: Folder, id: string): string | undefined =>
  folder.files.find((path) => {
    const name = withoutEnding(path);
    return reader.files.has(path) && (name.endsWith(`/${id}`) || name === id || getFolder(path) + id === name);
  });
