import { cleanTitle } from '@octavo/markdown';
import type { LinkTarget } from '@octavo/schema';
import { getCandidates } from '../candidates.ts';
import { findFirstTitle, getPageName, isMarkdown, readText } from '../frontmatter-fields.ts';
import { createPageItem, getPaths, type Item, type PageItem } from '../items.ts';
import { parseSummary } from '../parse-summary.ts';
import { decodeAddress, getFolder, normalizePath, toDisplayName } from '../paths.ts';
import type { SourceReader } from '../reader.ts';
import { getAnchor, readTarget, type SummaryEntry, type SummaryItem } from '../summary.ts';
import { walkItems } from '../summary-writer.ts';
import { warnAboutMissingFile } from './load-configuration.ts';

/**
 * Returns the tree of a summary, followed by the unlisted pages as hidden pages.
 * @throws Error if the summary cannot be read.
 */
export async function readSummaryItems(reader: SourceReader, summary: string, pages: string[]): Promise<Item[]> {
  const { text } = await readText(reader.source, summary).catch((error: unknown) => {
    throw new Error(`${summary}: ${error instanceof Error ? error.message : String(error)}`);
  });
  const entries = parseSummary(text);
  const listing: Listing = { reader, file: summary, used: new Set(), wholeFiles: new Set() };
  for (const item of walkItems(entries)) {
    if (item.type !== 'entry' || item.destination === undefined || item.marks.includes('link')) continue;
    const { path, isFragment } = findFile(item.destination, listing) ?? {};
    if (path !== undefined && !isFragment) listing.wholeFiles.add(path);
  }
  const items = entries.flatMap((item) => getItems(item, listing));
  const listedPaths = new Set([summary, ...getPaths(items)]);
  return [
    ...items,
    ...pages.filter((path) => !listedPaths.has(path)).map((path) => createPageItem(path, { hidden: true })),
  ];
}

/** Whether an entry of a summary names one of the files. */
export const namesAny = (text: string, { file, files }: { file: string; files: ReadonlySet<string> }): boolean =>
  [...walkItems(parseSummary(text))].some(
    (item) =>
      item.type === 'entry' &&
      item.destination !== undefined &&
      findFile(item.destination, { reader: { files }, file }) !== undefined,
  );

interface Listing {
  reader: SourceReader;
  /** The path of the summary. */
  file: string;
  used: Set<string>;
  /**
   * Files that at least one entry names without an anchor. An entry that names such a file with an anchor is a link to
   * its page.
   */
  wholeFiles: Set<string>;
}

/**
 * Returns the item of an entry. An entry whose file is missing is a group if it has children, and left out otherwise.
 */
function getItems(item: SummaryItem, listing: Listing): Item[] {
  const own = toItem(item, listing);
  const items = item.items.flatMap((entry) => getItems(entry, listing));
  if (own !== undefined) return [{ ...own, items }];
  const { title } = item;
  warnAboutMissingFile(listing, { title, target: getDestination(item), isGroup: items.length > 0 });
  return items.length === 0 ? [] : [{ type: 'group', title: cleanTitle(title), items }];
}

const getDestination = (item: SummaryItem): string => (item.type === 'entry' ? item.destination : undefined) ?? '';

function toItem(item: SummaryItem, listing: Listing): Item | undefined {
  if (item.type === 'group') return { type: 'group', title: item.title, items: [] };
  const title = cleanTitle(item.title);
  const hidden = item.marks.includes('hidden');
  if (item.destination === undefined) return createEmptyPage(title, hidden);
  const target = readTarget(item.destination);
  if (target) return createLinkItem(target, findFirstTitle(title, item.destination));
  return toLocalItem(item, item.destination, { title, hidden, listing });
}

const createLinkItem = (target: LinkTarget, title: string): Item => ({ type: 'link', title, target, items: [] });

const createEmptyPage = (title: string, hidden: boolean): PageItem => ({ type: 'page', title, hidden, items: [] });

function toLocalItem(
  { marks }: SummaryEntry,
  destination: string,
  { title, hidden, listing }: { title: string; hidden: boolean; listing: Listing },
): Item | undefined {
  const file = findFile(destination, listing);
  if (file === undefined) return toMissingItem(destination, title, listing);
  const { path, isFragment } = file;
  if (isAttachment(path)) {
    listing.reader.attachmentPaths.add(path);
    return createLinkItem({ kind: 'url', url: destination }, findFirstTitle(title, getPageName(path)));
  }
  if (listing.used.has(path) || marks.includes('link') || (isFragment && listing.wholeFiles.has(path))) {
    const anchor = isFragment ? getAnchor(destination) : undefined;
    const target = { kind: 'file-of-page' as const, path, ...(anchor !== undefined && { anchor }) };
    return { type: 'link', title: findFirstTitle(title, getPageName(path)), target, items: [] };
  }
  listing.used.add(path);
  return createPageItem(path, { hidden, ...(title !== '' && { title }) });
}

/**
 * Whether the extension shows that a file is not a page. A listed file without an extension, or a text file, is a page.
 */
const isAttachment = (path: string): boolean => !isMarkdown(path) && /[^./]\.(?!txt$)[a-z\d]{1,10}$/i.test(path);

/** A missing file that is not a page may be generated for the site, so its entry is a link. */
function toMissingItem(destination: string, title: string, { reader, file }: Listing): Item | undefined {
  if (isMarkdown(decodeAddress(destination.replace(/[?#].*$/s, '')))) return undefined;
  const name = toDisplayName(destination);
  reader.warn(
    file,
    `The entry ${toDisplayName(title)} names ${name}, which does not exist. It was imported as a link.`,
  );
  return createLinkItem({ kind: 'url', url: destination }, findFirstTitle(title, destination));
}

/**
 * Returns the file that a destination names, as written or percent-decoded, and whether the destination has an anchor.
 * For a folder, returns its README.
 */
function findFile(
  destination: string,
  { reader, file }: { reader: Pick<SourceReader, 'files'>; file: string },
): { path: string; isFragment: boolean } | undefined {
  const pathname = destination.replace(/#.*$/s, '');
  for (const address of [pathname, destination]) {
    for (const candidate of [decodeAddress(address), address]) {
      const local = normalizePath(candidate.startsWith('/') ? candidate : `${getFolder(file)}${candidate}`);
      const names = [...getCandidates(local).files, normalizePath(`${local}/readme.md`)];
      const fileName = names.find((name) => reader.files.has(name));
      if (fileName !== undefined) return { path: fileName, isFragment: address !== destination };
    }
  }
  return undefined;
}
