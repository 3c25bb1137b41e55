import { type MarkedPart, markWords } from './words.ts';

/** A line of a unified diff. Its numbers in both texts start at 1. */
export interface DiffLine {
  kind: 'unchanged' | 'removed' | 'added';
  before?: number;
  after?: number;
  parts: MarkedPart[];
  /** Whether the text ends with this line and without a newline. */
  isUnterminated?: boolean;
}

/** A line of each side, for the view side by side. A side is absent if it has no line here. */
export interface DiffRow {
  before?: DiffLine;
  after?: DiffLine;
}

const toText = ({ parts }: DiffLine): string => parts.map(({ text }) => text).join('');

const hunkHeader = /^@@ -(\d+),(\d+) \+(\d+),(\d+) @@$/;
const kinds: Record<string, DiffLine['kind']> = { ' ': 'unchanged', '-': 'removed', '+': 'added' };

/** Parses the hunks of a unified diff as the API returns it. */
export function parseDiff(diff: string): DiffLine[][] {
  const hunks: DiffLine[][] = [];
  let [before, after] = [0, 0];
  for (const line of diff.replace(/\n$/, '').split('\n')) {
    const [, oldStart, oldCount, newStart, newCount] = hunkHeader.exec(line) ?? [];
    const [hunk, kind] = [hunks.at(-1), kinds[line[0] ?? '']];
    const last = hunk?.at(-1);
    if (oldStart !== undefined) {
      // The header of an empty range contains the number of the line before the range.
      before = Number(oldStart) + (oldCount === '0' ? 1 : 0);
      after = Number(newStart) + (newCount === '0' ? 1 : 0);
      hunks.push([]);
    } else if (kind !== undefined)
      hunk?.push({
        kind,
        ...(kind === 'added' ? {} : { before: before++ }),
        ...(kind === 'removed' ? {} : { after: after++ }),
        parts: [{ text: line.slice(1).replace(/\r$/, ''), isChanged: false }],
      });
    else if (last !== undefined) last.isUnterminated = true;
  }
  return hunks;
}

/** Places removed lines beside the added lines that replace them, and marks the words that differ. */
export function pairLines(lines: DiffLine[]): DiffRow[] {
  const rows: DiffRow[] = [];
  let index = 0;
  const takeWhile = (kind: DiffLine['kind']): DiffLine[] => {
    const start = index;
    while (lines[index]?.kind === kind) index += 1;
    return lines.slice(start, index);
  };
  while (index < lines.length) {
    for (const line of takeWhile('unchanged')) rows.push({ before: line, after: line });
    const [removed, added] = [takeWhile('removed'), takeWhile('added')];
    for (let at = 0; at < Math.max(removed.length, added.length); at += 1) rows.push(markRow(removed[at], added[at]));
  }
  return rows;
}

function markRow(before: DiffLine | undefined, after: DiffLine | undefined): DiffRow {
  if (before === undefined) return after === undefined ? {} : { after };
  if (after === undefined) return { before };
  const marked = markWords(toText(before), toText(after));
  if (marked === undefined) return { before, after };
  return { before: { ...before, parts: marked.before }, after: { ...after, parts: marked.after } };
}

/** Returns the lines of rows in the order of a unified diff: the removed lines of a change precede the added ones. */
export function toUnifiedLines(rows: DiffRow[]): DiffLine[] {
  const lines: DiffLine[] = [];
  let added: DiffLine[] = [];
  for (const { before, after } of rows) {
    if (before !== undefined && before === after) {
      lines.push(...added, before);
      added = [];
      continue;
    }
    if (before !== undefined) lines.push(before);
    if (after !== undefined) added.push(after);
  }
  return [...lines, ...added];
}
