import { decodeEntities } from '../inline-syntax.ts';
import { readExtents, readLineTag } from '../tree/extents.ts';
import { readDestination, readParentheses, skipSpace } from './destinations.ts';

/**
 * Some words only name a target: captions of references, mentions, and links whose text is their address. Readers
 * without access to the target must not learn its name, so these words are not indexed for search.
 */

const removeEnding = (address: string): string => (address.split('#', 1)[0] ?? '').replace(/\.(?:mdx?|markdown)$/i, '');

/** Whether the text of a link is its address or the end of the address, such as `comments` in `guides/comments.md`. */
export function isAddressItself(address: string, words: string): boolean {
  const [addressText, label] = [removeEnding(address), removeEnding(words.trim())];
  return label === '' || addressText.endsWith(label) || (label.endsWith(addressText) && !/\s/.test(label));
}

const absolute = /^(?:[a-z][a-z\d+.-]*:|\/\/)/i;
const marks = /[`*_~\\]/g;

/** Whether a target may be visible to some readers only: content of the space, or of another space by its URL. */
const mayBeHidden = (address: string): boolean =>
  address !== '' && !address.startsWith('#') && (!absolute.test(address) || address.includes('/spaces/'));

/** Whether the text of a link only names its target. */
export const namesTarget = (address: string, words: string): boolean =>
  mayBeHidden(address) && isAddressItself(address.replace(marks, ''), words.replace(marks, ''));

/**
 * Returns the address in the parentheses of a link, and whether the link is a mention. The text of a mention is the
 * name of its target.
 */
export function readLinkTail(tail: string): { address: string; isMention: boolean } {
  const start = skipSpace(tail, 1);
  const destination = readDestination(tail, start) ?? { target: '', end: start };
  const isMention =
    readParentheses(tail, 0) !== undefined && /^["'(]mention["')]/.test(tail.slice(destination.end).trim());
  return { address: destination.target, isMention };
}

const TAG = /<!--[^<>]*-->|<(\/?)([a-z][a-z\d-]*)(?![a-z\d-])([^<>]*)>/gi;
const HREF = /(?:^|\s)href\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'=<>`]+))/i;

const getHref = (attributes: string): string => {
  const [, double, single, unquoted] = HREF.exec(attributes) ?? [];
  return decodeEntities(double ?? single ?? unquoted ?? '');
};

/** Removes from HTML the links whose text only names their target. */
export function removeNamesInHtml(source: string): string {
  let [visibleText, from] = ['', 0];
  let open: { start: number; attributes: string; words: string; end: number } | undefined;
  for (const { 0: tag, 1: closes, 2: name = '', 3: attributes = '', index } of source.matchAll(TAG)) {
    const end = index + tag.length;
    if (open !== undefined) open = { ...open, words: `${open.words}${source.slice(open.end, index)}`, end };
    if (name.toLowerCase() !== 'a') continue;
    if (closes === '') open = { start: index, attributes, words: '', end };
    else if (open !== undefined) {
      if (isName(open)) [visibleText, from] = [`${visibleText}${source.slice(from, open.start)} `, end];
      open = undefined;
    }
  }
  return visibleText + source.slice(from);
}

/**
 * Whether HTML other than tables contains a link with a restricted target. Readers without access do not see any of it.
 */
export const hasRestrictedLink = (source: string): boolean =>
  !/^\s*<table\b/i.test(source) &&
  [...source.matchAll(TAG)].some(
    ([, closes, name, attributes = '']) => !closes && /^a$/i.test(name ?? '') && mayBeHidden(getHref(attributes)),
  );

const isName = ({ attributes, words }: { attributes: string; words: string }): boolean =>
  /(?:^|\s)data-mention(?=[\s=]|$)/i.test(attributes) || namesTarget(getHref(attributes), decodeEntities(words));

const mayHaveCaptions = /\{%-?[ \t]*content-ref\b/;

/** Removes the captions of references. The line numbers do not change. */
export function removeCaptions(markdown: string): string {
  if (!mayHaveCaptions.test(markdown)) return markdown;
  const lines = markdown.split('\n');
  const { extents } = readExtents(lines);
  const captions = lines.flatMap((line, index) => {
    const { end = index } = extents.get(index) ?? {};
    return end > index && readLineTag(line)?.name === 'content-ref' ? [{ from: index, end }] : [];
  });
  for (const { from, end } of captions) lines.fill('', from, end + 1);
  return lines.join('\n');
}
