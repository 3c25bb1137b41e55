import path from 'node:path';
import { getTitle, readFrontmatter } from '@octavo/markdown';
import {
  isMarkdown,
  pageName,
  type RestyledEntry,
  type RestyledItem,
  restyleSummary,
  titleOfName,
  writeTarget,
} from '@octavo/outline';
import type { Present } from '../import/present.ts';

/** The path and text of each page's file, by page ID. */
type Files = ReadonlyMap<string, { path: string; text: string }>;

/** The former summary, its folder, and the paths of all files that it may link to. */
interface Former {
  former: string;
  folder: string;
  paths: ReadonlySet<string>;
}

/** Returns a summary that an import turns into the same tree: the former one, changed only where it differs. */
export function summaryOfTree(pages: readonly Present[], files: Files, { former, folder, paths }: Former): string {
  const unlisted = unlistedPages(pages, files);
  const writer = new Writer(files, folder);
  const items = pages.filter((page) => !unlisted.has(page)).map((page) => writer.itemOf(page));
  return restyleSummary(former, items, { folder, files: paths });
}

class Writer {
  readonly #files: Files;
  readonly #folder: string;

  constructor(files: Files, folder: string) {
    this.#files = files;
    this.#folder = folder;
  }

  itemOf(page: Present): RestyledItem {
    const items = page.children.map((child) => this.#entryOf(child));
    return page.kind === 'group' ? { type: 'group', title: page.title, items } : this.#entryOf(page);
  }

  #entryOf(page: Present): RestyledEntry {
    const items = page.children.map((child) => this.#entryOf(child));
    const entry: RestyledEntry = { type: 'entry', title: page.title, marks: [], items };
    const linked = this.#linkedFile(page);
    const file = linked ?? this.#files.get(page.id);
    if (page.target && linked === undefined) entry.destination = writeTarget(page.target);
    else if (file) entry.destination = encodePath(path.posix.relative(this.#folder, file.path)) + getTargetKey(page);
    const own = linked === undefined && file ? readFrontmatter(file.text).values : {};
    if (page.kind === 'page') {
      if (own.hidden !== undefined || page.parent?.hidden === true) entry.hiddenIsElsewhere = true;
      else if (page.hidden) entry.marks.push('hidden');
    }
    if (linked !== undefined) entry.marks.push('link');
    else if (own.title) entry.titleIsElsewhere = true;
    return entry;
  }

  #linkedFile({ target }: Present): { path: string; text: string } | undefined {
    if ((target?.kind !== 'page' && target?.kind !== 'anchor') || target.space !== undefined) return undefined;
    return this.#files.get(target.page);
  }
}

const getTargetKey = ({ target }: Present): string =>
  target?.kind === 'anchor' ? `#${target.anchor.replace(/[%\s\\\p{Cc}]/gu, encodeURIComponent)}` : '';

const encodePath = (path: string): string => path.replace(/[%#\s\\\p{Cc}]/gu, encodeURIComponent);

/**
 * Returns the trailing hidden pages that an import creates from files which the summary does not list, in path order.
 */
function unlistedPages(pages: readonly Present[], files: Files): Set<Present> {
  const unlisted = new Set<Present>();
  let next: string | undefined;
  for (const page of pages.toReversed()) {
    const file = files.get(page.id);
    if (!file || !page.hidden || page.children.length > 0 || !isMarkdown(file.path)) break;
    if (page.title !== deriveTitle(file) || (next !== undefined && file.path >= next)) break;
    unlisted.add(page);
    next = file.path;
  }
  return unlisted;
}

const deriveTitle = ({ path, text }: { path: string; text: string }): string =>
  readFrontmatter(text).values.title || getTitle(text) || titleOfName(pageName(path));
