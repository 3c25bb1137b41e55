import type { ContentChange } from '@octavo/schema';
import type { SpaceContent } from '../export/read-space.ts';
import { Failure } from '../failure.ts';
import { type Present, walkPresent } from '../import/present.ts';
import type { NamedChange } from '../import/send-changes.ts';
import type { Paths } from './paths.ts';

export const named = (path: string, change: ContentChange): NamedChange => ({ path, change, created: 0, updated: 1 });

interface Listed {
  /** The pages that the former tree listed, and those that the present one lists. */
  known: Iterable<Present>;
  found: ReadonlySet<Present>;
  paths: Paths;
}

/** Pages that go, and those below them that do not: nothing says of these that they go. */
export interface Gone {
  pages: Set<Present>;
  staying: Set<Present>;
}

/**
 * The pages that the repository has no more: those whose file is gone from it, listed or not, and groups and links that it
 * lists no more and that hold nothing that stays. A file that is there and no longer listed is one that stays.
 */
export function goneOf({ pages }: SpaceContent, { known, found, paths }: Listed): Gone {
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

/** What stays of what goes is moved up, before. */
export function saved({ pages, staying }: Gone): NamedChange[] {
  const above = ({ parent }: Present): Present | undefined =>
    parent !== undefined && pages.has(parent) ? above(parent) : parent;
  return [...staying].map((page) =>
    named(page.title, { operation: 'update_page', page: page.id, into: above(page)?.id ?? null }),
  );
}

/**
 * What is below a page that goes goes with it: what stays has moved away before.
 * @throws Failure where a page would go whose file is there
 */
export function deletions(
  { pages, files, reusableContents, names }: SpaceContent,
  { pages: gone }: Gone,
  paths: Paths,
): NamedChange[] {
  const isBelow = ({ parent }: Present): boolean => parent !== undefined && (gone.has(parent) || isBelow(parent));
  const at = (id: string) => names.get(id) ?? '';
  for (const { id } of gone)
    if (paths.now.has(id))
      throw new Failure(`${at(id)} is in the repository, and its page would go: nothing was done.`);
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
