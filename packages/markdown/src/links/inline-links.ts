import { type CodeRuns, codeRuns, codeSpan } from '../code-runs.ts';
import { normalizeReference } from '../entities.ts';
import type { LinkKind, Occurrence } from './destination.ts';
import { matchAt, parenthesesAt } from './destination.ts';
import { blockTag, htmlTag, shortcodeTag, type TagTail } from './tags.ts';

const PLAIN = /[^\\`<[\]!{]+/y;
const LABEL = /\[([^[\]]{0,999})\]/y;
const AUTOLINK = /<([a-zA-Z][a-zA-Z\d+.-]{1,31}:[^\s<>]*)>/y;
const maxLabelLength = 999;

interface Scan {
  source: string;
  isHtml: boolean;
  found: Occurrence[];
  labels: ReadonlySet<string>;
  used: Map<string, LinkKind>;
  open: { start: number; isImage: boolean }[];
  /** Of the open brackets the first ones, which hold a link already: no link holds another. */
  spent: number;
  code: CodeRuns;
  lastComment: number;
  lastTag: number;
}

/** The targets of a piece of text, and the labels of definitions that it uses. Linear in the length. */
export function inlineLinks(
  source: string,
  { labels, isHtml }: { labels: ReadonlySet<string>; isHtml: boolean },
): Pick<Scan, 'found' | 'used'> {
  const scan: Scan = {
    source,
    isHtml,
    found: [],
    labels,
    used: new Map(),
    open: [],
    spent: 0,
    code: isHtml ? new Map() : codeRuns(source),
    lastComment: source.lastIndexOf('-->'),
    lastTag: source.lastIndexOf('%}'),
  };
  for (let position = 0; position < source.length; ) position = step(scan, position);
  return scan;
}

function step(scan: Scan, position: number): number {
  const { source } = scan;
  const plain = matchAt(PLAIN, source, position);
  if (plain) return position + plain[0].length;
  const character = source.charAt(position);
  if (character === '<') return readAngle(scan, position);
  if (character === '{')
    return take(scan, shortcodeTag(source, position) ?? blockTag(source, position, scan.lastTag), position);
  if (scan.isHtml) return position + 1;
  if (character === '`') return afterCode(scan, position);
  if (character === '\\') return position + 2;
  if (character === ']') return closeLink(scan, position);
  if (character === '[') return openLink(scan, position, false);
  return source[position + 1] === '[' ? openLink(scan, position + 1, true) : position + 1;
}

function take(scan: Scan, tag: TagTail | undefined, position: number): number {
  if (tag?.found !== undefined) scan.found.push(tag.found, ...(tag.also ?? []));
  return tag?.end ?? position + 1;
}

function afterCode(scan: Scan, position: number): number {
  const { length, close } = codeSpan(scan.code, scan.source, position);
  return (close ?? position) + length;
}

function readAngle(scan: Scan, position: number): number {
  const { source } = scan;
  if (position + 4 <= scan.lastComment && source.startsWith('<!--', position)) {
    return source.indexOf('-->', position + 4) + 3;
  }
  const address = scan.isHtml ? undefined : matchAt(AUTOLINK, source, position)?.[1];
  if (address === undefined) return take(scan, htmlTag(source, position), position);
  const range = { start: position + 1, end: position + 1 + address.length };
  scan.found.push({ ...range, target: address, relation: 'reference', kind: 'link', style: 'autolink' });
  return range.end + 1;
}

function openLink(scan: Scan, position: number, isImage: boolean): number {
  scan.open.push({ start: position + 1, isImage });
  return position + 1;
}

function closeLink(scan: Scan, position: number): number {
  const opening = scan.open.pop();
  if (opening === undefined) return position + 1;
  const isSpent = scan.open.length < scan.spent && !opening.isImage;
  scan.spent = Math.min(scan.spent, scan.open.length);
  if (isSpent) return position + 1;
  const kind = opening.isImage ? 'image' : 'link';
  const end = readTarget(scan, position + 1, { kind, start: opening.start });
  if (end !== undefined && !opening.isImage) scan.spent = scan.open.length;
  return end ?? position + 1;
}

/** What follows the bracketed text: a target, or the label of one, or nothing where the text itself is the label. */
function readTarget(
  scan: Scan,
  position: number,
  { kind, start }: { kind: LinkKind; start: number },
): number | undefined {
  const { source } = scan;
  const parentheses = parenthesesAt(source, position);
  if (parentheses) {
    const { destination } = parentheses;
    if (destination) scan.found.push({ ...destination, relation: 'reference', kind, style: 'destination' });
    return parentheses.end;
  }
  const label = matchAt(LABEL, source, position);
  const length = position - 1 - start;
  const name = label?.[1] || (length <= maxLabelLength ? source.slice(start, position - 1) : '');
  if (scan.labels.size === 0 || name === '' || name.includes('[')) return undefined;
  const key = normalizeReference(name);
  if (!scan.labels.has(key)) return undefined;
  if (!scan.used.has(key)) scan.used.set(key, kind);
  return position + (label?.[0].length ?? 0);
}
