import { readFrontmatter, titleOf } from '@octavo/markdown';
import { type WantedEntry, type WantedPage, walkWanted } from '@octavo/outline';
import { matchPages } from '../import/match.ts';
import { planImport } from '../import/plan.ts';
import { type Present, walkPresent } from '../import/present.ts';

export interface NamedTree {
  pages: readonly Present[];
  /** The paths of the files of pages, by their ids. */
  names: ReadonlyMap<string, string>;
  /** The same paths: what else is in a folder is not looked at. */
  paths: ReadonlySet<string>;
}

/** Whether an import of files would find the tree of the space, and have nothing to do. */
export function givesTree(roots: readonly WantedEntry[], { pages, names, paths }: NamedTree): boolean {
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
    return wanted.kind !== 'page' || present === undefined || isAlike(wanted, present);
  });
}

/** The paths of shown pages that a tree comes to only after what it lists, hidden. */
export function unlistedIn(roots: readonly WantedEntry[], { pages, names }: NamedTree): string[] {
  const matches = matchPages(roots, pages, { names });
  return [...matches].flatMap(([wanted, present]) =>
    wanted.kind === 'page' && wanted.path !== undefined && wanted.hidden && !present.hidden ? [wanted.path] : [],
  );
}

/** The paths of the files of pages that a tree has elsewhere or otherwise, and what of them is. */
export function otherwiseIn(
  roots: readonly WantedEntry[],
  { pages, names }: NamedTree,
): { path: string; fields: string[] }[] {
  const matches = matchPages(roots, pages, { names });
  return planImport(roots, matches, { hasText: () => true, hasLinks: () => true }).flatMap((step) => {
    const { wanted, present, place, title, hidden } = step;
    const path = wanted.kind === 'page' ? wanted.path : undefined;
    const fields = Object.entries({ place, title: title !== undefined, hidden: hidden !== undefined });
    if (path === undefined || present === undefined) return [];
    return [{ path, fields: fields.flatMap(([field, isSaid]) => (isSaid ? field : [])) }];
  });
}

/** What a plan leaves as it is, since nothing was said of it, must be what a new page would get; frontmatter goes first. */
function isAlike({ title, hidden, file, fallbackTitle }: WantedPage, present: Present): boolean {
  const text = file?.text ?? '';
  const { values } = readFrontmatter(text);
  const isSaid = values.hidden !== undefined || present.parent?.hidden === true;
  if (!isSaid && (hidden ?? false) !== present.hidden) return false;
  return (values.title ?? title) !== undefined || (titleOf(text) ?? fallbackTitle) === present.title;
}
