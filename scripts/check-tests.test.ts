import path from 'node:path';
import { expect, test } from 'vitest';
import { findFailures, findSlowFiles, planRuns, readFilters, readShard } from './check-tests.ts';
import { root } from './settings.ts';

const resolveTestPath = (file: string) => path.join(root, file);

const times = { startTime: 0, endTime: 100 };

test('reports each failure with its file, name and first line', () => {
  const passed = { status: 'passed', fullName: 'works', failureMessages: [] };
  const failed = { status: 'failed', fullName: 'a b', failureMessages: ['AssertionError: 1 is not 2\n    at there'] };
  const failures = findFailures({
    numPassedTests: 2,
    testResults: [
      { name: resolveTestPath('a.test.ts'), status: 'passed', message: '', assertionResults: [passed], ...times },
      {
        name: resolveTestPath('b.test.ts'),
        status: 'failed',
        message: '',
        assertionResults: [passed, failed],
        ...times,
      },
      {
        name: resolveTestPath('c.test.ts'),
        status: 'failed',
        message: 'Cannot find c\nmore',
        assertionResults: [],
        ...times,
      },
    ],
  });
  expect(failures).toEqual(['b.test.ts: a b: AssertionError: 1 is not 2', 'c.test.ts: Cannot find c']);
});

const getReport = (milliseconds: Record<string, number>) => ({
  numPassedTests: 1,
  testResults: Object.entries(milliseconds).map(([file, endTime]) => ({
    ...{ name: resolveTestPath(file), status: 'passed', message: '', assertionResults: [] },
    ...{ startTime: 0, endTime },
  })),
});
const returnFalse = () => false;

test('reports files that take more than five seconds', () => {
  expect(findSlowFiles(getReport({ 'a.test.ts': 5000, 'b.test.ts': 5100 }), 1, returnFalse)).toEqual([
    'b.test.ts took 5.1 s. The limit is 5.0 s. Make it faster or rename it to *.slow.test.ts.',
  ]);
});

test('allows longer times if all files are slow, or if a file waits for crons', () => {
  const slow = getReport({
    ...Object.fromEntries(Array.from({ length: 399 }, (_, n) => [`${n}`, 3000])),
    last: 20_000,
  });
  const shard = getReport({
    ...Object.fromEntries(Array.from({ length: 199 }, (_, n) => [`${n}`, 3000])),
    last: 20_000,
  });
  expect(findSlowFiles(slow, 1, returnFalse)).toEqual([]);
  expect(findSlowFiles(shard, 1, returnFalse)).toHaveLength(1);
  expect(findSlowFiles(shard, 2, returnFalse)).toEqual([]);
  expect(findSlowFiles(getReport({ 'a.test.ts': 15_000 }), 1, () => true)).toEqual([]);
});

test('runs with long tests are followed by a run with separate workers', () => {
  const getRuns = (suite?: string, filters: string[] = []) => planRuns({ OCTAVO_TEST: suite }, filters);

  expect(getRuns()).toEqual([{ shape: 'machine', suite: 'ordinary' }]);
  expect(getRuns('ci')).toEqual([
    { shape: 'machine', suite: 'ci' },
    { shape: 'workers', suite: 'ci', isSecond: true },
  ]);
  expect(getRuns('all')).toEqual([
    { shape: 'machine', suite: 'all' },
    { shape: 'workers', suite: 'ordinary', isSecond: true },
  ]);
  expect(getRuns('all', ['test/flows'])).toEqual([{ shape: 'machine', suite: 'all' }]);
});

test('distinguishes shards from filters', () => {
  expect(readShard(['--shard=2/3', 'test/org-admin'])).toEqual({ index: 2, count: 3 });
  expect(readShard(['test/org-admin'])).toBeUndefined();
  expect(readFilters(['--shard=2/3', 'test/org-admin'])).toEqual(['test/org-admin']);
});
