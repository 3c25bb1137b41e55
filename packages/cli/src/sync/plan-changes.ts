import { isUtf8 } from 'node:buffer';
import { idOfLinks, type Repository, readRepository, type WantedEntry } from '@octavo/outline';
import { maxUploadBytes } from '@octavo/schema';
import type { SpaceContent } from '../export/read-space.ts';
import { readVariables, variablesPath } from '../export/shared-files.ts';
import { Failure } from '../failure.ts';
import { SourceLinks } from '../import/broken-links.ts';
import { matchPages } from '../import/match.ts';
import { type ContentPlan, type PlanStep, planImport } from '../import/plan.ts';
import { Outline, type Present, walkPresent } from '../import/present.ts';
import { type DeletedPages, getTopmost, movesOut, type Removals, toNamedChange } from '../import/removals.ts';
import type { NamedChange } from '../import/send-changes.ts';
import type { ImportProblem } from '../import/source.ts';
import { type Difference, Paths } from './paths.ts';
import type { Tree } from './tree.ts';

interface ListedNodes {
  /** The pages that the former tree lists, and those that the current tree lists. */
  known: Iterable<Present>;
  found: ReadonlySet<Present>;
  paths: Paths;
}

/**
 * Returns the pages that the repository has deleted: pages whose file was deleted, and groups and links that are no
 * longer listed and have no remaining children. A page whose file still exists is kept, even if it is no longer listed.
 */
function getGone({ pages }: SpaceContent, { known, found, paths }: ListedNodes): DeletedPages {
  const listed = new Set(known);
  const gone = new Set<Present>();
  const staying = new Set<Present>();
  const isEmptied = (page: Present): boolean => page.children.every((child) => gone.has(child) || found.has(child));
  for (const page of [...walkPresent(pages)].toReversed()) {
    if (found.has(page)) continue;
    const isListed = listed.has(page) && !paths.all.has(page.id) && isEmptied(page);
    if (paths.isGone(page.id) || isListed) gone.add(page);
  }
  for (const page of walkPresent(pages))
    if (!gone.has(page) && !found.has(page) && page.parent !== undefined && gone.has(page.parent)) staying.add(page);
  return { pages: gone, staying };
}

/**
 * Returns the deletions. Deleting a page deletes the pages below it, so pages to preserve are moved before.
 * @throws Failure if the file of a page to delete exists
 */
function deletions(
  { pages, files, reusableContents, names }: SpaceContent,
  { pages: gone }: DeletedPages,
  paths: Paths,
): NamedChange[] {
  const at = (id: string) => names.get(id) ?? '';
  for (const { id } of gone)
    if (paths.now.has(id))
      throw new Failure(`${at(id)} is in the repository, but its page would be deleted. Nothing was synced.`);
  return [
    ...getTopmost(pages, { pages: gone }).map(({ id, title }) =>
      toNamedChange(names.get(id) ?? title, { operation: 'delete_page', page: id }),
    ),
    ...files
      .filter(({ id }) => paths.isGone(id))
      .map(({ id }) => toNamedChange(at(id), { operation: 'delete_file', file: id })),
    ...reusableContents
      .filter(({ id }) => paths.isGone(id))
      .map(({ id }) => toNamedChange(at(id), { operation: 'delete_reusable_content', reusableContent: id })),
  ];
}

/** The changes of a repository since the common state, as changes of the space. */
export interface SyncPlan extends ContentPlan {
  repository: Repository;
  /** Renames of files, sent first. */
  moves: NamedChange[];
  /** Deletions, sent last. */
  deletions: NamedChange[];
  /** Former paths of deleted items, by ID. Texts that link to them continue to use these paths. */
  gone: ReadonlyMap<string, string>;
  /** Only on the first sync: the content that the repository does not have. */
  onlyInSpace?: Removals;
}

