import { commonEnds, lineNumbering, splitLines } from './lines.ts';
import { matchLines } from './match-lines.ts';

/**
 * Lines added and removed by a longest common subsequence; a change of line ending or of the final newline counts.
 * Past the bounds of `matchLines`, everything between the equal ends counts as removed and added.
 */
export function diffStat(before: string, after: string): { added: number; removed: number } {
  if (before === after) return { added: 0, removed: 0 };
  const { prefix, suffix } = commonEnds([before, after]);
  const old = splitLines(before.slice(prefix, before.length - suffix));
  const next = splitLines(after.slice(prefix, after.length - suffix));
  const number = lineNumbering();
  const kept = matchLines(number(old), number(next))?.reduce((sum, match) => sum + (match < 0 ? 0 : 1), 0) ?? 0;
  return { added: next.length - kept, removed: old.length - kept };
}
