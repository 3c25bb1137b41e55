import { readFrontmatter, titleOf } from '@octavo/markdown';
import { isMarkdown, pageName, type SummaryEntry, type SummaryItem, titleOfName, writeTarget } from '@octavo/outline';
import type { Present } from '../import/present.ts';

/** A page's file and its text, by the page's id. */
export type Files = ReadonlyMap<string, { path: string; text: string }>;

/** The summary that an import turns into the same tree. */
export function summaryOfTree(pages: readonly Present[], files: Files): SummaryItem[] {
  const unlisted = unlistedPages(pages, files);
  const entryOf = (page: Present): SummaryEntry => {
    const items = page.children.map(entryOf);
    const entry: SummaryEntry = { type: 'entry', title: page.title, marks: [], items };
    const destination = destinationOf(page, files);
    if (destination !== undefined) entry.destination = destination;
    if (page.kind === 'page' && page.hidden) entry.marks.push('hidden');
    if (linkedFile(page, files) !== undefined) entry.marks.push('link');
    return entry;
  };
  return pages
    .filter((page) => !unlisted.has(page))
    .map((page) =>
      page.kind === 'group' ? { type: 'group', title: page.title, items: page.children.map(entryOf) } : entryOf(page),
    );
}

function destinationOf(page: Present, files: Files): string | undefined {
  if (page.target) return linkedFile(page, files) ?? writeTarget(page.target);
  const file = files.get(page.id);
  return file && encodePath(file.path);
}

function linkedFile({ target }: Present, files: Files): string | undefined {
  const file = target?.kind === 'page' && target.space === undefined ? files.get(target.page) : undefined;
  return file && encodePath(file.path);
}

const encodePath = (path: string): string => path.replace(/[%#\s\\\p{Cc}]/gu, encodeURIComponent);

/** The hidden pages at the end that an import makes of files which the summary does not list, in its order. */
function unlistedPages(pages: readonly Present[], files: Files): Set<Present> {
  const unlisted = new Set<Present>();
  let next: string | undefined;
  for (const page of pages.toReversed()) {
    const file = files.get(page.id);
    if (!file || !page.hidden || page.children.length > 0 || !isMarkdown(file.path)) break;
    if (page.title !== derivedTitle(file) || (next !== undefined && file.path >= next)) break;
    unlisted.add(page);
    next = file.path;
  }
  return unlisted;
}

const derivedTitle = ({ path, text }: { path: string; text: string }): string =>
  readFrontmatter(text).values.title || titleOf(text) || titleOfName(pageName(path));
