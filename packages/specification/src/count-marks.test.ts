import { expect, test } from 'vitest';
import { countMarksOfJson, countMarksOfYaml } from './parse-text.ts';

test('ignores brackets and commas inside JSON strings', () => {
  expect(countMarksOfJson('{"a[[[{,:": "\\"[", "b": [1, {}]}')).toEqual({ marks: 7, depth: 3 });
  expect(countMarksOfJson('"never ended: [')).toEqual({ marks: 0, depth: 0 });
});

test('counts a list of a million values quickly', () => {
  const start = process.threadCpuUsage();

  expect(countMarksOfJson(`[${'1,'.repeat(4_000_000)}1]`).marks).toBe(4_000_001);
  expect(countMarksOfYaml('- a\n'.repeat(1_000_000))).toBe(1_000_000);
  const { user, system } = process.threadCpuUsage(start);
  expect((user + system) / 1000).toBeLessThan(2000);
});
