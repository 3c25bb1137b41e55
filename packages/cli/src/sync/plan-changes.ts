import { idOfLinks, type Repository, readRepository, type WantedEntry } from '@octavo/outline';
import type { ContentChange } from '@octavo/schema';
import type { SpaceContent } from '../export/read-space.ts';
import { matchPages } from '../import/match.ts';
import { Outline } from '../import/outline.ts';
import { type PlanStep, planImport } from '../import/plan.ts';
import type { ContentPlan } from '../import/plan-content.ts';
import { type Present, walkPresent } from '../import/present.ts';
import type { NamedChange } from '../import/send-changes.ts';
import { SourceLinks } from '../import/source-links.ts';
import type { Tree } from './tree.ts';

/** What a repository has changed since it held the same as the space, as changes of that. */
export interface SyncPlan extends ContentPlan {
  repository: Repository;
  /** Files that have another path, before all else. */
  moves: NamedChange[];
  /** What goes, when all else is done. */
  deletions: NamedChange[];
}

/** The former and the present tree of a repository, and the files that have another path in it by now. */
export interface Difference {
  former: Tree;
  present: Tree;
  renamed: ReadonlyMap<string, string>;
}

/** Only what differs between the two trees is planned: what the space says otherwise for any other reason stays. */
export async function planChanges(content: SpaceContent, difference: Difference): Promise<SyncPlan> {
  const [was, is] = await Promise.all([
    readRepository(difference.former.source),
    readRepository(difference.present.source),
  ]);
  const paths = new Paths(content.names, difference);
  const links = new SourceLinks(is.meanings);
  const formerLinks = new SourceLinks(was.meanings);
  const matches = matchPages(is.roots, content.pages, paths.now);
  const before = matchPages(was.roots, content.pages, paths.former);
  const sameLinks = (path: string | undefined, at: string | undefined) =>
    idOfLinks({ ...links.of(path) }) === idOfLinks({ ...formerLinks.of(at) });
  const steps = planImport(is.roots, matches, {
    hasText: ({ id }, { path }) => paths.isSame(id, path) && !paths.isMoved(id),
    hasLinks: ({ id }, { path }) => sameLinks(path, paths.former.get(id)),
  });
  const known = planImport(was.roots, before, { hasText: () => true, hasLinks: () => true });
  const found = new Set(matches.values());
  const gone = new Set([...before.values()].filter((page) => !found.has(page)));
  return {
    repository: is,
    source: difference.present.source,
    steps: newSteps(steps, known, { matches, before, paths }),
    matches,
    outline: Outline.of(content.pages),
    files: changedFiles(content, is, paths),
    contents: { changes: changedContents(content, is, { paths, links, sameLinks }), unchanged: 0 },
    variables: { changes: changedVariables(was.variables, is.variables), unchanged: 0, problems: [] },
    links,
    moves: movedFiles(content, paths),
    deletions: deletions(content, gone, paths),
  };
}

/** Where things were, and where they are, by their ids; and whether their bytes are the same. */
class Paths {
  readonly former = new Map<string, string>();
  readonly now = new Map<string, string>();
  readonly #difference: Difference;

  constructor(names: SpaceContent['names'], difference: Difference) {
    this.#difference = difference;
    const { former, present, renamed } = difference;
    for (const [id, path] of names) {
      if (!former.blobs.has(path)) continue;
      this.former.set(id, path);
      const at = present.blobs.has(path) ? path : renamed.get(path);
      if (at !== undefined) this.now.set(id, at);
    }
  }

  isSame(id: string, path: string | undefined): boolean {
    const { former, present } = this.#difference;
    return former.blobs.get(this.former.get(id) ?? '')?.oid === present.blobs.get(path ?? '')?.oid;
  }

  /** Whether a file has come, or has other bytes than it had at that path. */
  isNew(path: string): boolean {
    const { former, present } = this.#difference;
    return former.blobs.get(path)?.oid !== present.blobs.get(path)?.oid;
  }

  isMoved = (id: string): boolean => this.now.has(id) && this.former.get(id) !== this.now.get(id);
  isGone = (id: string): boolean => this.former.has(id) && !this.now.has(id);
}

