import { expect, test } from 'vitest';
import type { ImportProblem } from '../import/source.ts';
import { printProblems } from './report-import.ts';

const printLines = (problems: ImportProblem[]): string[] => {
  const lines: string[] = [];
  printProblems({ env: {}, stdout: { write: () => {} }, stderr: { write: (line) => lines.push(line) } }, problems);
  return lines;
};
const createProblems = (kind: ImportProblem['kind'], count: number): ImportProblem[] =>
  Array.from({ length: count }, (_, index) => ({ kind, path: `${index}.md`, message: 'Why.' }));

test('groups equal problems of many files into one line, but lists each failed file', () => {
  expect(printLines([...createProblems('warning', 50), ...createProblems('skipped', 3)])).toEqual([
    'warning: 0.md, 1.md, 2.md and 47 more: Why.\n',
    'skipped: 0.md: Why.\n',
    'skipped: 1.md: Why.\n',
    'skipped: 2.md: Why.\n',
  ]);
  expect(printLines(createProblems('failed', 5))).toHaveLength(5);
  expect(printLines([{ kind: 'warning', path: 'a.md', line: 7, message: 'Why.' }])).toEqual([
    'warning: a.md:7: Why.\n',
  ]);
});

test('prints at most 50 different warnings, and counts the others', () => {
  const many = Array.from(
    { length: 10_000 },
    (_, line) => ({ kind: 'warning', path: 'a.md', message: `${line}` }) as const,
  );
  const lines = printLines([...many, ...createProblems('failed', 1)]);
  expect(lines).toHaveLength(52);
  expect(lines.at(-1)).toBe('and 9950 more warnings. Use --json to list all.\n');
});
