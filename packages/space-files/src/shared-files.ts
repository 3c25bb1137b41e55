import { getTitle, readFrontmatter } from '@octavo/markdown';
import {
  namesAny,
  normalizePath,
  type OutlineSource,
  type Repository,
  readRepository,
  type WantedEntry,
  type WantedPage,
  walkOutlineEntries,
} from '@octavo/outline';
import type { Variables } from '@octavo/schema';
import { type Document, isMap, parseDocument } from 'yaml';
import { isSummary } from './file-names.ts';
import { matchPages } from './match.ts';
import { planImport } from './plan-steps.ts';
import { type Present, walkPresent } from './present.ts';
import type { Exported, SpaceContent } from './read-space.ts';
import { writeTreeSummary } from './tree-summary.ts';

interface NamedTree {
  pages: readonly Present[];
  /** Paths of the files of pages, by page ID. */
  names: ReadonlyMap<string, string>;
  /** Paths of the files of `pages`. Other files in the folder are ignored. */
  paths: ReadonlySet<string>;
}

/** Whether the files already define the tree of the space, so that an import of them would change nothing. */
export function definesTree(roots: readonly WantedEntry[], { pages, names, paths }: NamedTree): boolean {
  const matches = matchPages(roots, pages, { names });
  const matchedPages = new Set(matches.values());
  if (![...walkPresent(pages)].every((page) => matchedPages.has(page))) return false;
  const isForeignEntry = (entry: WantedEntry): boolean => {
    if (entry.kind !== 'page') return false;
    if (entry.path !== undefined) return !paths.has(entry.path);
    return entry.children.length > 0 && entry.children.every(isForeignEntry);
  };
  if (
    planImport(roots, matches, { hasText: () => true, hasLinks: () => true }).some(
      ({ entry }) => !isForeignEntry(entry),
    )
  )
    return false;
  return [...walkOutlineEntries(roots)].every((entry) => {
    const present = matches.get(entry);
    return entry.kind !== 'page' || present === undefined || matchesPage(entry, present);
  });
}

/** Returns the paths of visible pages that the tree does not list. An import would append them as hidden pages. */
function findUnlistedPaths(roots: readonly WantedEntry[], { pages, names }: NamedTree): string[] {
  const matches = matchPages(roots, pages, { names });
  return [...matches].flatMap(([entry, present]) =>
    entry.kind === 'page' && entry.path !== undefined && entry.hidden && !present.hidden ? [entry.path] : [],
  );
}

/**
 * Returns the paths of page files whose position, title or visibility in the tree differs from that in the space. Each
 * path has the names of the fields that differ.
 */
function findDifferences(
  roots: readonly WantedEntry[],
  { pages, names }: NamedTree,
): { path: string; fields: string[] }[] {
  const matches = matchPages(roots, pages, { names });
  return planImport(roots, matches, { hasText: () => true, hasLinks: () => true }).flatMap((step) => {
    const { entry, present, isMoved, title, hidden } = step;
    const path = entry.kind === 'page' ? entry.path : undefined;
    const fields = Object.entries({ place: isMoved, title: title !== undefined, hidden: hidden !== undefined });
    if (path === undefined || present === undefined) return [];
    return [{ path, fields: fields.flatMap(([field, isIncluded]) => (isIncluded ? field : [])) }];
  });
}

/**
 * Whether a page has the title and visibility that an import would give to a new page. An import leaves these fields
 * unchanged if the files do not define them. Frontmatter takes precedence.
 */
function matchesPage({ title, hidden, file, fallbackTitle }: WantedPage, present: Present): boolean {
  const text = file?.text ?? '';
  const { values } = readFrontmatter(text);
  const setsHidden = values.hidden !== undefined || present.parent?.hidden === true;
  if (!setsHidden && (hidden ?? false) !== present.hidden) return false;
  return (values.title ?? title) !== undefined || (getTitle(text) ?? fallbackTitle) === present.title;
}

/**
 * Returns the variables of a space as YAML. Edits the former text, so that its comments, order and other content are
 * preserved. A name is deleted only if it is in `heldNames`, the variables that the space had. Returns undefined if the
 * former text is not a mapping, because it then cannot be edited.
 */
