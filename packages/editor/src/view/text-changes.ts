import { createLineNumbering, matchLines } from '@octavo/merge';

/** A range of a text, and the range of another text that replaces it. */
export interface TextChange {
  from: number;
  to: number;
  newFrom: number;
  newTo: number;
}

/** Reduces a change to the part without the equal characters at both ends. */
function trimChange(former: string, next: string, { from, to, newFrom, newTo }: TextChange): TextChange {
  const max = Math.min(to - from, newTo - newFrom);
  let [start, end] = [0, 0];
  while (start < max && former[from + start] === next[newFrom + start]) start += 1;
  while (end < max - start && former[to - 1 - end] === next[newTo - 1 - end]) end += 1;
  return { from: from + start, to: to - end, newFrom: newFrom + start, newTo: newTo - end };
}

/** Returns the changes that turn a text into another one. The lines that both have are not part of a change. */
export function findTextChanges(former: string, next: string): TextChange[] {
  const [lines, nextLines] = [former, next].map((text) => text.split(/(?<=\n)/)) as [string[], string[]];
  const number = createLineNumbering();
  const matches = matchLines(number(lines), number(nextLines));
  const changes: TextChange[] = [];
  let [from, to, newFrom, newTo, nextIndex] = [0, 0, 0, 0, 0];
  const addChange = (): void => {
    if (to > from || newTo > newFrom) changes.push(trimChange(former, next, { from, to, newFrom, newTo }));
  };
  for (const [index, line] of lines.entries()) {
    const match = matches?.[index] ?? -1;
    if (match < 0) {
      to += line.length;
      continue;
    }
    for (; nextIndex < match; nextIndex += 1) newTo += nextLines[nextIndex]?.length ?? 0;
    addChange();
    nextIndex += 1;
    [from, newFrom] = [to + line.length, newTo + line.length];
    [to, newTo] = [from, newFrom];
  }
  newTo = next.length;
  addChange();
  return changes;
}
