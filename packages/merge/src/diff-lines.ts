import { createLineNumbering, matchLines, measureCommonEnds, splitLines } from './lines.ts';

interface LineDiff {
  added: number;
  removed: number;
  /** The hunks of a unified diff, or undefined if they exceed the requested length. */
  diff: string | undefined;
}

/** The number of unchanged lines that a hunk shows before and after a change. */
const contextLines = 3;

/**
 * Counts added and removed lines by a longest common subsequence, and writes the unified diff with three lines of
 * context. Lines whose line ending or final newline differs count as changed. Beyond the limits of `matchLines`,
 * everything between the equal ends counts as removed and added.
 */
export function diffLines(before: string, after: string, maxLength = Number.POSITIVE_INFINITY): LineDiff {
  if (before === after) return { added: 0, removed: 0, diff: '' };
  const { prefix, suffix } = measureCommonEnds([before, after]);
  const old = splitLines(before.slice(prefix, before.length - suffix));
  const next = splitLines(after.slice(prefix, after.length - suffix));
  const number = createLineNumbering();
  const matches = matchLines(number(old), number(next)) ?? new Int32Array(old.length).fill(-1);
  const keptCount = matches.reduce((sum, match) => sum + (match < 0 ? 0 : 1), 0);
  const leadingLines = splitLines(before.slice(findContextStart(before, prefix), prefix));
  const trail = splitLines(before.slice(before.length - suffix, findContextEnd(before, before.length - suffix)));
  const diff = writeHunks(addContext({ old, next, matches }, leadingLines, trail), {
    contextLines,
    firstLine: countLines(before, prefix) - leadingLines.length,
    maxLength,
  });
  return { added: next.length - keptCount, removed: old.length - keptCount, diff };
}

/** Adds context lines that both sides have directly before and after the compared lines. */
function addContext({ old, next, matches }: ComparedTexts, leadingLines: string[], trail: string[]): ComparedTexts {
  const extendedMatches = new Int32Array(leadingLines.length + old.length + trail.length);
  for (let index = 0; index < leadingLines.length; index += 1) extendedMatches[index] = index;
  matches.forEach((match, index) => {
    extendedMatches[leadingLines.length + index] = match < 0 ? match : leadingLines.length + match;
  });
  for (let index = 0; index < trail.length; index += 1)
    extendedMatches[leadingLines.length + old.length + index] = leadingLines.length + next.length + index;
  return { old: leadingLines.concat(old, trail), next: leadingLines.concat(next, trail), matches: extendedMatches };
}

/** Counts the lines before a position at the start of a line. */
function countLines(text: string, end: number): number {
  let count = 0;
  for (let newline = text.indexOf('\n'); newline >= 0 && newline < end; newline = text.indexOf('\n', newline + 1))
    count += 1;
  return count;
}

/** Returns the start of the first of the context lines before a position. */
function findContextStart(text: string, end: number): number {
  let start = end;
  for (let line = 0; line < contextLines && start > 0; line += 1)
    start = start === 1 ? 0 : text.lastIndexOf('\n', start - 2) + 1;
  return start;
}

function findContextEnd(text: string, start: number): number {
  let end = start;
  for (let line = 0; line < contextLines && end < text.length; line += 1) {
    const newline = text.indexOf('\n', end);
    end = newline < 0 ? text.length : newline + 1;
  }
  return end;
}

/** Lines to compare, with the index of each old line's partner among the new lines, or -1. */
interface ComparedTexts {
  old: string[];
  next: string[];
  matches: Int32Array;
}

interface DiffContext {
  contextLines: number;
  /** The number of lines before the first of `old`. */
  firstLine: number;
  maxLength: number;
}

/**
 * The lines in the order of the diff: the sign of each line, and its index among the new lines if it is added,
 * otherwise among the old lines.
 */
interface Steps {
  signs: Uint8Array;
  lines: Int32Array;
}

const unchangedSign = 0;
const removed = 1;
const added = 2;
const changeSigns = [' ', '-', '+'];

/** Writes the hunks of a unified diff. Returns undefined if they would be longer than `maxLength`. */
function writeHunks(compared: ComparedTexts, context: DiffContext): string | undefined {
  const { contextLines, maxLength } = context;
  const { signs, lines } = createSteps(compared);
  const changed = signs.reduce((sum, sign) => sum + (sign === unchangedSign ? 0 : 1), 0);
  if (2 * changed > maxLength) return undefined;
  let [oldLine, nextLine] = [context.firstLine, context.firstLine];
  let [diff, offset] = ['', 0];
  const advanceLine = () => {
    if (signs[offset] !== added) oldLine += 1;
    if (signs[offset] !== removed) nextLine += 1;
    offset += 1;
  };
  for (const [start, end] of findHunks(signs, contextLines)) {
    while (offset < start) advanceLine();
    const [oldStart, nextStart] = [oldLine, nextLine];
    let body = '';
    while (offset < end) {
      const sign = signs[offset] ?? unchangedSign;
      const line = (sign === added ? compared.next : compared.old)[lines[offset] ?? -1] ?? '';
      body += `${changeSigns[sign]}${line}${line.endsWith('\n') ? '' : '\n\\ No newline at end of file\n'}`;
      if (diff.length + body.length > maxLength) return undefined;
      advanceLine();
    }
    diff += `@@ -${formatRange(oldStart, oldLine)} +${formatRange(nextStart, nextLine)} @@\n${body}`;
  }
  return diff.length > maxLength ? undefined : diff;
}

/** Formats a range of a hunk header. An empty range is identified by the line before it. */
const formatRange = (start: number, end: number): string => `${end > start ? start + 1 : start},${end - start}`;

function createSteps({ old, next, matches }: ComparedTexts): Steps {
  const signs = new Uint8Array(old.length + next.length);
  const lines = new Int32Array(old.length + next.length);
  let [count, oldAt, nextAt] = [0, 0, 0];
  const add = (sign: number, line: number) => {
    signs[count] = sign;
    lines[count] = line;
    count += 1;
  };
  while (oldAt < old.length || nextAt < next.length) {
    const match = matches[oldAt] ?? next.length;
    if (match < 0) add(removed, oldAt++);
    else if (nextAt < match) add(added, nextAt++);
    else {
      add(unchangedSign, oldAt++);
      nextAt += 1;
    }
  }
  return { signs: signs.subarray(0, count), lines: lines.subarray(0, count) };
}

/** Returns the start and end of each hunk. Changes with few lines between them share a hunk. */
function* findHunks(signs: Uint8Array, contextLines: number): Generator<[number, number]> {
  let hunk: [number, number] | undefined;
  for (let index = 0; index < signs.length; index += 1) {
    if (signs[index] === unchangedSign) continue;
    const start = Math.max(0, index - contextLines);
    const end = Math.min(signs.length, index + 1 + contextLines);
    if (hunk !== undefined && start <= hunk[1]) hunk[1] = end;
    else {
      if (hunk !== undefined) yield hunk;
      hunk = [start, end];
    }
  }
  if (hunk !== undefined) yield hunk;
}
