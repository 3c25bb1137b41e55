import { type OutlineSource, type Repository, walkOutlineEntries } from '@octavo/outline';
import type { Page, Revision } from '@octavo/schema';
import { chooseFileNames, findReplacedSources, type Present, type Source, walkPresent } from '@octavo/space-files';
import { Failure } from '../failure.ts';
import type { ContentPlan } from './plan.ts';
import type { ImportReport, RemovedItem } from './report.ts';
import { type ImportDestination, type NamedChange, sendChanges } from './send-changes.ts';

export interface Removals {
  /** Moves of pages that are not deleted. They are sent before the deletions. */
  moves: NamedChange[];
  deletions: NamedChange[];
  items: RemovedItem[];
  /** Number of pages from earlier imports that the source replaces, whether they are removed or not. */
  replaced: number;
  /** Counts of the pages that were imported from other sources, by the name of the source. */
  left: Map<Source, RemainingPages>;
}

/**
 * The pages that were imported from another source: how many stay, and how many of them have a text that is now also in
 * the imported source.
 */
export interface RemainingPages {
  staying: number;
  overwritten: number;
}

export const toNamedChange = (path: string, change: NamedChange['change']): NamedChange => ({
  path,
  change,
  created: 0,
  updated: 1,
});

/**
 * Pages to delete, and the pages below them that are preserved. Only the ID, title and parent of the preserved pages
 * are used.
 */
export interface DeletedPages {
  pages: ReadonlySet<Present>;
  staying: Iterable<Pick<Present, 'id' | 'title' | 'parent'>>;
}

/**
 * Returns the changes that move preserved pages out of deleted ones. These changes are sent first, because deleting a
 * page also deletes the pages below it.
 */
export function listMovedDescendants({ pages, staying }: DeletedPages): NamedChange[] {
  const getRemainingParent = (parent: Present | undefined): Present | undefined =>
    parent !== undefined && pages.has(parent) ? getRemainingParent(parent.parent) : parent;
  return [...staying].map(({ id, title, parent }) =>
    toNamedChange(title, { operation: 'update_page', page: id, into: getRemainingParent(parent)?.id ?? null }),
  );
}

/** Returns the topmost pages to delete. */
export function getTopmost(tree: readonly Present[], { pages }: Pick<DeletedPages, 'pages'>): Present[] {
  const isBelow = ({ parent }: Present): boolean => parent !== undefined && (pages.has(parent) || isBelow(parent));
  return [...walkPresent(tree)].filter((page) => pages.has(page) && !isBelow(page));
}

/** An imported item, with the origin that the import stored for it. */
interface Imported {
  git?: { path: string } | undefined;
  importedFrom?: Source;
}

interface ComparedImport {
  repository: Repository;
  revision: Pick<Revision, 'pages' | 'files' | 'reusableContents' | 'variables'>;
  plan: Pick<ContentPlan, 'pages' | 'matches' | 'source'>;
  /** The name of the source. */
  name: string;
  /** Whether to remove everything that the source does not have. Generated pages are never removed. */
  isMirror: boolean;
}

/**
 * Returns what an import removes: the pages, files and reusable contents that an earlier import of the same source
 * created and that the source no longer has. A file that exists but was not read is not removed.
 */
export function planRemovals({ repository, revision, plan, name, isMirror }: ComparedImport): Removals {
  const all = [...walkPresent(plan.pages)];
  const found = new Set(plan.matches.values());
  const size = [...walkOutlineEntries(repository.roots)].filter(
    (each) => each.kind === 'page' && each.path !== undefined,
  ).length;
  const replaced = findReplacedSources(all, { name, size, isFound: (page) => found.has(page) });
  const isUnread = getUnreadMatcher(plan.source);
  const isFromSource = ({ git, importedFrom }: Imported): boolean =>
    isMirror || ((git !== undefined || importedFrom !== undefined) && replaced.has(importedFrom));
  const isMissingInSource = (item: Imported): boolean => isFromSource(item) && !isUnread(item.git?.path);
  const names = chooseFileNames(plan.pages, revision.files, revision.reusableContents, {
    outputLocations: repository.outputLocations,
  });
  const getPath = ({ id, git }: { id: string; git?: { path: string } | undefined }) => git?.path ?? names.get(id);
  const onDisk = new Set(plan.source.paths);
  const texts = new Set(repository.reusableContents.map(({ path }) => path));
  // Keep pages that were imported without a file, because users may have written text in them since then.
  const isWrittenInOctavo = (page: Present): boolean => page.git === undefined && page.hasDocument && !isMirror;
  const pages = new Set(all.filter((page) => !found.has(page) && isMissingInSource(page) && !isWrittenInOctavo(page)));
  const files = revision.files.filter((file) => isMissingInSource(file) && !onDisk.has(getPath(file) ?? ''));
  const contents = revision.reusableContents.filter(
    (each) => isMissingInSource(each) && !texts.has(getPath(each) ?? ''),
  );
  const variables = isMirror
    ? Object.keys(revision.variables).filter((variable) => !Object.hasOwn(repository.variables, variable))
    : [];
  const items = [
    ...[...pages].map((page) => toItem(page.kind, page, page.path)),
    ...files.map((file) => toItem('file', { ...file, title: file.name })),
    ...contents.map((content) => toItem('reusable content', content)),
    ...variables.map((title) => toItem('variable', { id: title, title })),
  ];
  const isFromOtherSource = (page: Present): boolean =>
    (page.git !== undefined || page.importedFrom !== undefined) && !isFromSource(page);
  return {
    moves: listMovedDescendants({ pages, staying: getPreservedPages(all, revision.pages, { pages, found }) }),
    deletions: [
      ...getTopmost(plan.pages, { pages }).map((page) => toDeletion(toItem(page.kind, page))),
      ...items.filter(({ kind }) => kind === 'file' || kind === 'reusable content').map(toDeletion),
      ...variables.map((title) => toDeletion({ kind: 'variable', id: title, title })),
    ],
    items,
    replaced: all.filter((page) => page.git !== undefined && isFromSource(page)).length,
    left: countRemainingPages(all.filter(isFromOtherSource), found),
  };
}

