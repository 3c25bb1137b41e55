import { cleanTitle, getTitle, readFrontmatter, slugify } from '@octavo/markdown';
import { type LinkTarget, maxDocumentBytes } from '@octavo/schema';
import { removeMarkdownEnding } from './candidates.ts';

const maxSlugLength = 100;

const isIndexFile = (name: string): boolean => /^(?:readme|_?index)\.(?:mdx?|markdown)$/i.test(name);

/** Whether a file is the page of its folder. */
export const isFolderPage = (path: string): boolean => isIndexFile(path.split('/').at(-1) ?? '');

/**
 * Returns the name of a page: the file name without its extension, or the folder's name for a README, index or _index.
 */
export function getPageName(path: string): string {
  const parts = path.split('/');
  const name = parts.pop() ?? path;
  return (isIndexFile(name) ? parts.at(-1) : undefined) ?? removeMarkdownEnding(name);
}

/** Returns a slug with the letters of the file name unchanged. */
export function nameToSlug(name: string): string {
  const slug = name.replace(/[\s/?#\p{Cc}]+/gu, '-').slice(0, maxSlugLength);
  return (slug.isWellFormed() ? slug : slug.slice(0, -1)) || 'page';
}

/** Returns a title from the name of a file or a folder. */
export const nameToTitle = (name: string): string => findFirstTitle(name.replace(/[-_]+/g, ' ').trim(), name);

/** Returns the first usable title. The server rejects pages with an unusable title. */
export const findFirstTitle = (...texts: string[]): string =>
  texts.map(cleanTitle).find((title) => title !== '') ?? 'Untitled';

/** Returns the fields of the change that creates a page. A title that is in the text is omitted. */
export function getNewFields(entry: WantedEntry): { title?: string; hidden?: boolean } {
  if (entry.kind !== 'page') return { title: entry.title };
  const derived = entry.file && getTitle(entry.file.text);
  const title = entry.title ?? (derived === undefined ? entry.fallbackTitle : undefined);
  return { ...(title !== undefined && { title }), ...(entry.hidden && { hidden: true }) };
}

/** Returns the slug in the frontmatter of a file. */
export function getOwnSlug(file: SourceFile | undefined): string | undefined {
  const frontmatterSlug = file && readFrontmatter(file.text).values.slug;
  return frontmatterSlug ? slugify(frontmatterSlug) : undefined;
}

/** The files of a folder or an archive by relative path, with forward slashes. */
export interface OutlineSource {
  name: string;
  paths: string[];
  getSize: (path: string) => number;
  read: (path: string) => Promise<Uint8Array>;
  /** Entries that are not read: links, and paths that `isDocsPath` excludes. Folders have a trailing slash. */
  unreadablePaths?: string[];
}

export interface SourceFile {
  path: string;
  text: string;
  bytes: Uint8Array;
}

export const isMarkdown = (path: string): boolean => removeMarkdownEnding(path) !== path;

/** Hidden files and folders that contain documentation or define its order. */
const configurationNames = /^\.(?:gitbook|vitepress|vuepress|gitbook\.ya?ml|pages)$/;
const generatedNames = /^(?:cache|dist|theme|temp)$/;

/**
 * Whether a file or folder may belong to the docs. Excludes node_modules, hidden paths such as `.git`, and the build
 * output of generators, but not their hidden content and configuration folders.
 */
export const isDocsPath = (path: string): boolean => {
  const parts = path.split('/');
  return parts.every(
    (part, index) =>
      (!part.startsWith('.') || configurationNames.test(part)) &&
      part !== 'node_modules' &&
      !(generatedNames.test(part) && /^\.v/.test(parts[index - 1] ?? '')),
  );
};

/** Returns the text of a file. A byte order mark is preserved. */
export async function readText(source: OutlineSource, path: string): Promise<SourceFile> {
  const size = source.getSize(path);
  if (size > maxDocumentBytes)
    throw new Error(`The file has ${size} bytes. A page can have at most ${maxDocumentBytes} bytes.`);
  const bytes = await source.read(path);
  try {
    return { path, bytes, text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes) };
  } catch {
    throw new Error('The file is not valid UTF-8.');
  }
}

interface WantedBase {
  parent: WantedEntry | undefined;
  /** The previous sibling. */
  previous: WantedEntry | undefined;
  children: WantedEntry[];
}

/** A document page to import. Omitted fields are neither compared nor sent. */
export interface WantedPage extends WantedBase {
  kind: 'page';
  title?: string;
  /** The title of a new page if its text has none. */
  fallbackTitle: string;
  slug: string;
  /** The path of its file, even if the file cannot be read. */
  path?: string;
  file?: SourceFile;
  hidden?: boolean;
}

interface WantedGroup extends WantedBase {
  kind: 'group';
  title: string;
  slug: string;
}

/** The page of a file, or an anchor in it. */
interface FileOfPage {
  kind: 'file-of-page';
  path: string;
  anchor?: string;
}

/** A link. A link to a page names the page's file until the page's ID is known. */
export interface WantedLink extends WantedBase {
  kind: 'link';
  title: string;
  target: LinkTarget | FileOfPage;
}

/** Returns the target of a link to a page once the page's ID is known. */
export const toPageTarget = (target: WantedLink['target'], page: string): LinkTarget =>
  target.kind === 'file-of-page' && target.anchor !== undefined
    ? { kind: 'anchor', anchor: target.anchor, page }
    : { kind: 'page', page };

export type WantedEntry = WantedPage | WantedGroup | WantedLink;
export type Unplaced<W extends WantedEntry = WantedEntry> = W extends WantedEntry ? Omit<W, keyof WantedBase> : never;

export interface Problem {
  path: string;
  message: string;
}

/** Adds a node as the last child of a parent, or of the root. */
export function addOutlineEntry(roots: WantedEntry[], parent: WantedEntry | undefined, node: Unplaced): WantedEntry {
  const siblings = parent?.children ?? roots;
  const added: WantedEntry = { ...node, parent, previous: siblings.at(-1), children: [] };
  siblings.push(added);
  return added;
}

/** Yields every node, parents before children. */
export function* walkOutlineEntries(nodes: readonly WantedEntry[]): Generator<WantedEntry> {
  for (const node of nodes) {
    yield node;
    yield* walkOutlineEntries(node.children);
  }
}
