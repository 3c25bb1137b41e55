import { commonEnds, lineNumbering, splitLines } from './lines.ts';
import { matchLines } from './match-lines.ts';

const INCOMING_MARKER = '<<<<<<< change request';
const BASE_MARKER = '||||||| base';
const MIDDLE_MARKER = '=======';
const MAIN_MARKER = '>>>>>>> main';

/** Three versions of one document. */
export type TextVersions = { base: string; main: string; incoming: string };

type Side = { lines: string[]; numbers: Int32Array };
type Sides = { base: Side; main: Side; incoming: Side };
type Merge = { pieces: string[]; conflicts: number; newline: string };

/**
 * Merges by lines, byte for byte (diff3: Khanna, Kunal, Pierce, "A Formal Investigation of Diff3", 2007). Touching
 * changes conflict unless they are equal; `text` then holds each conflict between diff3 markers.
 */
export function mergeText({ base, main, incoming }: TextVersions): { text: string; conflicts: number } {
  if (incoming === base || incoming === main) return { text: main, conflicts: 0 };
  if (main === base) return { text: incoming, conflicts: 0 };

  const { prefix, suffix } = commonEnds([base, main, incoming]);
  const number = lineNumbering();
  const side = (text: string): Side => {
    const lines = splitLines(text.slice(prefix, text.length - suffix));
    return { lines, numbers: number(lines) };
  };
  const merge: Merge = { pieces: [], conflicts: 0, newline: dominantNewline([base, main, incoming]) };
  mergeSides(merge, { base: side(base), main: side(main), incoming: side(incoming) });
  const text = base.slice(0, prefix) + merge.pieces.join('') + base.slice(base.length - suffix);
  return { text, conflicts: merge.conflicts };
}

/** Whether the marker lines of `mergeText` still stand in the text as whole lines, in their order. */
export function hasConflictMarkers(text: string): boolean {
  let from = 0;
  for (const marker of [INCOMING_MARKER, MIDDLE_MARKER, MAIN_MARKER]) {
    from = endOfLine(text, marker, from);
    if (from < 0) return false;
  }
  return true;
}

function endOfLine(text: string, line: string, from: number): number {
  for (let start = text.indexOf(line, from); start >= 0; start = text.indexOf(line, start + 1)) {
    const end = start + line.length;
    const begins = start === 0 || text[start - 1] === '\n';
    const ends = end === text.length || text[end] === '\n' || text.startsWith('\r\n', end);
    if (begins && ends) return end;
  }
  return -1;
}

function dominantNewline(texts: string[]): string {
  const count = (ending: string): number => texts.reduce((sum, text) => sum + occurrences(text, ending), 0);
  return count('\r\n') * 2 > count('\n') ? '\r\n' : '\n';
}

function occurrences(text: string, part: string): number {
  let count = 0;
  for (let i = text.indexOf(part); i >= 0; i = text.indexOf(part, i + part.length)) count += 1;
  return count;
}

function cut(side: Side, start: number, end: number): Side {
  return { lines: side.lines.slice(start, end), numbers: side.numbers.subarray(start, end) };
}

function mergeSides(merge: Merge, { base, main, incoming }: Sides): void {
  const toMain = matchLines(base.numbers, main.numbers);
  const toIncoming = toMain && matchLines(base.numbers, incoming.numbers);
  const last = { base: base.lines.length, main: main.lines.length, incoming: incoming.lines.length };
  let from = { base: 0, main: 0, incoming: 0 };
  const region = (to: typeof from): void => {
    mergeRegion(merge, {
      base: cut(base, from.base, to.base),
      main: cut(main, from.main, to.main),
      incoming: cut(incoming, from.incoming, to.incoming),
    });
  };

  for (let i = 0; toMain && toIncoming && i < last.base; i += 1) {
    const to = { base: i, main: toMain[i] ?? -1, incoming: toIncoming[i] ?? -1 };
    if (to.main < 0 || to.incoming < 0) continue;
    if (to.base > from.base || to.main > from.main || to.incoming > from.incoming) region(to);
    merge.pieces.push(base.lines[i] ?? '');
    from = { base: i + 1, main: to.main + 1, incoming: to.incoming + 1 };
  }
  region(last);
}

function mergeRegion(merge: Merge, { base, main, incoming }: Sides): void {
  if (isSame(base, incoming) || isSame(main, incoming)) merge.pieces.push(main.lines.join(''));
  else if (isSame(base, main)) merge.pieces.push(incoming.lines.join(''));
  else {
    merge.conflicts += 1;
    const section = (marker: string, lines: string[]): string => marker + merge.newline + closed(lines, merge.newline);
    merge.pieces.push(
      section(INCOMING_MARKER, incoming.lines),
      section(BASE_MARKER, base.lines),
      section(MIDDLE_MARKER, main.lines),
      section(MAIN_MARKER, []),
    );
  }
}

function isSame(a: Side, b: Side): boolean {
  return a.numbers.length === b.numbers.length && a.numbers.every((number, index) => number === b.numbers[index]);
}

function closed(lines: string[], newline: string): string {
  const text = lines.join('');
  return text === '' || text.endsWith('\n') ? text : text + newline;
}
