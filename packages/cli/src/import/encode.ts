import { ownSlug, type WantedEntry } from '@octavo/outline';
import type { ContentChange, GitSource, LinkTarget } from '@octavo/schema';
import type { PlanStep } from './plan.ts';
import { type Outline, root } from './present.ts';

/** The names of pages in changes: the ID, or the reference in the batch that creates the page. */
export interface Names {
  keyOf: (wanted: WantedEntry) => string;
  nameOf: (key: string) => string;
  targetOf: (wanted: WantedEntry) => LinkTarget;
  /** Returns the source of a file's text: its path, and the files that its addresses refer to. */
  gitOf: (path: string) => GitSource;
  /** The name of the source, if it is stored. */
  origin: { importedFrom?: string };
}

/**
 * Returns the change for a step, with the position in the current outline. Updates the outline to include the change.
 */
export function encodeStep(step: PlanStep, outline: Outline, names: Names): ContentChange {
  return step.present ? encodeUpdate(step, step.present.id, { outline, names }) : encodeInsert(step, outline, names);
}

function encodeInsert({ wanted, title, hidden }: PlanStep, outline: Outline, names: Names): ContentChange {
  const ref = names.keyOf(wanted);
  const { into, at } = getParentage(wanted, outline, names);
  const position = { ...(into !== null && { into }), ...(at !== undefined && { at }) };
  if (wanted.kind === 'link')
    return {
      operation: 'insert_link',
      ref,
      title: wanted.title,
      target: names.targetOf(wanted),
      ...position,
      ...names.origin,
    };
  const file = wanted.kind === 'page' ? wanted.file : undefined;
  const slug = outline.claimSlug(ref, ownSlug(file) ?? wanted.slug);
  if (wanted.kind === 'group') {
    return {
      operation: 'insert_group',
      ref,
      title: wanted.title,
      slug,
      ...(at !== undefined && { at }),
      ...names.origin,
    };
  }
  return {
    operation: 'insert_page',
    ref,
    document: file ? { markdown: file.text } : {},
    slug,
    ...position,
    ...(title !== undefined && { title }),
    ...(hidden !== undefined && { hidden }),
    ...(file && { git: names.gitOf(file.path) }),
    ...names.origin,
  };
}

function encodeUpdate(
  step: PlanStep,
  page: string,
  { outline, names }: { outline: Outline; names: Names },
): ContentChange {
  const { wanted, present, place, title, hidden, fields } = step;
  const file = step.document && wanted.kind === 'page' ? wanted.file : undefined;
  const change: Extract<ContentChange, { operation: 'update_page' }> = {
    operation: 'update_page',
    page,
    ...(file && { document: { markdown: file.text } }),
    ...(file && (step.git || present?.git?.path !== file.path) && { git: names.gitOf(file.path), ...names.origin }),
    ...(title !== undefined && { title }),
    ...(hidden !== undefined && { hidden }),
    ...fields,
  };
  if (place) {
    const from = outline.parentOf(page);
    const { into, at } = getParentage(wanted, outline, names);
    if (from !== outline.parentOf(page)) change.into = into;
    if (at !== undefined) change.at = at;
  }
  const own = ownSlug(file);
  const slug = own ?? step.slug ?? (change.into === undefined ? '' : present?.slug);
  const claimed = slug ? outline.claimSlug(page, slug) : undefined;
  if (own === undefined && step.slug !== undefined && claimed !== undefined) change.slug = claimed;
  return change;
}

function getParentage(
  wanted: WantedEntry,
  outline: Outline,
  { keyOf, nameOf }: Names,
): { into: string | null; at: number | undefined } {
  let holder = wanted.parent;
  while (holder && !outline.has(keyOf(holder))) holder = holder.parent;
  const parent = holder ? keyOf(holder) : root;
  const at = outline.place(keyOf(wanted), parent, siblingBefore(wanted, outline, { parent, keyOf }));
  return { into: parent === root ? null : nameOf(parent), at };
}

interface Parentage {
  parent: string;
  keyOf: Names['keyOf'];
}

/** Returns the nearest preceding page under the same parent. If a page was rejected, its children are used instead. */
function siblingBefore(wanted: WantedEntry, outline: Outline, at: Parentage): string | undefined {
  for (let sibling = wanted.previous; sibling; sibling = sibling.previous) {
    const placed = findLastSibling(sibling, outline, at);
    if (placed !== undefined) return placed;
  }
  const { parent } = wanted;
  return parent && !outline.has(at.keyOf(parent)) ? siblingBefore(parent, outline, at) : undefined;
}

function findLastSibling(wanted: WantedEntry, outline: Outline, at: Parentage): string | undefined {
  const key = at.keyOf(wanted);
  if (outline.has(key)) return outline.parentOf(key) === at.parent ? key : undefined;
  for (const child of wanted.children.toReversed()) {
    const placed = findLastSibling(child, outline, at);
    if (placed !== undefined) return placed;
  }
  return undefined;
}
