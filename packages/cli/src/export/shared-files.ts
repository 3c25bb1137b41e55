import { getTitle, readFrontmatter } from '@octavo/markdown';
import {
  normalizePath,
  type OutlineSource,
  type Repository,
  readRepository,
  type WantedEntry,
  type WantedPage,
  walkWanted,
} from '@octavo/outline';
import type { Variables } from '@octavo/schema';
import { type Document, isMap, parseDocument } from 'yaml';
import { matchPages } from '../import/match.ts';
import { planImport } from '../import/plan.ts';
import { type Present, walkPresent } from '../import/present.ts';
import { isSummary } from './file-names.ts';
import type { Exported, SpaceContent } from './read-space.ts';
import { summaryOfTree } from './tree-summary.ts';

interface NamedTree {
  pages: readonly Present[];
  /** Paths of the files of pages, by page ID. */
  names: ReadonlyMap<string, string>;
  /** Paths of the files of `pages`. Other files in the folder are ignored. */
  paths: ReadonlySet<string>;
}

/** Whether an import of the files would find the tree of the space and have nothing to change. */
export function definesTree(roots: readonly WantedEntry[], { pages, names, paths }: NamedTree): boolean {
  const matches = matchPages(roots, pages, { names });
  const found = new Set(matches.values());
  if (![...walkPresent(pages)].every((page) => found.has(page))) return false;
  const isForeign = (each: WantedEntry): boolean => {
    if (each.kind !== 'page') return false;
    if (each.path !== undefined) return !paths.has(each.path);
    return each.children.length > 0 && each.children.every(isForeign);
  };
  if (
    planImport(roots, matches, { hasText: () => true, hasLinks: () => true }).some(({ wanted }) => !isForeign(wanted))
  )
    return false;
  return [...walkWanted(roots)].every((wanted) => {
    const present = matches.get(wanted);
    return wanted.kind !== 'page' || present === undefined || matchesPage(wanted, present);
  });
}

/** Returns the paths of visible pages that the tree does not list, and therefore appends as hidden pages. */
function unlistedIn(roots: readonly WantedEntry[], { pages, names }: NamedTree): string[] {
  const matches = matchPages(roots, pages, { names });
  return [...matches].flatMap(([wanted, present]) =>
    wanted.kind === 'page' && wanted.path !== undefined && wanted.hidden && !present.hidden ? [wanted.path] : [],
  );
}

/**
 * Returns the paths of page files whose place, title or visibility differs in the tree, with the names of these fields.
 */
function otherwiseIn(roots: readonly WantedEntry[], { pages, names }: NamedTree): { path: string; fields: string[] }[] {
  const matches = matchPages(roots, pages, { names });
  return planImport(roots, matches, { hasText: () => true, hasLinks: () => true }).flatMap((step) => {
    const { wanted, present, place, title, hidden } = step;
    const path = wanted.kind === 'page' ? wanted.path : undefined;
    const fields = Object.entries({ place, title: title !== undefined, hidden: hidden !== undefined });
    if (path === undefined || present === undefined) return [];
    return [{ path, fields: fields.flatMap(([field, isSaid]) => (isSaid ? field : [])) }];
  });
}

/**
 * Whether a page has the title and visibility that a new page would get. A plan does not include them if the files do
 * not set them. Frontmatter takes precedence.
 */
function matchesPage({ title, hidden, file, fallbackTitle }: WantedPage, present: Present): boolean {
  const text = file?.text ?? '';
  const { values } = readFrontmatter(text);
  const isSaid = values.hidden !== undefined || present.parent?.hidden === true;
  if (!isSaid && (hidden ?? false) !== present.hidden) return false;
  return (values.title ?? title) !== undefined || (getTitle(text) ?? fallbackTitle) === present.title;
}

/**
 * Returns the variables of a space as YAML. Edits the former text, so that its comments, order and other content are
 * preserved. A name is deleted only if it is in `held`, the variables that the space had. Undefined if the former text
 * is not a mapping: then it cannot be edited.
 */