interface Compared {
  matches: ReadonlyMap<WantedEntry, Present>;
  before: ReadonlyMap<WantedEntry, Present>;
  paths: Paths;
}

/** The steps without what the former tree asked for as well, which was not done then or was undone since. */
function newSteps(steps: PlanStep[], known: PlanStep[], { matches, before, paths }: Compared): PlanStep[] {
  const formerly = new Map(known.flatMap((step) => (step.present ? [[step.present, step] as const] : [])));
  const places = new Map([...before].map(([wanted, present]) => [present, placeIn(wanted, before)]));
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
      place: step.place && !(old?.place && places.get(present) === placeIn(wanted, matches)),
      ...(title !== undefined && title !== old?.title && { title }),
      ...(hidden !== undefined && hidden !== old?.hidden && { hidden }),
    };
    const isDone = !left.place && !left.document && left.title === undefined && left.hidden === undefined;
    return isDone ? [] : [left];
  });
}

const placeIn = ({ parent, previous }: WantedEntry, matches: Compared['matches']): string =>
  [parent, previous].map((each) => (each === undefined ? 'none' : (matches.get(each)?.id ?? 'new'))).join(' ');

function changedFiles({ files }: SpaceContent, { files: wanted }: Repository, paths: Paths): ContentPlan['files'] {
  const known = new Map(files.flatMap(({ id }) => (paths.now.has(id) ? [[paths.now.get(id) ?? '', id] as const] : [])));
  const changed = [...known].flatMap(([path, id]) => (paths.isSame(id, path) ? [] : [{ path, present: id }]));
  const added = wanted.filter((path) => !known.has(path) && paths.isNew(path));
  return [...changed, ...added.map((path) => ({ path, present: undefined }))];
}

const named = (path: string, change: ContentChange): NamedChange => ({ path, change, created: 0, updated: 1 });

const movedFiles = ({ files }: SpaceContent, paths: Paths): NamedChange[] =>
  files.flatMap(({ id }) => {
    const path = paths.now.get(id) ?? '';
    const name = path.split('/').at(-1) ?? path;
    return paths.isMoved(id) ? [named(path, { operation: 'update_file', file: id, name, git: { path } })] : [];
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
        ? [{ ...named(path, { operation: 'insert_reusable_content', ...told }), created: 1, updated: 0 }]
        : [];
    const isSame = paths.isSame(id, path) && !paths.isMoved(id) && sameLinks(path, paths.former.get(id));
    return isSame ? [] : [named(path, { operation: 'update_reusable_content', reusableContent: id, ...told })];
  });
}

function changedVariables(was: Repository['variables'], is: Repository['variables']): NamedChange[] {
  const names = [...new Set([...Object.keys(was), ...Object.keys(is)])];
  const valueIn = (variables: Repository['variables'], name: string) =>
    Object.hasOwn(variables, name) ? (variables[name] ?? null) : null;
  return names.flatMap((name) => {
    const value = valueIn(is, name);
    if (value === valueIn(was, name)) return [];
    return [named(`variable ${name}`, { operation: 'set_variables', variables: { [name]: value } })];
  });
}

/** What is below a page that goes goes with it: what stays has moved away before. */
function deletions(
  { pages, files, reusableContents, names }: SpaceContent,
  gone: Set<Present>,
  paths: Paths,
): NamedChange[] {
  const isBelow = ({ parent }: Present): boolean => parent !== undefined && (gone.has(parent) || isBelow(parent));
  const at = (id: string) => names.get(id) ?? '';
  return [
    ...[...walkPresent(pages)]
      .filter((page) => gone.has(page) && !isBelow(page))
      .map(({ id, title }) => named(names.get(id) ?? title, { operation: 'delete_page', page: id })),
    ...files
      .filter(({ id }) => paths.isGone(id))
      .map(({ id }) => named(at(id), { operation: 'delete_file', file: id })),
    ...reusableContents
      .filter(({ id }) => paths.isGone(id))
      .map(({ id }) => named(at(id), { operation: 'delete_reusable_content', reusableContent: id })),
  ];
}