/** Returns a function that checks whether a source has a path that it does not read, such as a symbolic link. */
function getUnreadMatcher({ unreadablePaths: unread = [] }: OutlineSource): (path: string | undefined) => boolean {
  const paths = new Set(unread);
  return (path) => {
    if (path === undefined || paths.size === 0) return false;
    const folders = path.split('/').map((_, index, parts) => `${parts.slice(0, index).join('/')}/`);
    return paths.has(path) || folders.some((folder) => paths.has(folder));
  };
}

/**
 * Returns the pages below deleted pages that are not themselves removed: pages of other origins, and generated pages.
 */
function getPreservedPages(
  all: readonly Present[],
  tree: readonly Page[],
  { pages, found }: { pages: ReadonlySet<Present>; found: ReadonlySet<Present> },
): DeletedPages['staying'] {
  const byId = new Map(all.map((page) => [page.id, page]));
  const listComputedPages = (siblings: readonly Page[], parent?: Present): Pick<Present, 'id' | 'title' | 'parent'>[] =>
    siblings.flatMap((page) => {
      if (page.type === 'computed') return [{ id: page.id, title: page.title, parent }];
      return page.type === 'link' ? [] : listComputedPages(page.pages, byId.get(page.id));
    });
  const others = all.filter((page) => !pages.has(page) && !found.has(page));
  return [...others, ...listComputedPages(tree)].filter(({ parent }) => parent !== undefined && pages.has(parent));
}

const toItem = (
  kind: RemovedItem['kind'],
  { id, title, git }: { id: string; title: string; git?: { path: string } | undefined },
  page?: string,
): RemovedItem => ({ kind, id, title, ...(git && { path: git.path }), ...(page && { page }) });

function toDeletion({ kind, id, title, path = title }: RemovedItem): NamedChange {
  if (kind === 'file') return toNamedChange(path, { operation: 'delete_file', file: id });
  if (kind === 'reusable content')
    return toNamedChange(path, { operation: 'delete_reusable_content', reusableContent: id });
  if (kind === 'variable')
    return toNamedChange(`variable ${id}`, { operation: 'set_variables', variables: { [id]: null } });
  return toNamedChange(path, { operation: 'delete_page', page: id });
}

/** Counts the pages of other sources, by source. Sources without remaining pages are omitted. */
function countRemainingPages(pages: Present[], found: ReadonlySet<Present>): Map<Source, RemainingPages> {
  const sources = [...Map.groupBy(pages, ({ importedFrom }) => importedFrom)];
  const counts = sources.map(([source, some]): [Source, RemainingPages] => {
    const overwritten = some.filter((page) => found.has(page)).length;
    return [source, { staying: some.length - overwritten, overwritten }];
  });
  return new Map(counts.filter(([, { staying }]) => staying > 0));
}

/** An import that removes more pages than this, and also more than half of all pages, must be confirmed. */
const fewestToConfirm = 10;

/** @throws Failure if a source lost so many pages that it may be incomplete */
export function requireConfirmed({ items, replaced }: Removals, folder: string): void {
  const pages = items.filter(({ kind }) => kind === 'page').length;
  if (pages <= fewestToConfirm || pages * 2 <= replaced) return;
  throw new Failure(
    `${folder} no longer has ${pages} of the ${replaced} pages in the space. Nothing was changed. If the folder is ` +
      'complete, pass --yes to remove them. --dry-run lists them.',
  );
}

const tallies = {
  page: 'pages',
  group: 'pages',
  link: 'pages',
  file: 'files',
  'reusable content': 'reusableContents',
  variable: 'variables',
} as const;

export function countRemovedItems(report: ImportReport, items: readonly RemovedItem[]): void {
  report.removed.push(...items);
  for (const { kind } of items) report[tallies[kind]].removed += 1;
}

/** Sends the removals. If anything that they depend on was rejected, nothing is removed. */
export async function sendRemovals(
  { moves, deletions, items }: Removals,
  destination: ImportDestination,
  { report, hasRejected }: { report: ImportReport; hasRejected: boolean },
): Promise<void> {
  if (items.length === 0) return;
  const unmoved = hasRejected ? [] : await sendChanges(destination, moves);
  if (hasRejected || unmoved.length > 0) {
    const message = `${items.length} items that the source no longer has were not removed, because a change of another page was rejected.`;
    report.problems.push(...unmoved, { path: report.space, kind: 'warning', message });
    return;
  }
  const lost = await sendChanges(destination, deletions);
  report.problems.push(...lost);
  const kept = new Set(lost.map(({ path }) => path));
  countRemovedItems(
    report,
    items.filter(({ path, title }) => !kept.has(path ?? title)),
  );
}
