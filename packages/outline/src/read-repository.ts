import { cleanTitle, getLinks, getTitle, readFrontmatter, removeAnchor } from '@octavo/markdown';
import { findProblem, RedirectSource, toStoredSource, VariableName, VariableValue, webAddress } from '@octavo/schema';
import { Addresses } from './addresses.ts';
import { isImage, resolveLink } from './candidates.ts';
import type { Layout } from './conventions/layout.ts';
import { readLayout } from './conventions/read-layout.ts';
import { getFormerAddresses } from './former-addresses.ts';
import { getPageName, isMarkdown, nameToTitle, type OutlineSource, walkOutlineEntries } from './frontmatter-fields.ts';
import { createPageItem, getPaths, type Item, placeItems } from './items.ts';
import { getImports, getIncluded, type IncludeReading, readIncludes, removeIncluded } from './page-includes.ts';
import { decodeAddress, getFolder, getName, normalizePath, toDisplayName } from './paths.ts';
import { SourceReader } from './reader.ts';
import { BlockReporter } from './report-blocks.ts';
import type { IncludedText, Repository, RepositoryOptions } from './repository.ts';
import { reportSkippedFiles } from './skipped-files.ts';

const maxVariables = 100;

/** Returns GitBook's variables of a space. If there are several files, the one nearest to the root takes precedence. */
async function readVariables(reader: SourceReader): Promise<Repository['variables']> {
  const variables: Repository['variables'] = Object.create(null);
  const files = reader.source.paths.filter((path) => /(?:^|\/)\.gitbook\/vars\.ya?ml$/.test(path));
  files.sort((one, other) => getFolder(one).length - getFolder(other).length || (one < other ? -1 : 1));
  for (const path of files) {
    const data = (await reader.readData(path)) ?? {};
    for (const [name, value] of Object.entries(data)) {
      const fault = findFault(name, value) ?? (Object.keys(variables).length < maxVariables ? undefined : tooMany);
      if (fault !== undefined) reader.warn(path, `The variable ${JSON.stringify(name.slice(0, 100))} ${fault}.`);
      else if (!(name in variables)) variables[name] = VariableValue.parse(value);
    }
  }
  return variables;
}

const tooMany = `was skipped: a space can have at most ${maxVariables} variables`;

function findFault(name: string, value: unknown): string | undefined {
  const problem = findProblem(VariableName, name);
  if (problem !== undefined) return `was skipped: its name ${problem}`;
  return VariableValue.safeParse(value).success
    ? undefined
    : 'was skipped: it must be a string, a number, true or false';
}

type Redirect = Repository['redirects'][number];

/** Returns the redirects that a site supports and whose target is a page or a URL. Reports all others. */
function getRedirects({ redirects }: Layout, addresses: Addresses, reader: SourceReader): Redirect[] {
  const first = new Map<string, Redirect>();
  return redirects.flatMap(({ source, target, from, file }) => {
    const warn = (reason: string, to = '') =>
      reader.warn(file, `The redirect from ${toDisplayName(source)}${to} was skipped, because ${reason}.`);
    const parsed = RedirectSource.safeParse(sourceToAddress(source));
    if (!parsed.success) {
      warn('its source is not a single path of the site');
      return [];
    }
    const destination = findDestination(target, from, addresses);
    if (destination === undefined) {
      warn(`its target ${toDisplayName(target)} is not a page of the import`);
      return [];
    }
    const redirect = { source: parsed.data, ...destination, file };
    const key = toStoredSource(parsed.data).source;
    const other = first.get(key) ?? redirect;
    first.set(key, other);
    if (other === redirect) return [redirect];
    if (getTarget(other) !== getTarget(redirect))
      warn(
        `it already redirects to ${toDisplayName(getTarget(other))} (${toDisplayName(other.file)})`,
        ` to ${toDisplayName(getTarget(redirect))}`,
      );
    return [];
  });
}

const getTarget = (redirect: Redirect): string => ('url' in redirect ? redirect.url : redirect.path);

/**
 * Finds the page and the anchor of a redirect's target. A URL that is not of an imported page is outside of the site.
 */
