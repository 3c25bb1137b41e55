import { afterAll, expect } from 'vitest';
import { platform } from '../platform.ts';
import { findExceededLimits } from './exceeded-limits.ts';

// The log is searched once per file, because a search takes longer than many tests.
afterAll(() => {
  expect(findExceededLimits(platform().dataDir)).toEqual([]);
});
