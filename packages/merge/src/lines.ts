import { getResult, type TreeSteps } from '@octavo/markdown';

/** Splits a text into lines, each with its terminator (LF or CRLF). Joining them restores the text. */
export function splitLines(text: string): string[] {
  const lines: string[] = [];
  let start = 0;
  while (start < text.length) {
    const newline = text.indexOf('\n', start);
    const end = newline < 0 ? text.length : newline + 1;
    lines.push(text.slice(start, end));
    start = end;
  }
  return lines;
}

/**
 * Returns the length, in UTF-16 units, of the whole lines that all texts share at the start and at the end. These two
 * ranges do not overlap.
 */
export function measureCommonEnds(texts: readonly string[]): { prefix: number; suffix: number } {
  const [first = '', ...others] = texts;
  const shortest = Math.min(...texts.map((text) => text.length));
  let equal = shortest;
  for (const other of others) equal = countEqualStart(first, other, equal);
  const prefix = equal === 0 ? 0 : first.lastIndexOf('\n', equal - 1) + 1;
  let suffix = shortest - prefix;
  for (const other of others) suffix = countEqualEnd(first, other, suffix);
  if (texts.every((text) => isLineStart(text, text.length - suffix))) return { prefix, suffix };
  const newline = first.indexOf('\n', first.length - suffix);
  return { prefix, suffix: newline < 0 ? 0 : first.length - newline - 1 };
}

export function countEqualStart(a: string, b: string, limit: number): number {
  let count = 0;
  while (count < limit && a.charCodeAt(count) === b.charCodeAt(count)) count += 1;
  return count;
}

export function countEqualEnd(a: string, b: string, limit: number): number {
  let count = 0;
  while (count < limit && a.charCodeAt(a.length - 1 - count) === b.charCodeAt(b.length - 1 - count)) count += 1;
  return count;
}

function isLineStart(text: string, position: number): boolean {
  return position === 0 || text[position - 1] === '\n';
}

/** Returns a function that numbers lines. Equal lines get equal numbers in all texts that use the same function. */
export function createLineNumbering(): (lines: readonly string[]) => Int32Array {
  const numbers = new Map<string, number>();
  return (lines) => {
    const result = new Int32Array(lines.length);
    lines.forEach((line, index) => {
      const number = numbers.get(line) ?? numbers.size;
      if (number === numbers.size) numbers.set(line, number);
      result[index] = number;
    });
    return result;
  };
}

const MAX_EDITS = 2_000;
const MAX_STEPS = 20_000_000;
/** Estimated number of lines that are prepared, and of comparisons of the search, in a microsecond. */
const linesPerMicrosecond = 10;
const comparisonsPerMicrosecond = 50;

/**
 * Returns, for each line of `before`, its partner in `after`, or -1: a longest common subsequence (Myers, "An O(ND)
 * Difference Algorithm", 1986). Returns undefined if the search would exceed its limits of edits, steps or memory.
 * Libraries have no such limits: node-diff3 takes half a minute for 4,000 lines, half of them blank, that are edited at
 * both ends.
 */
export const matchLines = (before: Int32Array, after: Int32Array): Int32Array | undefined =>
  getResult(matchLinesInSteps(before, after));

/** Like `matchLines`, but works in steps. */
export function* matchLinesInSteps(before: Int32Array, after: Int32Array): TreeSteps<Int32Array | undefined> {
  const matches = new Int32Array(before.length).fill(-1);
  const prefix = countEqualLinesAtStart(before, after);
  const suffix = countEqualLinesAtEnd(before, after, prefix);
  for (let i = 0; i < prefix; i += 1) matches[i] = i;
  for (let i = 1; i <= suffix; i += 1) matches[before.length - i] = after.length - i;

  const a = findSharedIndices(before, after, prefix, suffix);
  const b = findSharedIndices(after, before, prefix, suffix);
  yield Math.ceil((before.length + after.length) / linesPerMicrosecond);
  const trace = yield* searchEdits(selectLines(before, a), selectLines(after, b));
  if (!trace) return undefined;
  for (const [x, y] of listDiagonals(trace, a.length, b.length)) matches[getNumber(a, x)] = getNumber(b, y);
  return matches;
}

function getNumber(numbers: Int32Array, index: number): number {
  return numbers[index] ?? -1;
}

function countEqualLinesAtStart(a: Int32Array, b: Int32Array): number {
  const limit = Math.min(a.length, b.length);
  let count = 0;
  while (count < limit && a[count] === b[count]) count += 1;
  return count;
}

function countEqualLinesAtEnd(a: Int32Array, b: Int32Array, prefix: number): number {
  const limit = Math.min(a.length, b.length) - prefix;
  let count = 0;
  while (count < limit && a[a.length - 1 - count] === b[b.length - 1 - count]) count += 1;
  return count;
}

/**
 * Returns the indices of the lines between the equal ends that the other text also contains. No other line can match.
 */
function findSharedIndices(lines: Int32Array, others: Int32Array, prefix: number, suffix: number): Int32Array {
  const present = new Set(others.subarray(prefix, others.length - suffix));
  const indices: number[] = [];
  for (let i = prefix; i < lines.length - suffix; i += 1) if (present.has(getNumber(lines, i))) indices.push(i);
  return Int32Array.from(indices);
}

function selectLines(lines: Int32Array, indices: Int32Array): Int32Array {
  return indices.map((index) => getNumber(lines, index));
}

/** Row d contains, for each of the diagonals -d, -d+2 ... d, the furthest x that d edits reach. */
function* searchEdits(a: Int32Array, b: Int32Array): TreeSteps<Int32Array[] | undefined> {
  const trace: Int32Array[] = [];
  let steps = 0;
  for (let d = 0; d <= Math.min(a.length + b.length, MAX_EDITS); d += 1) {
    const row = new Int32Array(d + 1);
    const formerSteps = steps;
    trace.push(row);
    for (let k = -d; k <= d; k += 2) {
      let x = findStart(trace[d - 1], d, k);
      const start = x;
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x += 1;
      row[(k + d) / 2] = x;
      if (x >= a.length && x - k >= b.length) return trace;
      steps += x - start + 1;
    }
    if (steps > MAX_STEPS) return undefined;
    yield (steps - formerSteps) / comparisonsPerMicrosecond;
  }
  return undefined;
}

function findStart(previous: Int32Array | undefined, d: number, k: number): number {
  if (!previous) return 0;
  const index = (k + d) / 2;
  return isDownwardStep(previous, d, k) ? getNumber(previous, index) : getNumber(previous, index - 1) + 1;
}

function isDownwardStep(previous: Int32Array, d: number, k: number): boolean {
  const index = (k + d) / 2;
  return k === -d || (k !== d && getNumber(previous, index - 1) < getNumber(previous, index));
}

function* listDiagonals(trace: readonly Int32Array[], endX: number, endY: number): Generator<[number, number]> {
  let x = endX;
  let y = endY;
  for (let d = trace.length - 1; d >= 0; d -= 1) {
    const k = x - y;
    const previous = trace[d - 1];
    const start = findStart(previous, d, k);
    while (x > start) yield [--x, --y];
    if (previous && isDownwardStep(previous, d, k)) y -= 1;
    else x -= 1;
  }
}