function writeVariables(
  formerText: string,
  variables: Variables,
  heldNames: ReadonlySet<string> = new Set(),
): string | undefined {
  const formerVariables = readVariables(formerText);
  if (formerVariables === undefined) return undefined;
  const { document, values } = formerVariables;
  const deletedNames = Object.keys(values).filter((name) => heldNames.has(name) && !Object.hasOwn(variables, name));
  const changed = Object.entries(variables).filter(
    ([name, value]) => !Object.hasOwn(values, name) || values[name] !== value,
  );
  if (deletedNames.length + changed.length === 0) return formerText;
  for (const name of deletedNames) document.delete(name);
  for (const [name, value] of changed) document.set(name, value);
  return document.toString({ lineWidth: 0 });
}

/** Parses variables. Undefined if the text is not a mapping or has too many aliases. */
export function readVariables(text: string): { document: Document; values: Record<string, unknown> } | undefined {
  const document = parseDocument(text, { uniqueKeys: false, logLevel: 'silent' });
  if (document.errors.length > 0 || (document.contents !== null && !isMap(document.contents))) return undefined;
  try {
    const values: unknown = document.toJS({ maxAliasCount: 100 });
    return { document, values: typeof values === 'object' && values !== null ? { ...values } : {} };
  } catch {
    return undefined;
  }
}

export const variablesPath = /^(?:.*\/)?\.gitbook\/vars\.ya?ml$/;
const mostNamed = 5;
const decoder = new TextDecoder('utf-8', { ignoreBOM: true, fatal: true });

export interface WrittenSummary {
  path: string;
  isNew: boolean;
}

/** A file, and a message about the fields that could not be written to it. */
export interface Unwritable {
  path: string;
  message: string;
}

interface Nodes {
  /** Paths of the files of nodes, by node ID. */
  present: ReadonlyMap<string, string>;
  /** Paths of files whose pages need not be listed. */
  unlistable: ReadonlySet<string>;
}

/** The files that describe the whole space. Existing files are edited; files that cannot be read are left unchanged. */
export class SharedFiles {
  readonly unwritable: Unwritable[] = [];
  readonly paths = new Set<string>();
  readonly #files: Map<string, Exported>;
  readonly #source: OutlineSource;

  /** `source` is the folder, in which the exported files replace existing ones. */
  constructor(files: Map<string, Exported>, source: OutlineSource) {
    this.#files = files;
    this.#source = source;
  }