function findDestination(target: string, from: string, addresses: Addresses) {
  const address = removeAnchor(target);
  const path = addresses.findTarget(address, from);
  const anchor = decodeAddress(target.slice(address.length + 1));
  if (path !== undefined) return { path, ...(anchor !== '' && { anchor }) };
  const url = target.trim();
  return webAddress.safeParse(url).success ? { url } : undefined;
}

/**
 * Returns redirects from the former addresses of pages. Omits addresses that are in use, and addresses that a site does
 * not support as the source of a redirect.
 */
function getFormerRedirects(layout: Layout, redirects: Repository['redirects'], roots: Repository['roots']) {
  const redirectSources = new Set(redirects.map(({ source }) => toStoredSource(source).source));
  const pages = new Set([...walkOutlineEntries(roots)].map((each) => (each.kind === 'page' ? each.path : undefined)));
  const former = [...getFormerAddresses(layout)].flatMap(([address, path]) => {
    const { data: source } = RedirectSource.safeParse(sourceToAddress(address));
    return source === undefined || redirectSources.has(toStoredSource(source).source) || !pages.has(path)
      ? []
      : [{ source, path }];
  });
  return { base: layout.site.base, redirects: former };
}

/**
 * Normalizes the source of a redirect: with a leading slash, without a trailing one, percent-encoded. Returns '' for an
 * absolute URL and for a pattern with brackets or braces.
 */
const sourceToAddress = (source: string): string =>
  /^(?:[a-z][a-z\d+.-]*:|\/\/)|[[\]{}]/i.test(source)
    ? ''
    : `/${encodeURI(normalizePath(decodeAddress(source).toWellFormed()))}`;

const maxMeanings = 1_000;
const maxFieldProblems = 10;

/**
 * Reads a documentation repository of any convention. Folders, archives and work trees all use this function. It
 * executes nothing, and reports a problem for everything it skips.
 * @throws Error if the file that defines the order cannot be read.
 */
export async function readRepository(source: OutlineSource, options: RepositoryOptions = {}): Promise<Repository> {
  const reader = new SourceReader(source);
  const layout = await readLayout(reader, options);
  const variables = await readVariables(reader);
  const addresses = new Addresses(layout.site, reader.files);
  const parts = new Set([...layout.parts, ...reader.includes]);
  const blocks = new BlockReporter(reader);
  const reading: Reading = {
    ...{ reader, addresses, blocks, resolvedTargets: new Map(), linkedPaths: new Set(reader.attachmentPaths) },
    included: new Map(),
  };
  const listed = [...new Set(getPaths(layout.items))];
  for (const path of [...listed, ...parts]) await readLinks(reading, path);
  const read = new Set([...listed, ...parts]);
  // Reading a file adds the files that it includes to `included`, so the loop reads these too.
  for (const path of reading.included.keys()) if (!read.has(path)) await readLinks(reading, path);
  const linked = findLinkedPages(reading, new Set([...listed, ...parts]));
  for (const { path = '' } of linked) await readLinks(reading, path);
  const items = removeIncluded([...layout.items, ...linked], reading);
  const pages = [...new Set(getPaths(items))];
  for (const path of await getIncluded(reading, new Set(pages))) parts.add(path);
  const roots = await placeItems(items, reader);
  const readPaths = new Set([...pages, ...parts, ...reader.configuration]);
  const files = source.paths.filter((path) => !readPaths.has(path) && isNeededFile(path, reading));
  const importedPaths = new Set([...readPaths, ...files, ...(layout.path === undefined ? [] : [layout.path])]);
  const { reasons = [] } = layout;
  const redirects = getRedirects(layout, addresses, reader);
  const order = source.paths.filter(
    (path) => reader.configuration.has(path) || (path === layout.path && isMarkdown(path)),
  );
  return {
    roots,
    files: [...order, ...files],
    reusableContents: await getContents(reader, [...parts]),
    variables,
    redirects,
    formerAddresses: getFormerRedirects(layout, redirects, roots),
    resolvedTargets: reading.resolvedTargets,
    specificationBlocks: blocks.specificationBlocks,
    problems: [
      ...reader.problems,
      ...reportSkippedFiles(source.paths, { importedPaths, configuration: reader.configuration, reasons }),
    ],
    outputLocations: layout.outputLocations,
    find: (address, from) => addresses.findTarget(address, from),
    convention: { name: layout.name, ...(layout.path !== undefined && { path: layout.path }) },
  };
}

