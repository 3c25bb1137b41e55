import { useRef, useState } from 'preact/hooks';
import { addLeaveGuard } from '../router.ts';
import type { Mention, Person } from './mentions.ts';

/** A form in which a text is typed. */
export interface DraftTarget {
  /** The API path of the space, the change request, the comment or the reply. */
  path: string;
  page?: string | undefined;
  /** The key of the block. */
  node?: string | undefined;
  form: 'comment' | 'suggestion' | 'message' | 'reply' | 'edit';
}

/** A text with names instead of ids, and the people whom it mentions. */
export interface TypedText {
  text: string;
  mentions: Mention[];
  people: Person[];
}

export const emptyText: TypedText = { text: '', mentions: [], people: [] };

interface TypedDraft extends TypedText {
  target: DraftTarget;
}

/** The typed texts by their forms. They are kept when a form disappears, for example because its block was deleted. */
const drafts = new Map<string, TypedDraft>();
addLeaveGuard({ hasChanges: () => drafts.size > 0, canLeave: () => true });

const getName = ({ path, page, node, form }: DraftTarget): string => JSON.stringify([path, page, node, form]);

export const readDraft = (target: DraftTarget): TypedText | undefined => drafts.get(getName(target));

/** Stores a typed text. An undefined text is removed. */
export function storeDraft(target: DraftTarget, typed: TypedText | undefined): void {
  if (typed === undefined) drafts.delete(getName(target));
  else drafts.set(getName(target), { ...typed, target });
}

/** Whether a text is typed for a block. */
export const hasBlockDraft = (path: string, page: string, node: string | undefined): boolean =>
  node !== undefined && [...drafts.values()].some(({ target }) => isOfPage(target, path, page) && target.node === node);

const isOfPage = (target: DraftTarget, path: string, page: string): boolean =>
  target.path === path && target.page === page;

/** Moves the typed texts of blocks whose keys have changed. `keys` maps each former key to the new one. */
export function moveBlockDrafts(path: string, page: string, keys: ReadonlyMap<string, string>): void {
  const moved = [...drafts.values()].filter(
    ({ target }) => isOfPage(target, path, page) && keys.has(target.node ?? ''),
  );
  // A new key can be the former key of another block, so remove all texts before storing one.
  for (const { target } of moved) storeDraft(target, undefined);
  for (const { target, ...typed } of moved) storeDraft({ ...target, node: keys.get(target.node ?? '') }, typed);
}

/** Lists the texts that were typed for blocks which the page no longer contains. */
export function listLostDrafts(path: string, page: string, nodes: (string | undefined)[]): DraftTarget[] {
  const targets = [...drafts.values()].map(({ target }) => target);
  return targets.filter((target) => isOfPage(target, path, page) && target.node && !nodes.includes(target.node));
}

type Update = (current: TypedText) => TypedText;

/** The text of a form. If a target is given, the text is kept if the form disappears before it is sent. */
export function useTypedDraft(target: DraftTarget | undefined, initial: TypedText) {
  const [typed, setTyped] = useState(() => (target && readDraft(target)) ?? initial);
  const latest = useRef(typed);
  const change = (update: Update): void => {
    const changed = update(latest.current);
    const isChanged = changed.text !== initial.text || changed.people.length !== initial.people.length;
    if (target !== undefined) storeDraft(target, isChanged && changed.text !== '' ? changed : undefined);
    latest.current = changed;
    setTyped(changed);
  };
  return [typed, change] as const;
}
