import { isUtf8 } from 'node:buffer';
import { hashLinks, type Repository, readRepository, type WantedEntry } from '@octavo/outline';
import { maxUploadBytes } from '@octavo/schema';
import {
  matchPages,
  type PlanStep,
  type Present,
  planImport,
  readVariables,
  type SpaceContent,
  variablesPath,
  walkPresent,
} from '@octavo/space-files';
import { Failure } from '../failure.ts';
import { SourceLinks } from '../import/broken-links.ts';
import { Outline } from '../import/outline.ts';
import type { ContentPlan } from '../import/plan.ts';
import {
  type DeletedPages,
  getTopmost,
  listMovedDescendants,
  type Removals,
  toNamedChange,
} from '../import/removals.ts';
import type { NamedChange } from '../import/send-changes.ts';
import type { ImportProblem } from '../import/source.ts';
import { Paths, type TreeDifference } from './paths.ts';
import type { Tree } from './tree.ts';

interface ListedNodes {
  /** The pages that the former tree lists, and those that the current tree lists. */
  knownPages: Iterable<Present>;
  matchedPages: ReadonlySet<Present>;
  paths: Paths;
}

/**
 * Returns the pages that the repository has deleted: pages whose file was deleted, and groups and links that are no
 * longer listed and have no remaining children. A page whose file still exists is not deleted, even if it is no longer
 * listed.
 */
function findDeletedPages(
  { pages }: SpaceContent,
  { knownPages: known, matchedPages: found, paths }: ListedNodes,
): DeletedPages {
  const listedPages = new Set(known);
  const deletedPages = new Set<Present>();
  const remainingPages = new Set<Present>();
  const isEmptiedPage = (page: Present): boolean =>
    page.children.every((child) => deletedPages.has(child) || found.has(child));
  for (const page of [...walkPresent(pages)].toReversed()) {
    if (found.has(page)) continue;
    const isListed = listedPages.has(page) && !paths.all.has(page.id) && isEmptiedPage(page);
    if (paths.isDeleted(page.id) || isListed) deletedPages.add(page);
  }
  for (const page of walkPresent(pages))
    if (!deletedPages.has(page) && !found.has(page) && page.parent !== undefined && deletedPages.has(page.parent))
      remainingPages.add(page);
  return { pages: deletedPages, staying: remainingPages };
}

/**
 * Returns the deletions. Deleting a page deletes the pages below it, so pages to preserve are moved before.
 * @throws Failure if the file of a page to delete exists
 */
function listDeletions(
  { pages, files, reusableContents, names }: SpaceContent,
  { pages: gone }: DeletedPages,
  paths: Paths,
): NamedChange[] {
  const getName = (id: string) => names.get(id) ?? '';
  for (const { id } of gone)
    if (paths.now.has(id))
      throw new Failure(`${getName(id)} is in the repository, but its page would be deleted. Nothing was synced.`);
  return [
    ...getTopmost(pages, { pages: gone }).map(({ id, title }) =>
      toNamedChange(names.get(id) ?? title, { operation: 'delete_page', page: id }),
    ),
    ...files
      .filter(({ id }) => paths.isDeleted(id))
      .map(({ id }) => toNamedChange(getName(id), { operation: 'delete_file', file: id })),
    ...reusableContents
      .filter(({ id }) => paths.isDeleted(id))
      .map(({ id }) => toNamedChange(getName(id), { operation: 'delete_reusable_content', reusableContent: id })),
  ];
}

/** The repository's changes since the common state, as changes to the space. */
export interface SyncPlan extends ContentPlan {
  repository: Repository;
  /** Renames of files, sent first. */
  moves: NamedChange[];
  /** Deletions, sent last. */
  deletions: NamedChange[];
  /** Former paths of deleted items, by ID. Texts that link to them continue to use these paths. */
  deletedPaths: ReadonlyMap<string, string>;
  /** Only on the first sync: the content that the repository does not have. */
  onlyInSpace?: Removals;
}

