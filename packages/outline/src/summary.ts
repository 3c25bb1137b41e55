import type { LinkTarget } from '@octavo/schema';
import { escapeDestination, escapeText } from './text.ts';

/** A line of a summary: a page, a link or a page without a file. `destination` is as written, its escapes undone. */
export interface SummaryEntry {
  type: 'entry';
  title: string;
  destination?: string;
  /** Said in a comment after the entry: `hidden`, and `link` for a second mention that is a link to the page. */
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
/** Where a part ends although more entries follow. Other readers of summaries see a comment. */
export const groupEnd = '<!-- end of part -->';

/** Writes a summary that `parseSummary` reads back as the same items. */
export function writeSummary(items: SummaryItem[]): string {
  const lines = ['# Summary', ''];
  let inGroup = false;
  for (const item of items) {
    if (item.type === 'group') {
      if (lines.at(-1) !== '') lines.push('');
      lines.push(`## ${escapeText(item.title)}`, '');
      for (const entry of item.items) writeEntry(lines, entry, '');
    } else {
      if (inGroup) lines.push('', groupEnd, '');
      writeEntry(lines, item, '');
    }
    inGroup = item.type === 'group';
  }
  return `${lines.join('\n').trimEnd()}\n`;
}

function writeEntry(lines: string[], entry: SummaryEntry, indent: string): void {
  const destination = entry.destination === undefined ? '' : escapeDestination(entry.destination);
  const marks = entry.marks.map((mark) => ` <!-- ${mark} -->`).join('');
  lines.push(`${indent}- [${escapeText(entry.title)}](${destination})${marks}`);
  for (const item of entry.items) writeEntry(lines, item, `${indent}  `);
}

const scheme = 'octavo:';

/** The target of a summary's destination; undefined where it names a file of the folder. */
export function readTarget(destination: string): LinkTarget | undefined {
  if (destination.startsWith(scheme))
    return readOwn(destination.slice(scheme.length)) ?? { kind: 'url', url: destination };
  return isAddress(destination) ? { kind: 'url', url: destination } : undefined;
}

/** The destination that stands for a target, where no file does. */
export function writeTarget(target: LinkTarget): string {
  if (target.kind === 'url') {
    const { url } = target;
    return isAddress(url) && !url.startsWith(scheme) ? url : `${scheme}url/${encodeURIComponent(url)}`;
  }
  if (target.kind === 'page')
    return `${scheme}page/${target.page}${target.space === undefined ? '' : `/${target.space}`}`;
  return target.kind === 'space' ? `${scheme}space/${target.space}` : `${scheme}file/${target.file}`;
}

const isAddress = (text: string): boolean => /^(?:[a-z][a-z\d+.-]*:|\/\/|#)/i.test(text);

function readOwn(text: string): LinkTarget | undefined {
  const [kind, id = '', space] = text.split('/');
  if (kind === 'url') return { kind: 'url', url: decodeURIComponent(id) };
  if (kind === 'page') return { kind: 'page', page: id, ...(space !== undefined && { space }) };
  if (kind === 'space') return { kind: 'space', space: id };
  return kind === 'file' ? { kind: 'file', file: id } : undefined;
}
