/**
 * A page in a naive model of a space's content, against which the tests compare the product. It shares no code with the
 * product: a branch is a full copy of all pages, and texts have a fixed number of lines, so merging needs no diff.
 */
export interface ModelPage {
  title: string;
  slug: string;
  /** Key of the parent; '' at the root. */
  parent: string;
  hidden: boolean;
  lines: readonly string[];
}

/** Pages by model key. */
export type Branch = Map<string, ModelPage>;

export interface ModelMerge {
  /** All pages after the merge. A conflicting field has the value of the change request. */
  result: Branch;
  /** Each conflict within a page, as the page key and the field. */
  clashes: string[];
  /** Whether the tree would be invalid, or a page was deleted on one side and changed on the other. */
  structural: boolean;
}

export const lineCount = 6;

export const getCopy = (branch: Branch): Branch => new Map([...branch].map(([key, page]) => [key, { ...page }]));

export const isEqual = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

export const getChildren = (branch: Branch, parent: string): string[] =>
  [...branch].filter(([, page]) => page.parent === parent).map(([key]) => key);

export const listDescendants = (branch: Branch, key: string): string[] =>
  getChildren(branch, key).flatMap((child) => [child, ...listDescendants(branch, child)]);

export const isTaken = (branch: Branch, slug: string, { parent, but }: { parent: string; but: string }): boolean =>
  getChildren(branch, parent).some((key) => key !== but && branch.get(key)?.slug === slug);

export function findFreeSlug(branch: Branch, slug: string, place: { parent: string; but: string }): string {
  let [free, number] = [slug, 1];
  while (isTaken(branch, free, place)) {
    number += 1;
    free = `${slug}-${number}`;
  }
  return free;
}

export const isHidden = (branch: Branch, key: string): boolean => {
  const page = branch.get(key);
  return page !== undefined && (page.hidden || isHidden(branch, page.parent));
};

/** Whether each parent exists and no page is its own ancestor. */
export const isSound = (branch: Branch): boolean =>
  [...branch.keys()].every((start) => {
    let key = start;
    for (let steps = 0; steps <= branch.size; steps += 1) {
      const page = branch.get(key);
      if (page === undefined) return false;
      if (page.parent === '') return true;
      key = page.parent;
    }
    return false;
  });

export function mergeBranches(base: Branch, main: Branch, incoming: Branch): ModelMerge {
  const merge: ModelMerge = { result: getCopy(main), clashes: [], structural: false };
  for (const key of new Set([...base.keys(), ...incoming.keys()])) {
    const [was, ours, theirs] = [base.get(key), main.get(key), incoming.get(key)];
    if (isEqual(was, theirs) || isEqual(ours, theirs)) continue;
    if (isEqual(was, ours) || ours === undefined || theirs === undefined) {
      if (theirs === undefined) merge.result.delete(key);
      else merge.result.set(key, { ...theirs });
      if (!isEqual(was, ours)) merge.structural = true;
    } else if (was !== undefined) merge.result.set(key, mergePage(merge, key, { was, ours, theirs }));
  }
  if (!isSound(merge.result)) merge.structural = true;
  return merge;
}

function mergePage(
  merge: ModelMerge,
  key: string,
  { was, ours, theirs }: { was: ModelPage; ours: ModelPage; theirs: ModelPage },
): ModelPage {
  const pick = <Field extends 'title' | 'slug' | 'parent' | 'hidden'>(field: Field): ModelPage[Field] => {
    if (theirs[field] === was[field] || theirs[field] === ours[field]) return ours[field];
    if (ours[field] !== was[field]) merge.clashes.push(`${key} ${field === 'parent' ? 'place' : field}`);
    return theirs[field];
  };
  const lines = mergeLines(was.lines, ours.lines, theirs.lines);
  if (lines.clash) merge.clashes.push(`${key} document`);
  return {
    title: pick('title'),
    slug: pick('slug'),
    parent: pick('parent'),
    hidden: pick('hidden'),
    lines: lines.lines,
  };
}

/**
 * Merges line by line. Adjacent changed lines form one region, which conflicts unless only one side changed it or both
 * changed it equally.
 */
export function mergeLines(was: readonly string[], ours: readonly string[], theirs: readonly string[]) {
  const lines = [...ours];
  let clash = false;
  for (let start = 0; start < was.length; start += 1) {
    let end = start;
    while (end < was.length && (was[end] !== ours[end] || was[end] !== theirs[end])) end += 1;
    const [b, o, t] = [was, ours, theirs].map((side) => side.slice(start, end));
    if (!isEqual(t, b) && !isEqual(t, o)) {
      lines.splice(start, end - start, ...(t ?? []));
      if (!isEqual(o, b)) clash = true;
    }
    start = end;
  }
  return { lines, clash };
}
