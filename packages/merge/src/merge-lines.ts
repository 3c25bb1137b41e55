import type { Conflict } from './conflict-markers.ts';
import {
  countEqualEnd,
  countEqualStart,
  createLineNumbering,
  matchLines,
  measureCommonEnds,
  splitLines,
} from './lines.ts';

/** Three versions of one document. */
export type TextVersions = { base: string; main: string; incoming: string };

/** A merged text, or a conflict. */
export type MergedPiece = string | Conflict;

type Side = { lines: string[]; numbers: Int32Array };
type Sides = { base: Side; main: Side; incoming: Side };

/**
 * Merges three texts by lines, without changing any byte (diff3: Khanna, Kunal, Pierce, "A Formal Investigation of
 * Diff3", 2007). Adjacent changes conflict unless they are equal.
 */
export function mergeLines(texts: TextVersions, split = splitLines): MergedPiece[] {
  const [start, changed, end] = splitCommonEnds(texts);
  const number = createLineNumbering();
  const createSide = (text: string): Side => {
    const lines = split(text);
    return { lines, numbers: number(lines) };
  };
  const { base, main, incoming } = changed;
  return [
    start,
    ...mergeSides({ base: createSide(base), main: createSide(main), incoming: createSide(incoming) }),
    end,
  ];
}

const splitWords = (text: string): string[] => text.match(/[\p{L}\p{M}\p{N}]+|[ \t]+|./gsu) ?? [];

/** Merges three texts by words, also if they change adjacent words. Returns undefined if there is a conflict. */
export function mergeWords(texts: TextVersions): string | undefined {
  const pieces = mergeLines(texts, splitWords).map((piece) => {
    if (typeof piece === 'string') return piece;
    const { base, main, incoming } = piece;
    return joinChanges(base, incoming, main) ?? joinChanges(base, main, incoming);
  });
  return pieces.every((piece) => piece !== undefined) ? pieces.join('') : undefined;
}

/** Joins a change of the start of a text with a change of its end. */
function joinChanges(base: string, atStart: string, atEnd: string): string | undefined {
  const end = countEqualEnd(base, atStart, Math.min(base.length, atStart.length));
  const start = countEqualStart(base, atEnd, Math.min(base.length, atEnd.length));
  if (start + end < base.length) return undefined;
  return atStart.slice(0, atStart.length - end) + base.slice(base.length - end, start) + atEnd.slice(start);
}

/** Returns everything that differs as one conflict. */
export function toSingleConflict(texts: TextVersions): MergedPiece[] {
  return splitCommonEnds(texts);
}

function splitCommonEnds({ base, main, incoming }: TextVersions): [string, TextVersions, string] {
  const { prefix, suffix } = measureCommonEnds([base, main, incoming]);
  const getMiddle = (text: string) => text.slice(prefix, text.length - suffix);
  const changed = { base: getMiddle(base), main: getMiddle(main), incoming: getMiddle(incoming) };
  return [base.slice(0, prefix), changed, base.slice(base.length - suffix)];
}

function cut(side: Side, start: number, end: number): Side {
  return { lines: side.lines.slice(start, end), numbers: side.numbers.subarray(start, end) };
}

function mergeSides({ base, main, incoming }: Sides): MergedPiece[] {
  const pieces: MergedPiece[] = [];
  const toMain = matchLines(base.numbers, main.numbers);
  const toIncoming = toMain && matchLines(base.numbers, incoming.numbers);
  const last = { base: base.lines.length, main: main.lines.length, incoming: incoming.lines.length };
  let from = { base: 0, main: 0, incoming: 0 };
  const addRegion = (to: typeof from): void => {
    const sides = {
      base: cut(base, from.base, to.base),
      main: cut(main, from.main, to.main),
      incoming: cut(incoming, from.incoming, to.incoming),
    };
    pieces.push(mergeRegion(sides));
  };

  for (let i = 0; toMain && toIncoming && i < last.base; i += 1) {
    const to = { base: i, main: toMain[i] ?? -1, incoming: toIncoming[i] ?? -1 };
    if (to.main < 0 || to.incoming < 0) continue;
    if (to.base > from.base || to.main > from.main || to.incoming > from.incoming) addRegion(to);
    pieces.push(base.lines[i] ?? '');
    from = { base: i + 1, main: to.main + 1, incoming: to.incoming + 1 };
  }
  addRegion(last);
  return pieces;
}

function mergeRegion({ base, main, incoming }: Sides): MergedPiece {
  const getRegionText = ({ lines }: Side) => lines.join('');
  if (isSameSide(base, incoming) || isSameSide(main, incoming)) return getRegionText(main);
  if (isSameSide(base, main)) return getRegionText(incoming);
  return { base: getRegionText(base), main: getRegionText(main), incoming: getRegionText(incoming) };
}

function isSameSide(a: Side, b: Side): boolean {
  return a.numbers.length === b.numbers.length && a.numbers.every((number, index) => number === b.numbers[index]);
}
