import type { Page } from '@octavo/schema';
import { getSiblings } from './page-positions.ts';
import { getChildren, indexPages, type SpacePages, type TreeRow } from './tree-rows.ts';

/** A position to which a page is moved. */
export interface MoveTarget {
  /** The id of the parent, or null at the top level. */
  into: string | null;
  /** The id of the page that it follows, or undefined for the first position. */
  after: string | undefined;
}

/** Whether a computed page generates this page, so that it has no position of its own. */
export const isGenerated = (page: Page): boolean => page.type === 'document' && page.computed !== undefined;

/** Whether a page can be in a parent. Groups are only at the top level. */
function canMoveInto({ byId, parents }: SpacePages, page: Page, into: string | null): boolean {
  if (into === null) return true;
  const parent = byId.get(into);
  if (parent === undefined || page.type === 'group' || isGenerated(parent) || !('pages' in parent)) return false;
  for (let above: Page | undefined = parent; above !== undefined; above = parents.get(above.id))
    if (above.id === page.id) return false;
  return true;
}

/** A page that can contain a moved page. */
interface ParentOption {
  id: string;
  title: string;
  /** The number of its ancestors. */
  level: number;
}

/** Returns the pages and groups that a page can be moved into. */
export function listParents(pages: SpacePages, moved: Page, siblings = pages.roots, level = 0): ParentOption[] {
  return siblings
    .filter(({ id }) => canMoveInto(pages, moved, id))
    .flatMap((page) => [
      { id: page.id, title: page.title, level },
      ...listParents(pages, moved, getChildren(page), level + 1),
    ]);
}

const findBefore = (siblings: Page[], id: string): string | undefined =>
  siblings[siblings.findIndex((each) => each.id === id) - 1]?.id;

const toLastPosition = (parent: Page): MoveTarget => ({ into: parent.id, after: getChildren(parent).at(-1)?.id });

/** A move by one step: among the siblings, into the page above, or out of the parent. */
export type MoveStep = 'up' | 'down' | 'in' | 'out';

/** Returns the position of a page after a step, or undefined if the step is not possible. */
export function findStepTarget(pages: SpacePages, page: Page, step: MoveStep): MoveTarget | undefined {
  const parent = pages.parents.get(page.id);
  const into = parent?.id ?? null;
  if (step === 'out') return parent && { into: pages.parents.get(parent.id)?.id ?? null, after: parent.id };
  const siblings = getSiblings(pages, parent?.id);
  const at = siblings.findIndex(({ id }) => id === page.id);
  const next = siblings[at + 1];
  if (step === 'down') return next && { into, after: next.id };
  const previous = siblings[at - 1];
  if (previous === undefined) return undefined;
  if (step === 'up') return { into, after: siblings[at - 2]?.id };
  return canMoveInto(pages, page, previous.id) ? toLastPosition(previous) : undefined;
}

/** The part of a row over which a page is dropped. */
export type DropPart = 'before' | 'inside' | 'after';

function toTarget(pages: SpacePages, { page: over, isExpanded }: TreeRow, part: DropPart): MoveTarget {
  if (part === 'inside') return toLastPosition(over);
  if (part === 'after' && isExpanded) return { into: over.id, after: undefined };
  const parent = pages.parents.get(over.id)?.id;
  const after = part === 'after' ? over.id : findBefore(getSiblings(pages, parent), over.id);
  return { into: parent ?? null, after };
}

/** Returns the position to which a drop over a row moves a page. Undefined if the page cannot be moved there. */
export function findDropTarget(pages: SpacePages, page: Page, row: TreeRow, part: DropPart): MoveTarget | undefined {
  const { into, after } = toTarget(pages, row, part);
  const parent = pages.parents.get(page.id)?.id ?? null;
  if (!canMoveInto(pages, page, into)) return undefined;
  if (into !== parent) return { into, after };
  const before = findBefore(getSiblings(pages, parent ?? undefined), page.id);
  return after === page.id || after === before ? undefined : { into, after };
}

/** Changes the child pages of a parent. Returns the top level of the changed tree. */
function changeSiblings(pages: SpacePages, parent: string | null, change: (siblings: Page[]) => Page[]): Page[] {
  const changed = change(getSiblings(pages, parent ?? undefined));
  const page = parent === null ? undefined : pages.byId.get(parent);
  if (page === undefined) return changed;
  const next = { ...page, pages: changed } as Page;
  const replace = (siblings: Page[]) => siblings.map((each) => (each.id === page.id ? next : each));
  return changeSiblings(pages, pages.parents.get(page.id)?.id ?? null, replace);
}

/** Returns the tree after a move. */
export function movePage(pages: SpacePages, page: Page, { into, after }: MoveTarget): SpacePages {
  const parent = pages.parents.get(page.id)?.id ?? null;
  const remove = (siblings: Page[]) => siblings.filter(({ id }) => id !== page.id);
  const insert = (siblings: Page[]) => siblings.toSpliced(siblings.findIndex(({ id }) => id === after) + 1, 0, page);
  if (into === parent) return indexPages(changeSiblings(pages, into, (siblings) => insert(remove(siblings))));
  const without = indexPages(changeSiblings(pages, parent, remove));
  return indexPages(changeSiblings(without, into, insert));
}