/** Plans only the differences between the two trees. Other differences from the space are left unchanged. */
export async function planChanges(content: SpaceContent, difference: TreeDifference): Promise<SyncPlan> {
  const [formerRepository, repository] = await Promise.all([
    readRepository(difference.formerTree.source),
    readRepository(difference.present.source),
  ]);
  const paths = new Paths(content, difference);
  const links = new SourceLinks(repository.resolvedTargets);
  const formerLinks = new SourceLinks(formerRepository.resolvedTargets);
  const matches = matchPages(repository.roots, content.pages, { names: paths.now, withFile: paths.all });
  const before = matchPages(formerRepository.roots, content.pages, { names: paths.formerPaths, withFile: paths.all });
  const hasSameLinks = (path: string | undefined, currentPath: string | undefined) =>
    hashLinks({ ...links.getLinks(path) }) === hashLinks({ ...formerLinks.getLinks(currentPath) });
  const steps = planImport(repository.roots, matches, {
    hasText: ({ id }, { path }) => paths.isSamePath(id, path) && !paths.isMoved(id),
    hasLinks: ({ id }, { path }) => hasSameLinks(path, paths.formerPaths.get(id)),
  });
  const formerSteps = planImport(formerRepository.roots, before, { hasText: () => true, hasLinks: () => true });
  const matchedPages = new Set(matches.values());
  const deletedNodes = findDeletedPages(content, { knownPages: before.values(), matchedPages, paths });
  const tooLarge = repository.files.filter((path) => difference.present.source.getSize(path) > maxUploadBytes);
  const unreadPaths = new Set([...tooLarge, ...difference.present.skippedFiles.map(({ path }) => path)]);
  return {
    repository: {
      ...repository,
      problems: [...repository.problems, ...difference.present.skippedFiles, ...tooLarge.map(toTooLargeProblem)],
    },
    source: difference.present.source,
    pages: content.pages,
    steps: findNewSteps(steps, formerSteps, { matches, before, paths }),
    matches,
    outline: Outline.fromPages(content.pages),
    files: findChangedFiles(content, repository, paths).filter(({ path }) => !unreadPaths.has(path)),
    contents: {
      changes: findChangedContents(content, repository, { paths, links, sameLinks: hasSameLinks }),
      unchanged: 0,
    },
    variables: {
      changes: await findChangedVariables(formerRepository, repository, difference.present),
      unchanged: 0,
      problems: [],
    },
    links,
    moves: findMovedFiles(content, paths),
    deletions: [...listMovedDescendants(deletedNodes), ...listDeletions(content, deletedNodes, paths)],
    deletedPaths: new Map([...paths.formerPaths].filter(([id]) => paths.isDeleted(id))),
  };
}

const toTooLargeProblem = (path: string): ImportProblem => ({
  kind: 'failed',
  path,
  message: `The file has more than ${maxUploadBytes} bytes and was not imported into the space.`,
});

interface Compared {
  matches: ReadonlyMap<WantedEntry, Present>;
  before: ReadonlyMap<WantedEntry, Present>;
  paths: Paths;
}

/**
 * Returns the steps that the former tree did not already require. A step that the former tree required has failed in an
 * earlier sync, or a user has undone it since.
 */
function findNewSteps(steps: PlanStep[], formerSteps: PlanStep[], { matches, before, paths }: Compared): PlanStep[] {
  const formerly = new Map(formerSteps.flatMap((step) => (step.present ? [[step.present, step] as const] : [])));
  const now = new Set(matches.values());
  const common = new Set([...before.values()].filter((present) => now.has(present)));
  const stayed = [...before].filter(([, present]) => common.has(present));
  const positions = new Map(stayed.map(([entry, present]) => [present, getPositionKey(entry, before, common)]));
  return steps.flatMap((step) => {
    const { entry, present } = step;
    if (!present) {
      const isFormer = entry.kind === 'page' && entry.path !== undefined && !paths.isNew(entry.path);
      return isFormer ? [] : [step];
    }
    const old = formerly.get(present);
    const { title, hidden, ...others } = step;
    const remainingSteps: PlanStep = {
      ...others,
      isMoved: step.isMoved && !(old?.isMoved && positions.get(present) === getPositionKey(entry, matches, common)),
      ...(title !== undefined && title !== old?.title && { title }),
      ...(hidden !== undefined && hidden !== old?.hidden && { hidden }),
    };
    const isDone =
      !remainingSteps.isMoved &&
      !remainingSteps.document &&
      remainingSteps.title === undefined &&
      remainingSteps.hidden === undefined;
    return isDone ? [] : [remainingSteps];
  });
}

