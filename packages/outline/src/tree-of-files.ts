import { parseSummary } from './parse-summary.ts';
import { treeOfSummary } from './tree-of-summary.ts';
import {
  addWanted,
  isFolderPage,
  isMarkdown,
  type OutlineSource,
  pageName,
  readText,
  slugOfName,
  titleOfName,
  type Unplaced,
  type WantedEntry,
  type WantedTree,
} from './wanted.ts';

/** The tree of pages that the files of a folder ask for: by its SUMMARY.md, else as the folders nest. */
export async function treeOfFiles(source: OutlineSource): Promise<WantedTree & { summary?: string }> {
  const summary =
    source.paths.find((path) => path === 'SUMMARY.md') ?? source.paths.find((path) => /^summary\.md$/i.test(path));
  if (summary === undefined) return treeOfFolders(source);
  const { text } = await readText(source, summary).catch((error: unknown) => {
    throw new Error(`${summary}: ${error instanceof Error ? error.message : String(error)}`);
  });
  return { ...(await treeOfSummary(parseSummary(text), source, summary)), summary };
}

interface Folder {
  name: string;
  index: string | undefined;
  files: string[];
  folders: Map<string, Folder>;
}

const byName = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });
const inOrder = (a: string, b: string): number => byName.compare(a, b) || (a < b ? -1 : 1);

/** The tree of a folder without a summary: folders nest, names order, a README or index is its folder's own page. */
async function treeOfFolders(source: OutlineSource): Promise<WantedTree> {
  const root = newFolder('');
  for (const path of source.paths.filter(isMarkdown).sort()) addFile(root, path);
  const tree: WantedTree = { roots: [], failed: [] };
  const rest = root.index === undefined ? [] : [root.index];
  for (const path of rest) addWanted(tree.roots, undefined, await pageOf(source, path, tree));
  await addContent(tree, undefined, { folder: root, source });
  return tree;
}

const newFolder = (name: string): Folder => ({ name, index: undefined, files: [], folders: new Map() });

function addFile(root: Folder, path: string): void {
  let folder = root;
  for (const name of path.split('/').slice(0, -1)) {
    const next = folder.folders.get(name) ?? newFolder(name);
    folder.folders.set(name, next);
    folder = next;
  }
  if (!isFolderPage(path)) folder.files.push(path);
  else if (folder.index === undefined) folder.index = path;
  else if (/readme/i.test(pathName(path)) && !/readme/i.test(pathName(folder.index))) {
    folder.files.push(folder.index);
    folder.index = path;
  } else folder.files.push(path);
}

const pathName = (path: string): string => path.split('/').at(-1) ?? path;

async function addContent(
  tree: WantedTree,
  parent: WantedEntry | undefined,
  { folder, source }: { folder: Folder; source: OutlineSource },
): Promise<void> {
  const entries = [
    ...folder.files.map((path) => ({ name: pathName(path).replace(/\.\w+$/, ''), path, folder: undefined })),
    ...[...folder.folders.values()].map((each) => ({ name: each.name, path: each.index, folder: each })),
  ].sort((a, b) => inOrder(a.name, b.name));
  for (const entry of entries) {
    const page = entry.path === undefined ? emptyPage(entry.name) : await pageOf(source, entry.path, tree);
    const added = addWanted(tree.roots, parent, page);
    if (entry.folder) await addContent(tree, added, { folder: entry.folder, source });
  }
}

const emptyPage = (name: string): Unplaced => {
  const title = titleOfName(name);
  return { kind: 'page', title, fallbackTitle: title, slug: slugOfName(name) };
};

async function pageOf(source: OutlineSource, path: string, tree: WantedTree): Promise<Unplaced> {
  const name = pageName(path);
  const page = { kind: 'page' as const, path, slug: slugOfName(name), fallbackTitle: titleOfName(name) };
  try {
    return { ...page, file: await readText(source, path) };
  } catch (error) {
    tree.failed.push({ path, message: String(error instanceof Error ? error.message : error) });
    return page;
  }
}
