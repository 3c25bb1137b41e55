import { commonEnds, lineNumbering, splitLines } from './lines.ts';
import { matchLines } from './match-lines.ts';
import type { Compared } from './write-hunks.ts';
import { writeHunks } from './write-hunks.ts';

export interface LineDiff {
  added: number;
  removed: number;
  /** The hunks of a unified diff; undefined where they are longer than was asked for. */
  diff: string | undefined;
}

/** The same lines on both sides around what changed, as far as a hunk shows them. */
const contextLines = 3;

/**
 * Lines added and removed by a longest common subsequence, and the unified diff that tells them, with three lines of
 * context; a change of line ending or of the final newline counts. Past the bounds of `matchLines`, everything between
 * the equal ends counts as removed and added.
 */
export function diffLines(before: string, after: string, maxLength = Number.POSITIVE_INFINITY): LineDiff {
  if (before === after) return { added: 0, removed: 0, diff: '' };
  const { prefix, suffix } = commonEnds([before, after]);
  const old = splitLines(before.slice(prefix, before.length - suffix));
  const next = splitLines(after.slice(prefix, after.length - suffix));
  const number = lineNumbering();
  const matches = matchLines(number(old), number(next)) ?? new Int32Array(old.length).fill(-1);
  const kept = matches.reduce((sum, match) => sum + (match < 0 ? 0 : 1), 0);
  const lead = splitLines(before.slice(startOfLast(before, prefix), prefix));
  const trail = splitLines(before.slice(before.length - suffix, endOfFirst(before, before.length - suffix)));
  const diff = writeHunks(withContext({ old, next, matches }, lead, trail), {
    contextLines,
    firstLine: countLines(before, prefix) - lead.length,
    maxLength,
  });
  return { added: next.length - kept, removed: old.length - kept, diff };
}

/** The same with what both sides have directly before and after. */
function withContext({ old, next, matches }: Compared, lead: string[], trail: string[]): Compared {
  const around = new Int32Array(lead.length + old.length + trail.length);
  for (let index = 0; index < lead.length; index += 1) around[index] = index;
  matches.forEach((match, index) => {
    around[lead.length + index] = match < 0 ? match : lead.length + match;
  });
  for (let index = 0; index < trail.length; index += 1)
    around[lead.length + old.length + index] = lead.length + next.length + index;
  return { old: lead.concat(old, trail), next: lead.concat(next, trail), matches: around };
}

/** The lines before a position at the start of a line. */
function countLines(text: string, end: number): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0 && at < end; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}

function startOfLast(text: string, end: number): number {
  let start = end;
  for (let line = 0; line < contextLines && start > 0; line += 1)
    start = start === 1 ? 0 : text.lastIndexOf('\n', start - 2) + 1;
  return start;
}

function endOfFirst(text: string, start: number): number {
  let end = start;
  for (let line = 0; line < contextLines && end < text.length; line += 1) {
    const newline = text.indexOf('\n', end);
    end = newline < 0 ? text.length : newline + 1;
  }
  return end;
}
