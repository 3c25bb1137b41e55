import { decodeEntities } from '../inline-syntax.ts';
import { readExtents, tagOfLine } from '../tree/extents.ts';
import { afterSpace, destinationAt, parenthesesAt } from './destinations.ts';

/*
 * Some words of a text are not its own but name what it refers to: the caption of a reference, a mention, a link that is
 * written as its address. Who may not see that is not told its name, so that the index of a search holds none of them.
 */

const withoutEnding = (address: string): string =>
  (address.split('#', 1)[0] ?? '').replace(/\.(?:mdx?|markdown)$/i, '');

/** Whether the words of a link are its address itself, or the end of it. */
export function isAddressItself(address: string, words: string): boolean {
  const [whole, named] = [withoutEnding(address), withoutEnding(words.trim())];
  return named === '' || whole.endsWith(named) || named.endsWith(whole);
}

const absolute = /^(?:[a-z][a-z\d+.-]*:|\/\/)/i;
const marks = /[`*_~\\]/g;

/** Whether a link may lead to content that not everybody may see: within its space, or into a space by its address. */
const mayBeHidden = (address: string): boolean =>
  address !== '' && !address.startsWith('#') && (!absolute.test(address) || address.includes('/spaces/'));

/** Whether the words of a link, as they are written, only name what it leads to. */
export const namesTarget = (address: string, words: string): boolean =>
  mayBeHidden(address) && isAddressItself(address.replace(marks, ''), words.replace(marks, ''));

/** The address in the parentheses of a link, and whether that is a mention: those are written with what they lead to. */
export function targetIn(tail: string): { address: string; isMention: boolean } {
  const start = afterSpace(tail, 1);
  const destination = destinationAt(tail, start) ?? { target: '', end: start };
  const isMention =
    parenthesesAt(tail, 0) !== undefined && /^["'(]mention["')]/.test(tail.slice(destination.end).trim());
  return { address: destination.target, isMention };
}

const TAG = /<!--[^<>]*-->|<(\/?)([a-z][a-z\d-]*)(?![a-z\d-])([^<>]*)>/gi;
const HREF = /(?:^|\s)href\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'=<>`]+))/i;

const addressIn = (attributes: string): string => {
  const [, double, single, bare] = HREF.exec(attributes) ?? [];
  return decodeEntities(double ?? single ?? bare ?? '');
};

/** HTML without the links in it whose words, but for tags among them, name what they lead to. */
export function withoutNamesInHtml(source: string): string {
  let [shown, from] = ['', 0];
  let open: { start: number; attributes: string; words: string; end: number } | undefined;
  for (const { 0: tag, 1: closes, 2: name = '', 3: attributes = '', index } of source.matchAll(TAG)) {
    const end = index + tag.length;
    if (open !== undefined) open = { ...open, words: `${open.words}${source.slice(open.end, index)}`, end };
    if (name.toLowerCase() !== 'a') continue;
    if (closes === '') open = { start: index, attributes, words: '', end };
    else if (open !== undefined) {
      if (isName(open)) [shown, from] = [`${shown}${source.slice(from, open.start)} `, end];
      open = undefined;
    }
  }
  return shown + source.slice(from);
}

/** Whether HTML, but for tables, holds a link that not everybody may be told of: who may not is not shown any of it. */
export const isLeftOutWhole = (source: string): boolean =>
  !/^\s*<table\b/i.test(source) &&
  source
    .matchAll(TAG)
    .some(
      ([, closes, name, attributes = '']) => !closes && /^a$/i.test(name ?? '') && mayBeHidden(addressIn(attributes)),
    );

const isName = ({ attributes, words }: { attributes: string; words: string }): boolean =>
  /(?:^|\s)data-mention(?=[\s=]|$)/i.test(attributes) || namesTarget(addressIn(attributes), decodeEntities(words));

const mayHaveCaptions = /\{%-?[ \t]*content-ref\b/;

/** A text without the captions of its references. Its lines stay where they are. */
export function withoutCaptions(markdown: string): string {
  if (!mayHaveCaptions.test(markdown)) return markdown;
  const lines = markdown.split('\n');
  const { extents } = readExtents(lines);
  const captions = lines.flatMap((line, at) => {
    const { end = at } = extents.get(at) ?? {};
    return end > at && tagOfLine(line)?.name === 'content-ref' ? [{ from: at, end }] : [];
  });
  for (const { from, end } of captions) lines.fill('', from, end + 1);
  return lines.join('\n');
}
