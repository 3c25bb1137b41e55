import type { LinkTarget } from '@octavo/schema';
import { decodeAddress } from './paths.ts';
import { escapeDestination, escapeText, inlineText } from './text.ts';

/** An entry of a summary: a page, a link, or a page without a file. `destination` is unescaped. */
export interface SummaryEntry {
  type: 'entry';
  title: string;
  destination?: string;
  /** Marks in a comment after the entry: `hidden`, and `link` for a repeated entry that is a link to the page. */
  marks: SummaryMark[];
  items: SummaryEntry[];
}

export interface SummaryGroup {
  type: 'group';
  title: string;
  items: SummaryEntry[];
}

export type SummaryItem = SummaryEntry | SummaryGroup;
export type SummaryMark = (typeof marks)[number];

export const marks = ['hidden', 'link'] as const;
/** Marks the end of a part if more entries follow. Other programs treat it as a comment. */
export const groupEnd = '<!-- end of part -->';

/** The style of a summary: its title, the bullets of its lists, and the indent of each level. */
export interface SummaryStyle {
  title: string;
  bullet: string;
  step: string;
}

/** The style of GitBook repositories. */
export const gitBookStyle: SummaryStyle = { title: '# Table of contents', bullet: '*', step: '  ' };

/** Writes a summary that `parseSummary` parses to the same items. */
export function writeSummary(items: SummaryItem[], style = gitBookStyle): string {
  const lines = [style.title, ''];
  let inGroup = false;
  for (const item of items) {
    if (item.type === 'group') {
      if (lines.at(-1) !== '') lines.push('');
      lines.push(writeGroup(item.title), '');
      for (const entry of item.items) writeEntries(lines, entry, { indent: '', style });
    } else {
      if (inGroup) lines.push('', groupEnd, '');
      writeEntries(lines, item, { indent: '', style });
    }
    inGroup = item.type === 'group';
  }
  return `${lines.join('\n').trimEnd()}\n`;
}

function writeEntries(
  lines: string[],
  entry: SummaryEntry,
  { indent, style }: { indent: string; style: SummaryStyle },
): void {
  lines.push(`${indent}${style.bullet} ${writeEntry(entry)}`);
  for (const item of entry.items) writeEntries(lines, item, { indent: indent + style.step, style });
}

/** Returns the line of a part. */
export const writeGroup = (title: string): string => `## ${writeTitle(title)}`;

/** Returns an entry without its bullet. */
export const writeEntry = ({ title, destination, marks }: SummaryEntry): string =>
  `[${writeTitle(title)}](${destination === undefined ? '' : escapeDestination(destination)})${writeMarks(marks)}`;

export const writeMarks = (marks: readonly SummaryMark[]): string => marks.map((mark) => ` <!-- ${mark} -->`).join('');

const harmless = /^[\p{L}\p{N}][\p{L}\p{N} ,.:;?'"/=@%$()!&+#_*-]*$/u;

/** Escapes a title only if it would parse differently. */
export function writeTitle(title: string): string {
  const isPlain = harmless.test(title) && !/ #*$/.test(title) && inlineText(title) === title;
  return isPlain ? title : escapeText(title);
}

const scheme = 'octavo:';

/** Returns the target of a destination, or undefined if it names a file of the folder. */
export function readTarget(destination: string): LinkTarget | undefined {
  if (destination.startsWith(scheme))
    return readOwnTarget(destination.slice(scheme.length)) ?? { kind: 'url', url: destination };
  return isAddress(destination) ? { kind: 'url', url: destination } : undefined;
}

/** Returns the destination for a target without a file. */
export function writeTarget(target: LinkTarget): string {
  if (target.kind === 'url') {
    const { url } = target;
    return isAddress(url) && !url.startsWith(scheme) ? url : `${scheme}url/${encodeURIComponent(url)}`;
  }
  if (target.kind === 'page')
    return `${scheme}page/${target.page}${target.space === undefined ? '' : `/${target.space}`}`;
  if (target.kind === 'anchor') {
    const address = `${target.page}/${encodeURIComponent(target.anchor)}`;
    return `${scheme}anchor/${address}${target.space === undefined ? '' : `/${target.space}`}`;
  }
  return target.kind === 'space' ? `${scheme}space/${target.space}` : `${scheme}file/${target.file}`;
}

const maxAnchor = 256;

/**
 * Returns the percent-decoded anchor of a destination. Undefined for a destination without an anchor, and for an anchor
 * that links cannot have.
 */
export function getAnchor(destination: string): string | undefined {
  const index = destination.indexOf('#');
  const anchor = index === -1 ? '' : decodeAddress(destination.slice(index + 1));
  return anchor === '' || anchor.length > maxAnchor ? undefined : anchor;
}

const isAddress = (text: string): boolean => /^(?:[a-z][a-z\d+.-]*:|\/\/|#)/i.test(text);

function readOwnTarget(text: string): LinkTarget | undefined {
  const [kind, id = '', space, other] = text.split('/');
  if (kind === 'url') return { kind: 'url', url: decodeURIComponent(id) };
  if (kind === 'page') return { kind: 'page', page: id, ...(space !== undefined && { space }) };
  if (kind === 'anchor' && space)
    return {
      kind: 'anchor',
      anchor: decodeAddress(space),
      page: id,
      ...(other !== undefined && { space: other }),
    };
  if (kind === 'space') return { kind: 'space', space: id };
  return kind === 'file' ? { kind: 'file', file: id } : undefined;
}
