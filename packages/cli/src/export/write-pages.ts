import { readFrontmatter, setFrontmatter } from '@octavo/markdown';
import { type OutlineSource, readRepository, type WantedPage, walkWanted } from '@octavo/outline';
import { walkPresent } from '../import/present.ts';
import { isSummary } from './file-names.ts';
import { download, type Exported, type NodeText, type SpaceContent } from './read-space.ts';
import type { Unwritable } from './shared-files.ts';
import { withFields } from './write-fields.ts';
import { withTitle } from './write-titles.ts';

interface Texts {
  /** The texts as the space holds them, by their ids. */
  texts: ReadonlyMap<string, NodeText>;
  /** The paths of all that is written, by their ids. */
  present: ReadonlyMap<string, string>;
  target: OutlineSource;
}

/** Has the files of pages say the titles and fields that the pages have. What a file cannot say is told. */
export async function writePages(
  { pages, places }: SpaceContent,
  files: Map<string, Exported>,
  { texts, present, target }: Texts,
): Promise<Unwritable[]> {
  const order = new Order(target, files);
  const untold: Unwritable[] = [];
  const changed = new Map<string, string>();
  for (const page of walkPresent(pages)) {
    const path = present.get(page.id);
    const file = path === undefined ? undefined : files.get(path);
    if (path === undefined || file === undefined || !('text' in file)) continue;
    const { text, unsaid } = withFields(page, file.text, { path, paths: present, links: texts.get(page.id)?.links });
    const listed = { wanted: () => order.pageOf(path), there: () => order.textAt(path) };
    const titled = await withTitle(page, text, { titles: places.titles, listed });
    if (titled === undefined) unsaid.push('title');
    const isHidden = page.hidden && page.parent?.hidden !== true && places.summary === undefined;
    const wanted = isHidden && readFrontmatter(text).values.hidden === undefined ? await order.pageOf(path) : undefined;
    const isShown = wanted !== undefined && wanted.hidden !== true;
    const written = (isShown ? setFrontmatter(titled ?? text, ['hidden'], true) : titled) ?? text;
    if (written !== file.text) changed.set(path, written);
    if (unsaid.length > 0) untold.push({ path, message: toldOf(unsaid) });
  }
  for (const [path, text] of changed) files.set(path, { text });
  return untold;
}

const toldOf = (fields: string[]): string =>
  `Its frontmatter cannot say what the page has by now: ${fields.join(', ')}. Write that there by hand.`;

/** What the files say of pages beside their texts, read when somebody asks. */
class Order {
  readonly #target: OutlineSource;
  readonly #files: Map<string, Exported>;
  readonly #there: ReadonlySet<string>;
  #pages: Promise<Map<string, WantedPage>> | undefined;

  constructor(target: OutlineSource, files: Map<string, Exported>) {
    this.#target = target;
    this.#files = files;
    this.#there = new Set(target.paths);
  }

  async pageOf(path: string): Promise<WantedPage | undefined> {
    this.#pages ??= this.#read();
    return (await this.#pages).get(path);
  }

  /** The text of a file in the folder; bytes that are no text give some. */
  async textAt(path: string): Promise<string | undefined> {
    return this.#there.has(path) ? new TextDecoder().decode(await this.#target.read(path)) : undefined;
  }

  async #read(): Promise<Map<string, WantedPage>> {
    const { roots } = await readRepository(over(this.#target, new Map(this.#files)));
    const pages = [...walkWanted(roots)].filter((each) => each.kind === 'page');
    return new Map(pages.flatMap((page) => (page.path === undefined ? [] : [[page.path, page]])));
  }
}

const encoder = new TextEncoder();

/** A folder with the exported files written over it; its own summaries stay, and are no more among the files. */
export function over(target: OutlineSource, files: Map<string, Exported>): OutlineSource {
  const own = new Set(target.paths);
  for (const path of own) if (isSummary(path)) files.delete(path);
  const bytesOf = async (path: string): Promise<Uint8Array> => {
    const exported = files.get(path);
    if (exported === undefined) return target.read(path);
    return 'text' in exported ? encoder.encode(exported.text) : download(exported.file);
  };
  const sizeOf = (path: string): number => {
    const exported = files.get(path);
    if (exported === undefined) return target.sizeOf(path);
    return 'text' in exported ? encoder.encode(exported.text).length : exported.file.size;
  };
  return { name: target.name, paths: [...new Set([...own, ...files.keys()])], sizeOf, read: bytesOf };
}
