import { cleanTitle } from '@octavo/markdown';
import type { LinkTarget } from '@octavo/schema';
import { candidatesAt } from '../candidates.ts';
import { type Item, type PageItem, pageItem, pathsOf } from '../items.ts';
import { parseSummary } from '../parse-summary.ts';
import { decodeAddress, folderOf, normalizePath } from '../paths.ts';
import type { SourceReader } from '../reader.ts';
import { readTarget, type SummaryEntry, type SummaryItem } from '../summary.ts';
import { firstTitle, isMarkdown, pageName, readText, titleOfName } from '../wanted.ts';

/**
 * The tree of a summary, and after it, hidden, the pages that it does not list.
 * @throws Error where the summary cannot be read.
 */
export async function summaryItems(reader: SourceReader, summary: string, pages: string[]): Promise<Item[]> {
  const { text } = await readText(reader.source, summary).catch((error: unknown) => {
    throw new Error(`${summary}: ${error instanceof Error ? error.message : String(error)}`);
  });
  const used = new Set<string>();
  const items = parseSummary(text).map((item) => itemOf(item, { reader, summary, used }));
  const listed = new Set([summary, ...pathsOf(items)]);
  return [...items, ...pages.filter((path) => !listed.has(path)).map((path) => pageItem(path, { hidden: true }))];
}

interface Listing {
  reader: SourceReader;
  summary: string;
  used: Set<string>;
}

function itemOf(item: SummaryItem, listing: Listing): Item {
  const own = ownItem(item, listing);
  return { ...own, items: item.items.map((each) => itemOf(each, listing)) };
}

function ownItem(item: SummaryItem, listing: Listing): Item {
  if (item.type === 'group') return { type: 'group', title: item.title, items: [] };
  const title = cleanTitle(item.title);
  const hidden = item.marks.includes('hidden');
  if (item.destination === undefined) return emptyPage(title, hidden);
  const target = readTarget(item.destination);
  if (target) return linkTo(target, firstTitle(title, item.destination));
  return localItem(item, item.destination, { title, hidden, listing });
}

const linkTo = (target: LinkTarget, title: string): Item => ({ type: 'link', title, target, items: [] });

const emptyPage = (title: string, hidden: boolean): PageItem => ({ type: 'page', title, hidden, items: [] });

function localItem(
  { marks }: SummaryEntry,
  destination: string,
  { title, hidden, listing }: { title: string; hidden: boolean; listing: Listing },
): Item {
  const path = fileAt(destination, listing);
  if (path === undefined) return missing(destination, title, listing);
  if (listing.used.has(path) || marks.includes('link')) {
    const target = { kind: 'file-of-page' as const, path };
    return { type: 'link', title: firstTitle(title, pageName(path)), target, items: [] };
  }
  listing.used.add(path);
  return pageItem(path, { hidden, ...(title !== '' && { title }) });
}

function missing(destination: string, title: string, { reader }: Listing): Item {
  const path = decodeAddress(destination);
  if (!isMarkdown(path)) return linkTo({ kind: 'url', url: destination }, firstTitle(title, destination));
  const message = 'The file that the summary lists does not exist.';
  reader.problems.push({ kind: 'failed', path: destination, message });
  return emptyPage(title || titleOfName(pageName(path)), false);
}

/** The file that a destination names, as it is written or percent-decoded; a folder stands for its README. */
function fileAt(destination: string, { reader, summary }: Listing): string | undefined {
  for (const written of [destination.replace(/#.*$/s, ''), destination]) {
    for (const candidate of [decodeAddress(written), written]) {
      const local = normalizePath(candidate.startsWith('/') ? candidate : `${folderOf(summary)}${candidate}`);
      const names = [...candidatesAt(local).files, normalizePath(`${local}/readme.md`)];
      const found = names.find((name) => reader.files.has(name));
      if (found !== undefined) return found;
    }
  }
  return undefined;
}