  async setVariables({ variables, outputLocations }: SpaceContent, heldNames?: ReadonlySet<string>): Promise<void> {
    const path = this.#source.paths.find((each) => variablesPath.test(each));
    if (path === undefined && Object.keys(variables).length === 0) return;
    const formerText = path === undefined ? '' : await this.#read(path);
    const text = formerText === undefined ? undefined : writeVariables(formerText, variables, heldNames);
    if (text !== undefined) this.#set(path ?? `${outputLocations.keptFolder}vars.yaml`, text);
    else
      this.#leave(
        path ?? '',
        'Not changed, because it is not a valid variables file. It does not contain the variables of the space.',
      );
  }

  async setSummary(
    { pages, deletedPaths }: SpaceContent,
    { present, unlistable }: Nodes,
  ): Promise<WrittenSummary | undefined> {
    const repository = await readRepository(this.#source);
    const { roots, convention, outputLocations } = repository;
    const summaryPath = convention.path !== undefined && isSummary(convention.path) ? convention.path : undefined;
    const path = summaryPath ?? outputLocations.summary;
    const formerText = summaryPath === undefined ? '' : await this.#read(summaryPath);
    const listedPages = summaryPath === undefined ? removeUnlisted(pages, roots, { present, unlistable }) : pages;
    const paths = new Set([...walkPresent(listedPages)].flatMap(({ id }) => present.get(id) ?? []));
    const sourcePaths = new Set(this.#source.paths);
    const deletedFiles = new Set([...deletedPaths.values()].filter((each) => !sourcePaths.has(each)));
    const namesDeleted =
      formerText !== undefined &&
      summaryPath !== undefined &&
      namesAny(formerText, { file: summaryPath, files: deletedFiles });
    const tree = { pages: listedPages, names: present, paths };
    if (formerText !== undefined && !namesDeleted && definesTree(roots, tree)) {
      if (summaryPath !== undefined) this.#set(summaryPath, formerText);
      return summaryPath === undefined ? undefined : { path: summaryPath, isNew: false };
    }
    if (path === undefined) {
      this.unwritable.push(...listConfigurationDifferences(repository, tree));
      return undefined;
    }
    if (formerText === undefined || (summaryPath === undefined && unlistable.has(path))) {
      this.#leave(
        path,
        'Not changed, because it does not define the page tree. It does not contain the order of the space.',
      );
      return undefined;
    }
    const texts = new Map([...present].flatMap(([id, path]) => this.#getText(id, path)));
    const folder = normalizePath(path.split('/').slice(0, -1).join('/'));
    this.#set(path, writeTreeSummary(pages, texts, { formerText, folder, paths: new Set(this.#source.paths) }));
    return { path, isNew: summaryPath === undefined };
  }

  async #read(path: string): Promise<string | undefined> {
    const bytes = await this.#source.read(path);
    try {
      return decoder.decode(bytes);
    } catch {
      return undefined;
    }
  }

  #set(path: string, text: string): void {
    this.#files.set(path, { text });
    this.paths.add(path);
  }

  #leave(path: string, message: string): void {
    this.unwritable.push({ path, message });
  }

  #getText(id: string, path: string): [string, { path: string; text: string }][] {
    const exported = this.#files.get(path);
    return exported && 'text' in exported ? [[id, { path, text: exported.text }]] : [];
  }
}

/**
 * Returns the differences between the space and the configuration of a site, which only the authors of the site can
 * edit.
 */
function listConfigurationDifferences({ roots, convention }: Repository, tree: NamedTree): Unwritable[] {
  const order = convention.path ?? convention.name;
  const warnings = findUnlistedPaths(roots, tree).map((path) => ({
    path,
    message: `${order} does not list it, so the site does not show it. Add it there.`,
  }));
  const unlistedPaths = new Set(warnings.map(({ path }) => path));
  const others = findDifferences(roots, tree).filter(({ path }) => !unlistedPaths.has(path));
  if (others.length === 0 && warnings.length > 0) return warnings;
  const examples = others.slice(0, mostNamed).map(({ path, fields }) => `${path} (${fields.join(', ')})`);
  const suffix = others.length > mostNamed ? ` and ${others.length - mostNamed} more` : '';
  const details = examples.length > 0 ? `: ${examples.join(', ')}${suffix}` : '';
  const message = `It defines another page tree than the space${details}. Change ${order}, or the numbers of the pages.`;
  return [...warnings, { path: order, message }];
}

/**
 * Returns the tree without the pages that the folder's convention omits on purpose, and without parents that have only
 * such pages.
 */
function removeUnlisted(
  pages: readonly Present[],
  roots: readonly WantedEntry[],
  { present, unlistable }: Nodes,
): readonly Present[] {
  if (unlistable.size === 0) return pages;
  const listedPaths = new Set(
    [...walkOutlineEntries(roots)].flatMap((entry) => (entry.kind === 'page' ? (entry.path ?? []) : [])),
  );
  const isLeftOut = (page: Present): boolean => {
    const path = present.get(page.id);
    const isUnlisted = path === undefined ? page.children.length > 0 : unlistable.has(path) && !listedPaths.has(path);
    return isUnlisted && page.children.every(isLeftOut);
  };
  const copyKeptPages = (siblings: readonly Present[], parent?: Present): Present[] =>
    siblings
      .filter((page) => !isLeftOut(page))
      .map((page) => {
        const copy: Present = { ...page, parent };
        copy.children = copyKeptPages(page.children, copy);
        return copy;
      });
  return [...walkPresent(pages)].some(isLeftOut) ? copyKeptPages(pages) : pages;
}
