import { cleanTitle, getTitle, readFrontmatter, slugify } from '@octavo/markdown';
import { type LinkTarget, maxDocumentBytes } from '@octavo/schema';
import { withoutMarkdownEnding } from './candidates.ts';

const maxSlugLength = 100;

const isIndex = (name: string): boolean => /^(?:readme|_?index)\.(?:mdx?|markdown)$/i.test(name);

/** Whether a file is the page of the folder that it is in. */
export const isFolderPage = (path: string): boolean => isIndex(path.split('/').at(-1) ?? '');

/** The name that a file gives its page: without its ending, and the folder's for a README, index or _index. */
export function pageName(path: string): string {
  const parts = path.split('/');
  const name = parts.pop() ?? path;
  return (isIndex(name) ? parts.at(-1) : undefined) ?? withoutMarkdownEnding(name);
}

/** A slug that keeps the letters of a file's name as they are. */
export function slugOfName(name: string): string {
  const slug = name.replace(/[\s/?#\p{Cc}]+/gu, '-').slice(0, maxSlugLength);
  return (slug.isWellFormed() ? slug : slug.slice(0, -1)) || 'page';
}

/** A title from the name of a file or a folder. */
export const titleOfName = (name: string): string => firstTitle(name.replace(/[-_]+/g, ' ').trim(), name);

/** The title that the first readable one of some texts makes: the server refuses a page with any other. */
export const firstTitle = (...texts: string[]): string =>
  texts.map(cleanTitle).find((title) => title !== '') ?? 'Untitled';

/** What the change that makes a new page says of it; a title that its text gives is left out. */
export function fieldsOfNew(wanted: WantedEntry): { title?: string; hidden?: boolean } {
  if (wanted.kind !== 'page') return { title: wanted.title };
  const derived = wanted.file && getTitle(wanted.file.text);
  const title = wanted.title ?? (derived === undefined ? wanted.fallbackTitle : undefined);
  return { ...(title !== undefined && { title }), ...(wanted.hidden && { hidden: true }) };
}

/** The slug that the frontmatter of a file gives its page, on every write. */
export function ownSlug(file: SourceFile | undefined): string | undefined {
  const own = file && readFrontmatter(file.text).values.slug;
  return own ? slugify(own) : undefined;
}

/** The files of a folder or an archive by their relative paths, with forward slashes. */
export interface OutlineSource {
  name: string;
  paths: string[];
  sizeOf: (path: string) => number;
  read: (path: string) => Promise<Uint8Array>;
  /** What else it holds and is not read: links, and what `isOrdinary` refuses. A folder has a slash at its end. */
  unread?: string[];
}

export interface SourceFile {
  path: string;
  text: string;
  bytes: Uint8Array;
}

export const isMarkdown = (path: string): boolean => withoutMarkdownEnding(path) !== path;

/** Hidden files and folders that documentation is kept in, or that say how it is ordered. */
const known = /^\.(?:gitbook|vitepress|vuepress|gitbook\.ya?ml|pages)$/;
const made = /^(?:cache|dist|theme|temp)$/;

/**
 * Whether a file or folder may belong to the docs, by its path: node_modules do not, nor hidden ones (.git), but for
 * those of generators that hold content or configuration, without what they make themselves.
 */
export const isOrdinary = (path: string): boolean => {
  const parts = path.split('/');
  return parts.every(
    (part, index) =>
      (!part.startsWith('.') || known.test(part)) &&
      part !== 'node_modules' &&
      !(made.test(part) && /^\.v/.test(parts[index - 1] ?? '')),
  );
};

/** The text of a file; a byte order mark at the start is kept. */
export async function readText(source: OutlineSource, path: string): Promise<SourceFile> {
  const size = source.sizeOf(path);
  if (size > maxDocumentBytes) throw new Error(`The file has ${size} bytes; a page may have ${maxDocumentBytes}.`);
  const bytes = await source.read(path);
  try {
    return { path, bytes, text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes) };
  } catch {
    throw new Error('The file is not valid UTF-8 text.');
  }
}

interface WantedBase {
  parent: WantedEntry | undefined;
  /** The sibling before it. */
  previous: WantedEntry | undefined;
  children: WantedEntry[];
}

/** A document page that the import wants; what is left out is not compared and not sent. */
export interface WantedPage extends WantedBase {
  kind: 'page';
  title?: string;
  /** The title of a new page whose text gives none. */
  fallbackTitle: string;
  slug: string;
  /** The path of its file, also where the file cannot be read. */
  path?: string;
  file?: SourceFile;
  hidden?: boolean;
}

interface WantedGroup extends WantedBase {
  kind: 'group';
  title: string;
  slug: string;
}

/** The page of a file, or a place of it. */
interface FileOfPage {
  kind: 'file-of-page';
  path: string;
  anchor?: string;
}

/** A link; one to a page names the page's file until the page's id is known. */
export interface WantedLink extends WantedBase {
  kind: 'link';
  title: string;
  target: LinkTarget | FileOfPage;
}

/** What a link to a page leads to, once the page's id is known. */
export const targetOfPage = (target: WantedLink['target'], page: string): LinkTarget =>
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
export function addWanted(roots: WantedEntry[], parent: WantedEntry | undefined, node: Unplaced): WantedEntry {
  const siblings = parent?.children ?? roots;
  const added: WantedEntry = { ...node, parent, previous: siblings.at(-1), children: [] };
  siblings.push(added);
  return added;
}

/** Every node, parents before children. */
export function* walkWanted(nodes: readonly WantedEntry[]): Generator<WantedEntry> {
  for (const node of nodes) {
    yield node;
    yield* walkWanted(node.children);
  }
}
