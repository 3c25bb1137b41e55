import { cleanTitle, linksOf, readFrontmatter, titleOf, withoutAnchor } from '@octavo/markdown';
import { Addresses } from './addresses.ts';
import { isImage, leadsTo } from './candidates.ts';
import { readLayout } from './conventions/read-layout.ts';
import { importsOf } from './imports-of.ts';
import { type Item, pageItem, pathsOf, placeItems } from './items.ts';
import { leftOut } from './left-out.ts';
import { shownName } from './paths.ts';
import { SourceReader } from './reader.ts';
import { redirectsOf } from './redirects-of.ts';
import type { IncludedText, Repository, RepositoryOptions } from './repository.ts';
import { snippetsOf } from './snippets.ts';
import { readVariables } from './variables.ts';
import { isMarkdown, type OutlineSource, pageName, type SourceFile, titleOfName } from './wanted.ts';

const maxMeanings = 1_000;
const maxFieldProblems = 10;

/**
 * Reads a documentation repository of any convention: the one reader of folders, archives and work trees. Nothing of
 * the source is executed, and nothing is left out without a problem that says so.
 * @throws Error where the file that says the order cannot be read at all.
 */
export async function readRepository(source: OutlineSource, options: RepositoryOptions = {}): Promise<Repository> {
  const reader = new SourceReader(source);
  const layout = await readLayout(reader, options);
  const variables = await readVariables(reader);
  const addresses = new Addresses(layout.site, reader.files);
  const parts = new Set([...layout.parts, ...reader.includes]);
  const pages = [...new Set(pathsOf(layout.items))];
  const reading: Reading = { reader, addresses, meanings: new Map(), needed: new Set(reader.named) };
  for (const path of [...pages, ...parts]) await readLinks(reading, path);
  const linked = linkedPages(reading, new Set([...pages, ...parts]));
  for (const { path = '' } of linked) await readLinks(reading, path);
  const roots = await placeItems([...layout.items, ...linked], reader);
  const taken = new Set([...pages, ...parts, ...pathsOf(linked), ...reader.configuration]);
  const files = source.paths.filter((path) => !taken.has(path) && isWanted(path, reading));
  const kept = new Set([...taken, ...files, ...(layout.path === undefined ? [] : [layout.path])]);
  const { reasons = [] } = layout;
  const order = source.paths.filter(
    (path) => reader.configuration.has(path) || (path === layout.path && isMarkdown(path)),
  );
  return {
    roots,
    files: [...order, ...files],
    reusableContents: await contentsOf(reader, [...parts]),
    variables,
    redirects: redirectsOf(layout, addresses, reader),
    meanings: reading.meanings,
    problems: [...reader.problems, ...leftOut(source.paths, { kept, configuration: reader.configuration, reasons })],
    places: layout.places,
    find: (address, from) => addresses.find(address, from),
    convention: { name: layout.name, ...(layout.path !== undefined && { path: layout.path }) },
  };
}

/** Where what is new is written in a source; its texts are not read. */
export async function readPlaces({ sizeOf, read, ...source }: OutlineSource): Promise<Repository['places']> {
  const reader = new SourceReader({
    ...source,
    sizeOf: (path) => (isMarkdown(path) ? 0 : sizeOf(path)),
    read: async (path) => (isMarkdown(path) ? new Uint8Array() : read(path)),
  });
  return (await readLayout(reader, {})).places;
}

interface Reading {
  reader: SourceReader;
  addresses: Addresses;
  meanings: Repository['meanings'];
  /** The files that something leads to. */
  needed: Set<string>;
}

const isWanted = (path: string, { needed }: Reading): boolean =>
  !isMarkdown(path) && (isImage(path) || needed.has(path) || /(?:^|\/)\.gitbook\/assets\//.test(path));

async function readLinks({ reader, addresses, meanings, needed }: Reading, path: string): Promise<void> {
  const file = await reader.page(path);
  if (file === undefined) return;
  for (const problem of readFrontmatter(file.text).problems.slice(0, maxFieldProblems))
    reader.warn(path, `${problem.path}: ${problem.message}`);
  const own: Record<string, string> = Object.create(null);
  let count = 0;
  for (const address of new Set(linksOf(file.text).map(({ target }) => withoutAnchor(target)))) {
    const meant = addresses.find(address, path);
    if (meant === undefined) continue;
    needed.add(meant);
    if (leadsTo(address, path, reader.files) === meant) continue;
    count += 1;
    if (count <= maxMeanings) own[address] = meant;
  }
  for (const address of importsOf(file.text)) {
    const meant = addresses.find(address, path);
    if (meant !== undefined && !isSourceCode(meant)) needed.add(meant);
  }
  readSnippets({ reader, addresses, needed }, file);
  if (count > 0) meanings.set(path, own);
  if (count > maxMeanings)
    reader.warn(path, `The page has ${count} links that only its generator understands; ${maxMeanings} are kept.`);
}

/** What a page includes comes along as a file; what stands in the page is the way to it. */
function readSnippets({ reader, addresses, needed }: Omit<Reading, 'meanings'>, { path, text }: SourceFile): void {
  const snippets = snippetsOf(text);
  const found = snippets.flatMap((address) => addresses.included(address, path) ?? []);
  for (const each of found) needed.add(each);
  if (found.length > 0)
    reader.warn(
      path,
      `What it includes (${found.slice(0, 3).join(', ')}${found.length > 3 ? ', ...' : ''}) comes along as files, and is not drawn in the page.`,
    );
  const [missing] = snippets.filter((address) => addresses.included(address, path) === undefined);
  if (missing !== undefined) reader.warn(path, `It includes ${shownName(missing)}, which is no file here.`);
}

const isSourceCode = (path: string): boolean => /\.(?:[mc]?[jt]sx?|vue|svelte|astro|s?css|less)$/i.test(path);

/** The markdown files that pages lead to, and that no convention makes pages of: they come in hidden. */
const linkedPages = ({ needed, reader }: Reading, known: Set<string>): (Item & { path?: string })[] =>
  reader.pages
    .filter((path) => needed.has(path) && !known.has(path) && !reader.configuration.has(path))
    .map((path) => pageItem(path, { hidden: true }));

async function contentsOf(reader: SourceReader, paths: string[]): Promise<IncludedText[]> {
  const contents: IncludedText[] = [];
  for (const path of paths) {
    const file = await reader.page(path);
    const own = file && cleanTitle(readFrontmatter(file.text).values.title ?? '');
    const title = own || (file && titleOf(file.text)) || titleOfName(pageName(path).replace(/^_+/, ''));
    contents.push({ path, title, ...(file && { file }) });
  }
  return contents;
}
