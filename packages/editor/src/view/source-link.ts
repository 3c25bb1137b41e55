import type { EditorState, TransactionSpec } from '@codemirror/state';
import type { EditorView, KeyBinding } from '@codemirror/view';
import type { FormHost, TargetForm } from './target-form.ts';

/** Opens the form for a link. The function comes from the rich editor, whose code is loaded first. */
export type OpenSourceForm = (place: Pick<FormHost, 'rectangle' | 'focus'>, target: TargetForm) => void;

interface SourceLink {
  from: number;
  to: number;
  /** The Markdown of the text of the link. */
  text: string;
  url: string;
  /** The title after the address, with the space before it. */
  title: string;
  isLink: boolean;
}

/** The text may contain images and other brackets, and the address parentheses, one level deep. */
const linkPattern =
  /(?<!!)\[((?:[^[\]\\]|\\.|\[[^[\]]*\])*)\]\((<[^<>]*>|[^\s()<>]*(?:\([^\s()<>]*\)[^\s()<>]*)*)(\s+(?:"[^"]*"|'[^']*'))?\)/g;

/** Returns the link that contains the selection, or the selected text. */
function findSourceLink(state: EditorState): SourceLink {
  const { doc, selection } = state;
  const { from, to } = selection.main;
  const line = doc.lineAt(from);
  for (const found of line.text.matchAll(linkPattern)) {
    const [all, text = '', address = '', title = ''] = found;
    const start = line.from + found.index;
    const end = start + all.length;
    if (start <= from && to <= end)
      return { from: start, to: end, text, url: address.replace(/^<|>$/g, ''), title, isLink: true };
  }
  return { from, to, text: state.sliceDoc(from, to), url: '', title: '', isLink: false };
}

const escapeText = (text: string): string => text.replace(/[\\[\]*_`<]/g, '\\$&');

const formatAddress = (url: string): string =>
  /[\s()<>]/.test(url) ? `<${url.replace(/[<>]/g, encodeURIComponent)}>` : url;

/** Returns a change that makes the selection, or the link that contains it, a link to a target. */
export function setSourceLink(state: EditorState, target: { url: string; title: string | undefined }): TransactionSpec {
  const { from, to, text, title } = findSourceLink(state);
  const shown = text || escapeText(target.title ?? target.url);
  // Directly after `!`, the link would be an image.
  const backslash = state.sliceDoc(Math.max(0, from - 1), from) === '!' ? '\\' : '';
  const insert = state.toText(`[${shown}](${formatAddress(target.url)}${title})`);
  const changes = [...(backslash === '' ? [] : [{ from: from - 1, insert: backslash }]), { from, to, insert }];
  return { changes, selection: { anchor: from + backslash.length + insert.length } };
}

/** Returns a change that replaces the link at the selection by its text. */
function removeSourceLink(state: EditorState): TransactionSpec {
  const { from, to, text } = findSourceLink(state);
  return { changes: { from, to, insert: text } };
}

/** Opens the form for a link with the same keys as in the rich text. On a Mac, Ctrl-K deletes the rest of the line. */
export const createLinkKeys = (open: OpenSourceForm): KeyBinding[] => [
  {
    key: 'Mod-k',
    run(view: EditorView) {
      const { from, url, isLink } = findSourceLink(view.state);
      const rectangle = view.coordsAtPos(from) ?? view.dom.getBoundingClientRect();
      open(
        { rectangle, focus: () => view.focus() },
        {
          label: 'Link',
          url,
          apply: (target) => view.dispatch(setSourceLink(view.state, target)),
          ...(isLink && { remove: () => view.dispatch(removeSourceLink(view.state)) }),
        },
      );
      return true;
    },
  },
];
