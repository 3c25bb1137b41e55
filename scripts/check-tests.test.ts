import path from 'node:path';
import { expect, test } from 'vitest';
import { failuresOf } from './check-tests.ts';
import { root } from './settings.ts';

const named = (file: string) => path.join(root, file);

test('each failure is told with its file, its name and the first line of what it said', () => {
  const passed = { status: 'passed', fullName: 'works', failureMessages: [] };
  const failed = { status: 'failed', fullName: 'a b', failureMessages: ['AssertionError: 1 is not 2\n    at there'] };
  const failures = failuresOf({
    numPassedTests: 2,
    testResults: [
      { name: named('a.test.ts'), status: 'passed', message: '', assertionResults: [passed] },
      { name: named('b.test.ts'), status: 'failed', message: '', assertionResults: [passed, failed] },
      { name: named('c.test.ts'), status: 'failed', message: 'Cannot find c\nmore', assertionResults: [] },
    ],
  });
  expect(failures).toEqual(['b.test.ts: a b: AssertionError: 1 is not 2', 'c.test.ts: Cannot find c']);
});