/** Plans only the differences between the two trees. Other differences from the space are left unchanged. */
export async function planChanges(content: SpaceContent, difference: Difference): Promise<SyncPlan> {
  const [was, is] = await Promise.all([
    readRepository(difference.former.source),
    readRepository(difference.present.source),
  ]);
  const paths = new Paths(content, difference);
  const links = new SourceLinks(is.meanings);
  const formerLinks = new SourceLinks(was.meanings);
  const matches = matchPages(is.roots, content.pages, { names: paths.now, withFile: paths.all });
  const before = matchPages(was.roots, content.pages, { names: paths.former, withFile: paths.all });
  const sameLinks = (path: string | undefined, at: string | undefined) =>
    idOfLinks({ ...links.of(path) }) === idOfLinks({ ...formerLinks.of(at) });
  const steps = planImport(is.roots, matches, {
    hasText: ({ id }, { path }) => paths.isSame(id, path) && !paths.isMoved(id),
    hasLinks: ({ id }, { path }) => sameLinks(path, paths.former.get(id)),
  });
  const known = planImport(was.roots, before, { hasText: () => true, hasLinks: () => true });
  const found = new Set(matches.values());
  const gone = getGone(content, { known: before.values(), found, paths });
  const tooLarge = is.files.filter((path) => difference.present.source.sizeOf(path) > maxUploadBytes);
  const unread = new Set([...tooLarge, ...difference.present.left.map(({ path }) => path)]);
  return {
    repository: { ...is, problems: [...is.problems, ...difference.present.left, ...tooLarge.map(toTooLargeProblem)] },
    source: difference.present.source,
    pages: content.pages,
    steps: newSteps(steps, known, { matches, before, paths }),
    matches,
    outline: Outline.of(content.pages),
    files: changedFiles(content, is, paths).filter(({ path }) => !unread.has(path)),
    contents: { changes: changedContents(content, is, { paths, links, sameLinks }), unchanged: 0 },
    variables: { changes: await changedVariables(was, is, difference.present), unchanged: 0, problems: [] },
    links,
    moves: movedFiles(content, paths),
    deletions: [...movesOut(gone), ...deletions(content, gone, paths)],
    gone: new Map([...paths.former].filter(([id]) => paths.isGone(id))),
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

/** Returns the steps without those that the former tree also required: they failed then, or were reverted since. */
function newSteps(steps: PlanStep[], known: PlanStep[], { matches, before, paths }: Compared): PlanStep[] {
  const formerly = new Map(known.flatMap((step) => (step.present ? [[step.present, step] as const] : [])));
  const now = new Set(matches.values());
  const common = new Set([...before.values()].filter((present) => now.has(present)));
  const stayed = [...before].filter(([, present]) => common.has(present));
  const places = new Map(stayed.map(([wanted, present]) => [present, placeIn(wanted, before, common)]));
  return steps.flatMap((step) => {
    const { wanted, present } = step;
    if (!present) {
      const isOld = wanted.kind === 'page' && wanted.path !== undefined && !paths.isNew(wanted.path);
      return isOld ? [] : [step];
    }
    const old = formerly.get(present);
    const { title, hidden, ...others } = step;
    const left: PlanStep = {
      ...others,
      place: step.place && !(old?.place && places.get(present) === placeIn(wanted, matches, common)),
      ...(title !== undefined && title !== old?.title && { title }),
      ...(hidden !== undefined && hidden !== old?.hidden && { hidden }),
    };
    const isDone = !left.place && !left.document && left.title === undefined && left.hidden === undefined;
    return isDone ? [] : [left];
  });
}

/**
 * Returns the position relative to pages that are in both trees. A new or deleted page next to a page does not change
 * it.
 */
function placeIn(
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
  return [parent, before].map((each) => (each === undefined ? 'none' : (matches.get(each)?.id ?? 'new'))).join(' ');
}

function changedFiles({ files }: SpaceContent, { files: wanted }: Repository, paths: Paths): ContentPlan['files'] {
  const known = new Map(files.flatMap(({ id }) => (paths.now.has(id) ? [[paths.now.get(id) ?? '', id] as const] : [])));
  const changed = [...known].flatMap(([path, id]) => (paths.isSame(id, path) ? [] : [{ path, present: id }]));
  const added = wanted.filter((path) => !known.has(path) && paths.isNew(path));
  return [...changed, ...added.map((path) => ({ path, present: undefined }))];
}

const movedFiles = ({ files }: SpaceContent, paths: Paths): NamedChange[] =>
  files.flatMap(({ id }) => {
    const path = paths.now.get(id) ?? '';
    const name = path.split('/').at(-1) ?? path;
    return paths.isMoved(id) ? [toNamedChange(path, { operation: 'update_file', file: id, name, git: { path } })] : [];
  });

interface Telling {
  paths: Paths;
  links: SourceLinks;
  sameLinks: (path: string, at: string | undefined) => boolean;
}

function changedContents(
  { reusableContents }: SpaceContent,
  { reusableContents: wanted }: Repository,
  { paths, links, sameLinks }: Telling,
): NamedChange[] {
  const known = new Map(
    reusableContents.flatMap(({ id }) => (paths.now.has(id) ? [[paths.now.get(id) ?? '', id] as const] : [])),
  );
  return wanted.flatMap(({ path, title, file }): NamedChange[] => {
    const id = known.get(path);
    if (file === undefined) return [];
    const told = { title, document: { markdown: file.text }, git: links.gitOf(path) };
    if (id === undefined)
      return paths.isNew(path)
        ? [{ ...toNamedChange(path, { operation: 'insert_reusable_content', ...told }), created: 1, updated: 0 }]
        : [];
    const isSame = paths.isSame(id, path) && !paths.isMoved(id) && sameLinks(path, paths.former.get(id));
    return isSame ? [] : [toNamedChange(path, { operation: 'update_reusable_content', reusableContent: id, ...told })];
  });
}

/** If a file of variables cannot be read, variables that are missing in the other files are not deleted. */
async function changedVariables(was: Repository, is: Repository, { source }: Tree): Promise<NamedChange[]> {
  const names = [...new Set([...Object.keys(was.variables), ...Object.keys(is.variables)])];
  const valueIn = ({ variables }: Repository, name: string) =>
    Object.hasOwn(variables, name) ? (variables[name] ?? null) : null;
  const texts = await Promise.all(source.paths.filter((path) => variablesPath.test(path)).map(source.read));
  const isWhole = texts.every((text) => isUtf8(text) && readVariables(Buffer.from(text).toString()) !== undefined);
  return names.flatMap((name) => {
    const value = valueIn(is, name);
    if (value === valueIn(was, name) || (value === null && !isWhole)) return [];
    return [toNamedChange(`variable ${name}`, { operation: 'set_variables', variables: { [name]: value } })];
  });
}
