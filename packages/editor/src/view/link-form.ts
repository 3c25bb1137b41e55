import type { Mark } from 'prosemirror-model';
import type { EditorState, Transaction } from 'prosemirror-state';
import type { EditorView } from 'prosemirror-view';
import { schema } from '../model/schema.ts';
import { type ChosenTarget, getFormHost, openTargetForm } from './target-form.ts';

interface LinkRange {
  from: number;
  to: number;
  mark: Mark | undefined;
}

/** Returns the range of the link or button at the cursor, or the selection. */
function findLink({ selection, doc }: EditorState): LinkRange {
  const { from, to, $from } = selection;
  const isLink = ({ type }: Mark) => type === schema.marks.link || type === schema.marks.button;
  const mark = ($from.nodeAfter ?? $from.nodeBefore)?.marks.find(isLink) ?? $from.marks().find(isLink);
  if (mark === undefined) return { from, to, mark };
  let [start, end] = [from, to];
  const hasLink = (position: number) => doc.resolve(position).nodeAfter?.marks.some((each) => each.eq(mark)) === true;
  while (start > $from.start() && hasLink(start - 1)) start -= 1;
  while (end < $from.end() && hasLink(end)) end += 1;
  return { from: start, to: end, mark };
}

const getUrl = (mark: Mark | undefined): string => {
  const { ref } = (mark?.attrs.data ?? {}) as { ref?: { url?: unknown } };
  return typeof ref?.url === 'string' ? ref.url : '';
};

/** Returns the kind of a link. Buttons of other kinds are drawn like primary ones. */
const getKind = (mark: Mark): string => {
  if (mark.type === schema.marks.link) return 'link';
  return (mark.attrs.data as { kind?: unknown }).kind === 'secondary' ? 'secondary' : 'primary';
};

/**
 * Opens a form that sets the target of a link or button: an address, or a page that is found by its title. Others can
 * change the text while the form is open, so the link is found again at the end.
 */
export function openLinkForm(view: EditorView, newKind = 'link'): void {
  const { from, mark } = findLink(view.state);
  openTargetForm(getFormHost(view, from), {
    label: 'Link',
    asksForText: lacksText(view.state),
    url: getUrl(mark),
    kind: mark === undefined ? newKind : getKind(mark),
    apply: (target) => view.dispatch(setLink(view.state, target)),
    ...(mark !== undefined && { remove: () => view.dispatch(removeLink(view.state)) }),
  });
}

function removeLink(state: EditorState): Transaction {
  const { from, to, mark } = findLink(state);
  return mark === undefined ? state.tr : state.tr.removeMark(from, to, mark);
}

/** The text of buttons without a text of their own. An address on a button would mean nothing to readers. */
const defaultButtonText = 'Button';

/**
 * Whether a link or button has no text of its own: it is empty, or shows a default text or its address, as in a card.
 */
function lacksText(state: EditorState): boolean {
  const { from, to, mark } = findLink(state);
  if (from === to) return true;
  let isText = true;
  state.doc.nodesBetween(from, to, (node) => {
    isText &&= node.isText || !node.isLeaf;
  });
  const text = state.doc.textBetween(from, to);
  if (!isText || text === '') return false;
  return text === getUrl(mark) || (mark?.type === schema.marks.button && text === defaultButtonText);
}

/** Returns a transaction that turns the selected text into a link or button, or changes the one at the cursor. */
export function setLink(state: EditorState, { url, title, kind, text }: ChosenTarget): Transaction {
  const { from, to, mark } = findLink(state);
  const { tr } = state;
  if (mark !== undefined) tr.removeMark(from, to, mark);
  const { kind: formerKind, ...former } = (mark?.attrs.data ?? {}) as Record<string, unknown>;
  const isSameKind = mark !== undefined && getKind(mark) === kind;
  const data = { ...former, ref: { kind: 'url', url } };
  const link =
    kind === 'link'
      ? schema.mark('link', { data })
      : schema.mark('button', { data: { ...data, kind: isSameKind ? formerKind : kind } });
  if (!lacksText(state)) return tr.addMark(from, to, link);
  const shown = kind === 'link' ? (title ?? url) : text || title || defaultButtonText;
  return tr.replaceWith(from, to, schema.text(shown, [link]));
}
