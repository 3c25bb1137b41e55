import { expect, test } from 'vitest';
import type { ImportProblem } from '../import/source.ts';
import { printProblems } from './report-import.ts';

const told = (problems: ImportProblem[]): string[] => {
  const lines: string[] = [];
  printProblems({ env: {}, stdout: { write: () => {} }, stderr: { write: (line) => lines.push(line) } }, problems);
  return lines;
};
const problems = (kind: ImportProblem['kind'], count: number): ImportProblem[] =>
  Array.from({ length: count }, (_, index) => ({ kind, path: `${index}.md`, message: 'Why.' }));

test('groups equal problems of many files into one line, but lists each failed file', () => {
  expect(told([...problems('warning', 50), ...problems('skipped', 3)])).toEqual([
    'warning: 0.md, 1.md, 2.md and 47 more: Why.\n',
    'skipped: 0.md: Why.\n',
    'skipped: 1.md: Why.\n',
    'skipped: 2.md: Why.\n',
  ]);
  expect(told(problems('failed', 5))).toHaveLength(5);
});
