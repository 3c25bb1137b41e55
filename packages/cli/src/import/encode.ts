import { getOwnSlug, type WantedEntry } from '@octavo/outline';
import type { ContentChange, GitSource, LinkTarget } from '@octavo/schema';
import type { PlanStep } from '@octavo/space-files';
import { type Outline, root } from './outline.ts';

/**
 * The names by which changes refer to pages: the ID, or, for a page that the same batch creates, its reference in the
 * batch.
 */
export interface Names {
  getKey: (entry: WantedEntry) => string;
  getName: (key: string) => string;
  getTarget: (entry: WantedEntry) => LinkTarget;
  /** Returns the source of a file's text: the path, and the files that the addresses in the text refer to. */
  getGitSource: (path: string) => GitSource;
  /** The name of the source, if it is stored. */
  origin: { importedFrom?: string };
}

/**
 * Returns the change for a step, with the position in the current outline. Updates the outline to include the change.
 */
export function encodeStep(step: PlanStep, outline: Outline, names: Names): ContentChange {
  return step.present ? encodeUpdate(step, step.present.id, { outline, names }) : encodeInsert(step, outline, names);
}

function encodeInsert({ entry, title, hidden }: PlanStep, outline: Outline, names: Names): ContentChange {
  const ref = names.getKey(entry);
  const { into, at } = getParentage(entry, outline, names);
  const position = { ...(into !== null && { into }), ...(at !== undefined && { at }) };
  if (entry.kind === 'link')
    return {
      operation: 'insert_link',
      ref,
      title: entry.title,
      target: names.getTarget(entry),
      ...position,
      ...names.origin,
    };
  const file = entry.kind === 'page' ? entry.file : undefined;
  const slug = outline.claimSlug(ref, getOwnSlug(file) ?? entry.slug);
  if (entry.kind === 'group') {
    return {
      operation: 'insert_group',
      ref,
      title: entry.title,
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
    ...(file && { git: names.getGitSource(file.path) }),
    ...names.origin,
  };
}

function encodeUpdate(
  step: PlanStep,
  page: string,
  { outline, names }: { outline: Outline; names: Names },
): ContentChange {
  const { entry, present, isMoved, title, hidden, fields } = step;
  const file = step.document && entry.kind === 'page' ? entry.file : undefined;
  const change: Extract<ContentChange, { operation: 'update_page' }> = {
    operation: 'update_page',
    page,
    ...(file && { document: { markdown: file.text } }),
    ...(file &&
      (step.git || present?.git?.path !== file.path) && { git: names.getGitSource(file.path), ...names.origin }),
    ...(title !== undefined && { title }),
    ...(hidden !== undefined && { hidden }),
    ...fields,
  };
  if (isMoved) {
    const from = outline.getParent(page);
    const { into, at } = getParentage(entry, outline, names);
    if (from !== outline.getParent(page)) change.into = into;
    if (at !== undefined) change.at = at;
  }
  const own = getOwnSlug(file);
  const slug = own ?? step.slug ?? (change.into === undefined ? '' : present?.slug);
  const claimed = slug ? outline.claimSlug(page, slug) : undefined;
  if (own === undefined && step.slug !== undefined && claimed !== undefined) change.slug = claimed;
  return change;
}

function getParentage(
  entry: WantedEntry,
  outline: Outline,
  { getKey, getName }: Names,
): { into: string | null; at: number | undefined } {
  let holder = entry.parent;
  while (holder && !outline.has(getKey(holder))) holder = holder.parent;
  const parent = holder ? getKey(holder) : root;
  const offset = outline.insert(getKey(entry), parent, findPreviousSibling(entry, outline, { parent, getKey }));
  return { into: parent === root ? null : getName(parent), at: offset };
}

interface Parentage {
  parent: string;
  getKey: Names['getKey'];
}

/**
 * Returns the nearest preceding page under the same parent. If that page was rejected, its children are considered
 * instead.
 */
function findPreviousSibling(entry: WantedEntry, outline: Outline, parentage: Parentage): string | undefined {
  for (let sibling = entry.previous; sibling; sibling = sibling.previous) {
    const siblingKey = findLastSibling(sibling, outline, parentage);
    if (siblingKey !== undefined) return siblingKey;
  }
  const { parent } = entry;
  return parent && !outline.has(parentage.getKey(parent)) ? findPreviousSibling(parent, outline, parentage) : undefined;
}

function findLastSibling(entry: WantedEntry, outline: Outline, parentage: Parentage): string | undefined {
  const key = parentage.getKey(entry);
  if (outline.has(key)) return outline.getParent(key) === parentage.parent ? key : undefined;
  for (const child of entry.children.toReversed()) {
    const siblingKey = findLastSibling(child, outline, parentage);
    if (siblingKey !== undefined) return siblingKey;
  }
  return undefined;
}
