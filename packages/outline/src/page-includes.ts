import { findIncludes, selectPart } from '@octavo/markdown';
import type { Addresses } from './addresses.ts';
import { isMarkdown, type SourceFile } from './frontmatter-fields.ts';
import type { Item } from './items.ts';
import { toDisplayName } from './paths.ts';
import type { SourceReader } from './reader.ts';

const statement = /^import[ \t]{1,20}(?:[^'"\n]{0,500}?from[ \t]{0,20})?['"]([^'"\n]{1,500})['"]/gm;

/** Returns the module names of the import statements of an MDX page, in order. */
export const getImports = (text: string): string[] => [...text.matchAll(statement)].map(([, from = '']) => from);

export interface IncludeReading {
  reader: SourceReader;
  addresses: Addresses;
  /** The paths of the files that the content links to. */
  linkedPaths: ReadonlySet<string>;
  /** The files that pages include. Each has the list of the pages that include it. */
  included: Map<string, string[]>;
}

const maxIncluded = 5_000;

/**
 * Reads the files that a page includes, and the files that these files include. Does not change the text of the page.
 * Returns the files by their addresses in the page. Missing files and parts are reported.
 */
export async function readIncludes(reading: IncludeReading, { path, text }: SourceFile): Promise<Map<string, string>> {
  const { reader, addresses, included } = reading;
  const resolvedTargets = new Map<string, string>();
  for (const { address, part, info } of findIncludes(text)) {
    if (address === '') continue;
    const includedPath = addresses.findIncludedFile(address, path) ?? addresses.findTarget(address, path);
    const isKnown = includedPath !== undefined && (included.has(includedPath) || included.size < maxIncluded);
    if (!isKnown) {
      reader.warn(path, `It includes ${toDisplayName(address)}, which does not exist.`);
      continue;
    }
    resolvedTargets.set(address, includedPath);
    const file = await reader.readIncluded(includedPath);
    if (file && part && selectPart(includedPath, file.text, { part, info }) === undefined)
      reader.warn(path, `It includes a part of ${toDisplayName(address)}, which the file does not have.`);
    const pages = included.get(includedPath);
    pages?.push(path);
    if (pages === undefined) included.set(includedPath, [path]);
  }
  return resolvedTargets;
}

/** Matches paths in a folder whose name suggests page fragments, such as `_x/` or `partials/`. */
const fragmentFolder = /(?:^|\/)(?:_[^/]*|\.?parts?|partials?|fragments?|snippets?|includes?|shared)\//i;

const isPartOnly = (path: string, { included, linkedPaths }: IncludeReading): boolean =>
  included.has(path) && !linkedPaths.has(path);

/**
 * Removes the pages that are only fragments of other pages: no sidebar lists them, or the name of their folder suggests
 * fragments.
 */
export const removeIncluded = (items: readonly Item[], reading: IncludeReading): Item[] =>
  items.flatMap((item): Item[] => {
    const inner = removeIncluded(item.items, reading);
    const isPart =
      item.type === 'page' &&
      item.path !== undefined &&
      isPartOnly(item.path, reading) &&
      (item.hidden === true || fragmentFolder.test(item.path));
    if (isPart) return inner;
    return [inner.length === item.items.length ? item : { ...item, items: inner }];
  });

/**
 * Returns the included files that become reusable contents. A file that is a page, or that pages link to, does not
 * become a reusable content. The pages that include such a file are reported, because they cannot show it.
 */
export async function getIncluded(reading: IncludeReading, pages: ReadonlySet<string>): Promise<string[]> {
  const { reader, included, linkedPaths } = reading;
  const includedPaths: string[] = [];
  for (const [path, [page = '']] of included) {
    if ((await reader.readIncluded(path)) === undefined) continue;
    const isOwn = pages.has(path) || (linkedPaths.has(path) && !isMarkdown(path)) || reader.configuration.has(path);
    if (!isOwn) includedPaths.push(path);
    else
      reader.warn(
        page,
        `It includes ${toDisplayName(path)}, which is ${pages.has(path) ? 'a page' : 'a file'} of its own. The include is ` +
          'shown as it is written.',
      );
  }
  return includedPaths;
}