/** Returns where new pages and files are written. Does not read any text. */
export async function readOutputLocations({
  getSize,
  read,
  ...source
}: OutlineSource): Promise<Repository['outputLocations']> {
  const reader = new SourceReader({
    ...source,
    getSize: (path) => (isMarkdown(path) ? 0 : getSize(path)),
    read: async (path) => (isMarkdown(path) ? new Uint8Array() : read(path)),
  });
  return (await readLayout(reader, {})).outputLocations;
}

interface Reading extends IncludeReading {
  blocks: BlockReporter;
  resolvedTargets: Repository['resolvedTargets'];
  /** The paths of the files that the content links to. */
  linkedPaths: Set<string>;
}

const isNeededFile = (path: string, { linkedPaths, included }: Reading): boolean =>
  !isMarkdown(path) &&
  (isImage(path) || linkedPaths.has(path) || included.has(path) || /(?:^|\/)\.gitbook\/assets\//.test(path));

async function readLinks(reading: Reading, path: string): Promise<void> {
  const { reader, addresses, resolvedTargets, linkedPaths } = reading;
  const file = await (reading.included.has(path) ? reader.readIncluded(path) : reader.readPage(path));
  if (file === undefined) return;
  if (!isMarkdown(path)) {
    const included = await readIncludes(reading, file);
    if (included.size > 0) resolvedTargets.set(path, Object.fromEntries(included));
    return;
  }
  for (const problem of readFrontmatter(file.text).problems.slice(0, maxFieldProblems))
    reader.warn(path, `${problem.path}: ${problem.message}`);
  const links: Record<string, string> = Object.create(null);
  let count = 0;
  for (const address of new Set(getLinks(file.text).map(({ target }) => removeAnchor(target)))) {
    const target = addresses.findTarget(address, path);
    if (target === undefined) continue;
    linkedPaths.add(target);
    if (resolveLink(address, path, reader.files) === target) continue;
    count += 1;
    if (count <= maxMeanings) links[address] = target;
  }
  for (const address of getImports(file.text)) {
    const resolvedPath = addresses.findTarget(address, path);
    if (resolvedPath !== undefined && !isMarkdown(resolvedPath) && !isSourceCode(resolvedPath))
      linkedPaths.add(resolvedPath);
  }
  reading.blocks.readFile(file);
  const included = await readIncludes(reading, file);
  if (count + included.size > 0) resolvedTargets.set(path, Object.assign(links, Object.fromEntries(included)));
  if (count > maxMeanings)
    reader.warn(
      path,
      `The page has ${count} links in the syntax of its documentation tool. Only the first ${maxMeanings} can work.`,
    );
}

const isSourceCode = (path: string): boolean => /\.(?:[mc]?[jt]sx?|vue|svelte|astro|s?css|less)$/i.test(path);

/** Returns linked markdown files that no convention lists as pages. They are imported as hidden pages. */
const findLinkedPages = ({ linkedPaths, reader }: Reading, knownPaths: Set<string>): (Item & { path?: string })[] =>
  reader.pages
    .filter((path) => linkedPaths.has(path) && !knownPaths.has(path) && !reader.configuration.has(path))
    .map((path) => createPageItem(path, { hidden: true }));

async function getContents(reader: SourceReader, paths: string[]): Promise<IncludedText[]> {
  const contents: IncludedText[] = [];
  for (const path of paths) {
    const file = await reader.readPage(path);
    if (file === undefined && !isMarkdown(path)) continue;
    const own = file && isMarkdown(path) && cleanTitle(readFrontmatter(file.text).values.title ?? '');
    const title =
      own ||
      (file && isMarkdown(path) && getTitle(file.text)) ||
      (isMarkdown(path) ? nameToTitle(getPageName(path).replace(/^_+/, '')) : getName(path));
    contents.push({ path, title, ...(file && { file }) });
  }
  return contents;
}