function writeVariables(
  former: string,
  variables: Variables,
  held: ReadonlySet<string> = new Set(),
): string | undefined {
  const read = readVariables(former);
  if (read === undefined) return undefined;
  const { document, values } = read;
  const gone = Object.keys(values).filter((name) => held.has(name) && !Object.hasOwn(variables, name));
  const changed = Object.entries(variables).filter(
    ([name, value]) => !Object.hasOwn(values, name) || values[name] !== value,
  );
  if (gone.length + changed.length === 0) return former;
  for (const name of gone) document.delete(name);
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

  /** `source` is the folder with the exported files written over it. */
  constructor(files: Map<string, Exported>, source: OutlineSource) {
    this.#files = files;
    this.#source = source;
  }

  async setVariables({ variables, places }: SpaceContent, held?: ReadonlySet<string>): Promise<void> {
    const path = this.#source.paths.find((each) => variablesPath.test(each));
    if (path === undefined && Object.keys(variables).length === 0) return;
    const former = path === undefined ? '' : await this.#read(path);
    const text = former === undefined ? undefined : writeVariables(former, variables, held);
    if (text !== undefined) this.#set(path ?? `${places.kept}vars.yaml`, text);
    else
      this.#leave(
        path ?? '',
        'Not changed, because it is not a valid variables file. It does not contain the variables of the space.',
      );
  }

  async setSummary({ pages }: SpaceContent, { present, unlistable }: Nodes): Promise<WrittenSummary | undefined> {
    const repository = await readRepository(this.#source);
    const { roots, convention, places } = repository;
    const own = convention.path !== undefined && isSummary(convention.path) ? convention.path : undefined;
    const path = own ?? places.summary;
    const former = own === undefined ? '' : await this.#read(own);
    const listed = own === undefined ? withoutUnlisted(pages, roots, { present, unlistable }) : pages;
    const paths = new Set([...walkPresent(listed)].flatMap(({ id }) => present.get(id) ?? []));
    if (former !== undefined && definesTree(roots, { pages: listed, names: present, paths })) {
      if (own !== undefined) this.#set(own, former);
      return own === undefined ? undefined : { path: own, isNew: false };
    }
    if (path === undefined) {
      this.unwritable.push(...unsaid(repository, { pages: listed, names: present, paths }));
      return undefined;
    }
    if (former === undefined || (own === undefined && unlistable.has(path))) {
      this.#leave(
        path,
        'Not changed, because it does not define the page tree. It does not contain the order of the space.',
      );
      return undefined;
    }
    const texts = new Map([...present].flatMap(([id, at]) => this.#textOf(id, at)));
    const folder = normalizePath(path.split('/').slice(0, -1).join('/'));
    this.#set(path, summaryOfTree(pages, texts, { former, folder, paths: new Set(this.#source.paths) }));
    return { path, isNew: own === undefined };
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

  #textOf(id: string, path: string): [string, { path: string; text: string }][] {
    const exported = this.#files.get(path);
    return exported && 'text' in exported ? [[id, { path, text: exported.text }]] : [];
  }
}

/**
 * Returns the differences between the configuration of a site and the space. Only its authors can edit the
 * configuration.
 */
function unsaid({ roots, convention }: Repository, tree: NamedTree): Unwritable[] {
  const order = convention.path ?? convention.name;
  const told = unlistedIn(roots, tree).map((path) => ({
    path,
    message: `${order} does not list it, so the site does not show it. Add it there.`,
  }));
  const unlisted = new Set(told.map(({ path }) => path));
  const others = otherwiseIn(roots, tree).filter(({ path }) => !unlisted.has(path));
  if (others.length === 0 && told.length > 0) return told;
  const named = others.slice(0, mostNamed).map(({ path, fields }) => `${path} (${fields.join(', ')})`);
  const more = others.length > mostNamed ? ` and ${others.length - mostNamed} more` : '';
  const which = named.length > 0 ? `: ${named.join(', ')}${more}` : '';
  const message = `It defines another page tree than the space${which}. Change ${order}, or the numbers of the pages.`;
  return [...told, { path: order, message }];
}

/**
 * Returns the tree without the pages that another convention omits on purpose, and without parents of only such pages.
 */
function withoutUnlisted(
  pages: readonly Present[],
  roots: readonly WantedEntry[],
  { present, unlistable }: Nodes,
): readonly Present[] {
  if (unlistable.size === 0) return pages;
  const listed = new Set([...walkWanted(roots)].flatMap((each) => (each.kind === 'page' ? (each.path ?? []) : [])));
  const isLeftOut = (page: Present): boolean => {
    const path = present.get(page.id);
    const isOwn = path === undefined ? page.children.length > 0 : unlistable.has(path) && !listed.has(path);
    return isOwn && page.children.every(isLeftOut);
  };
  const left = (some: readonly Present[], parent?: Present): Present[] =>
    some
      .filter((page) => !isLeftOut(page))
      .map((page) => {
        const copy: Present = { ...page, parent };
        copy.children = left(page.children, copy);
        return copy;
      });
  return [...walkPresent(pages)].some(isLeftOut) ? left(pages) : pages;
}
