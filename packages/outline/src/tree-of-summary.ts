import { cleanTitle, slugify } from '@octavo/markdown';
import type { LinkTarget } from '@octavo/schema';
import { decodeAddress, normalizePath } from './paths.ts';
import type { SummaryEntry, SummaryItem } from './summary.ts';
import { readTarget } from './summary.ts';
import {
  addWanted,
  firstTitle,
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

/** The tree of a summary, and after it, hidden, the markdown files that the summary does not list. */
export async function treeOfSummary(
  items: SummaryItem[],
  source: OutlineSource,
  summaryPath: string,
): Promise<WantedTree> {
  const builder = new Builder(source);
  for (const item of items) await builder.add(item, undefined);
  const listed = new Set([summaryPath, ...builder.used]);
  for (const file of source.paths.filter((each) => isMarkdown(each) && !listed.has(each)).sort()) {
    addWanted(builder.tree.roots, undefined, await builder.pageOfFile(file, { hidden: true }));
  }
  return builder.tree;
}

class Builder {
  readonly tree: WantedTree = { roots: [], failed: [] };
  readonly used = new Set<string>();
  readonly #source: OutlineSource;
  readonly #files: Set<string>;

  constructor(source: OutlineSource) {
    this.#source = source;
    this.#files = new Set(source.paths);
  }

  async add(item: SummaryItem, parent: WantedEntry | undefined): Promise<void> {
    const added = addWanted(this.tree.roots, parent, await this.#read(item));
    // A link holds no pages: what is nested below it stands beside it.
    const holder = added.kind === 'link' ? parent : added;
    for (const child of item.items) await this.add(child, holder);
  }

  async #read(item: SummaryItem): Promise<Unplaced> {
    if (item.type === 'group') return groupOf(firstTitle(item.title));
    const title = cleanTitle(item.title);
    const hidden = item.marks.includes('hidden');
    if (item.destination === undefined) return emptyPage(firstTitle(title), hidden);
    const target = readTarget(item.destination);
    if (target) return { kind: 'link', title: firstTitle(title, item.destination), target };
    return this.#readLocal(item, item.destination, { title, hidden });
  }

  async #readLocal(item: SummaryEntry, destination: string, { title, hidden }: Titled): Promise<Unplaced> {
    const file = this.#find(destination);
    if (file === undefined) return this.#missing(destination, title);
    if (this.used.has(file) || item.marks.includes('link')) {
      return { kind: 'link', title: firstTitle(title, pageName(file)), target: { kind: 'file-of-page', path: file } };
    }
    this.used.add(file);
    return this.pageOfFile(file, { hidden, ...(title !== '' && { title }) });
  }

  #missing(destination: string, title: string): Unplaced {
    const target: LinkTarget = { kind: 'url', url: destination };
    if (!isMarkdown(decodeAddress(destination))) return { kind: 'link', title: firstTitle(title, destination), target };
    this.tree.failed.push({ path: destination, message: 'The file that the summary lists does not exist.' });
    return emptyPage(title || titleOfName(pageName(decodeAddress(destination))), false);
  }

  /** The file that a destination names, as it is written or percent-decoded; a folder stands for its README. */
  #find(destination: string): string | undefined {
    for (const written of [destination.replace(/#.*$/s, ''), destination]) {
      for (const candidate of [decodeAddress(written), written]) {
        const local = normalizePath(candidate);
        const names = [
          local,
          ...['README.md', 'index.md', 'readme.md'].map((index) => normalizePath(`${local}/${index}`)),
        ];
        const found = names.find((name) => this.#files.has(name));
        if (found !== undefined) return found;
      }
    }
    return undefined;
  }

  async pageOfFile(file: string, fields: { title?: string; hidden: boolean }): Promise<Unplaced> {
    const name = pageName(file);
    const page = {
      kind: 'page' as const,
      path: file,
      slug: slugOfName(name),
      fallbackTitle: titleOfName(name),
      ...fields,
    };
    try {
      return { ...page, file: await readText(this.#source, file) };
    } catch (error) {
      this.tree.failed.push({ path: file, message: String(error instanceof Error ? error.message : error) });
      return page;
    }
  }
}

interface Titled {
  title: string;
  hidden: boolean;
}

const groupOf = (title: string): Unplaced => ({ kind: 'group', title, slug: slugify(title) });

const emptyPage = (title: string, hidden: boolean): Unplaced => ({
  kind: 'page',
  title,
  fallbackTitle: title,
  slug: slugify(title),
  hidden,
});
