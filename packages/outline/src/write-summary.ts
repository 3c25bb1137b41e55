import { groupEnd, type SummaryEntry, type SummaryItem } from './summary.ts';
import { escapeDestination, escapeText } from './text.ts';

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
