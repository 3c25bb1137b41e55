import { getTitle, readFrontmatter } from '@octavo/markdown';
import {
  getPageName,
  isMarkdown,
  nameToTitle,
  type RestyledEntry,
  type RestyledItem,
  restyleSummary,
  writeTarget,
} from '@octavo/outline';
import type { Present } from './present.ts';
import { getRelativePath } from './relative-path.ts';

/** The path and text of each page's file, by page ID. */
type Files = ReadonlyMap<string, { path: string; text: string }>;

/** The former summary, its folder, and the paths of all files that the summary may link to. */
interface Former {
  formerText: string;
  folder: string;
  paths: ReadonlySet<string>;
}

/**
 * Returns a summary from which an import creates the same tree. It is the former summary, changed only where the tree
 * differs.
 */
export function writeTreeSummary(
  pages: readonly Present[],
  files: Files,
  { formerText, folder, paths }: Former,
): string {
  const unlistedSet = findUnlistedPages(pages, files);
  const writer = new Writer(files, folder);
  const items = pages.filter((page) => !unlistedSet.has(page)).map((page) => writer.toItem(page));
  return restyleSummary(formerText, items, { folder, files: paths });
}

class Writer {
  readonly #files: Files;
  readonly #folder: string;

  constructor(files: Files, folder: string) {
    this.#files = files;
    this.#folder = folder;
  }

  toItem(page: Present): RestyledItem {
    const items = page.children.map((child) => this.#toEntry(child));
    return page.kind === 'group' ? { type: 'group', title: page.title, items } : this.#toEntry(page);
  }

  #toEntry(page: Present): RestyledEntry {
    const items = page.children.map((child) => this.#toEntry(child));
    const entry: RestyledEntry = { type: 'entry', title: page.title, marks: [], items };
    const linkedFile = this.#findLinkedFile(page);
    const file = linkedFile ?? this.#files.get(page.id);
    if (page.target && linkedFile === undefined) entry.destination = writeTarget(page.target);
    else if (file) entry.destination = encodePath(getRelativePath(`${this.#folder}/`, file.path)) + getTargetKey(page);
    const frontmatter = linkedFile === undefined && file ? readFrontmatter(file.text).values : {};
    if (page.kind === 'page') {
      if (frontmatter.hidden !== undefined || page.parent?.hidden === true) entry.hiddenIsElsewhere = true;
      else if (page.hidden) entry.marks.push('hidden');
    }
    if (linkedFile !== undefined) entry.marks.push('link');
    else if (frontmatter.title) entry.titleIsElsewhere = true;
    return entry;
  }

  #findLinkedFile({ target }: Present): { path: string; text: string } | undefined {
    if ((target?.kind !== 'page' && target?.kind !== 'anchor') || target.space !== undefined) return undefined;
    return this.#files.get(target.page);
  }
}

const getTargetKey = ({ target }: Present): string =>
  target?.kind === 'anchor' ? `#${target.anchor.replace(/[%\s\\\p{Cc}]/gu, encodeURIComponent)}` : '';

const encodePath = (path: string): string => path.replace(/[%#\s\\\p{Cc}]/gu, encodeURIComponent);

/**
 * Returns the hidden pages that an import would create for files that the summary does not list. They are at the end of
 * the tree, in path order.
 */
function findUnlistedPages(pages: readonly Present[], files: Files): Set<Present> {
  const unlistedPages = new Set<Present>();
  let next: string | undefined;
  for (const page of pages.toReversed()) {
    const file = files.get(page.id);
    if (!file || !page.hidden || page.children.length > 0 || !isMarkdown(file.path)) break;
    if (page.title !== deriveTitle(file) || (next !== undefined && file.path >= next)) break;
    unlistedPages.add(page);
    next = file.path;
  }
  return unlistedPages;
}

const deriveTitle = ({ path, text }: { path: string; text: string }): string =>
  readFrontmatter(text).values.title || getTitle(text) || nameToTitle(getPageName(path));