/**
 * Returns a key for the position of a page among the pages that are in both trees. Added and deleted neighbors do not
 * change this key.
 */
function getPositionKey(
  { parent, previous }: WantedEntry,
  matches: Compared['matches'],
  common: ReadonlySet<Present>,
): string {
  const isCommon = (entry: WantedEntry): boolean => {
    const present = matches.get(entry);
    return present !== undefined && common.has(present);
  };
  let before = previous;
  while (before !== undefined && !isCommon(before)) before = before.previous;
  return [parent, before].map((entry) => (entry === undefined ? 'none' : (matches.get(entry)?.id ?? 'new'))).join(' ');
}

function findChangedFiles(
  { files }: SpaceContent,
  { files: repositoryFiles }: Repository,
  paths: Paths,
): ContentPlan['files'] {
  const idsByPath = new Map(
    files.flatMap(({ id }) => (paths.now.has(id) ? [[paths.now.get(id) ?? '', id] as const] : [])),
  );
  const changed = [...idsByPath].flatMap(([path, id]) => (paths.isSamePath(id, path) ? [] : [{ path, present: id }]));
  const added = repositoryFiles.filter((path) => !idsByPath.has(path) && paths.isNew(path));
  return [...changed, ...added.map((path) => ({ path, present: undefined }))];
}

const findMovedFiles = ({ files }: SpaceContent, paths: Paths): NamedChange[] =>
  files.flatMap(({ id }) => {
    const path = paths.now.get(id) ?? '';
    const name = path.split('/').at(-1) ?? path;
    return paths.isMoved(id) ? [toNamedChange(path, { operation: 'update_file', file: id, name, git: { path } })] : [];
  });

interface NamingContext {
  paths: Paths;
  links: SourceLinks;
  sameLinks: (path: string, currentPath: string | undefined) => boolean;
}

function findChangedContents(
  { reusableContents }: SpaceContent,
  { reusableContents: texts }: Repository,
  { paths, links, sameLinks }: NamingContext,
): NamedChange[] {
  const idsByPath = new Map(
    reusableContents.flatMap(({ id }) => (paths.now.has(id) ? [[paths.now.get(id) ?? '', id] as const] : [])),
  );
  return texts.flatMap(({ path, title, file }): NamedChange[] => {
    const id = idsByPath.get(path);
    if (file === undefined) return [];
    const content = { title, document: { markdown: file.text }, git: links.getGitSource(path) };
    if (id === undefined)
      return paths.isNew(path)
        ? [{ ...toNamedChange(path, { operation: 'insert_reusable_content', ...content }), created: 1, updated: 0 }]
        : [];
    const isUnchanged = paths.isSamePath(id, path) && !paths.isMoved(id) && sameLinks(path, paths.formerPaths.get(id));
    return isUnchanged
      ? []
      : [toNamedChange(path, { operation: 'update_reusable_content', reusableContent: id, ...content })];
  });
}

/** If a file of variables cannot be read, variables that are missing in the other files are not deleted. */
async function findChangedVariables(former: Repository, current: Repository, { source }: Tree): Promise<NamedChange[]> {
  const names = [...new Set([...Object.keys(former.variables), ...Object.keys(current.variables)])];
  const getValue = ({ variables }: Repository, name: string) =>
    Object.hasOwn(variables, name) ? (variables[name] ?? null) : null;
  const texts = await Promise.all(source.paths.filter((path) => variablesPath.test(path)).map(source.read));
  const isReadable = texts.every((text) => isUtf8(text) && readVariables(Buffer.from(text).toString()) !== undefined);
  return names.flatMap((name) => {
    const value = getValue(current, name);
    if (value === getValue(former, name) || (value === null && !isReadable)) return [];
    return [toNamedChange(`variable ${name}`, { operation: 'set_variables', variables: { [name]: value } })];
  });
}
