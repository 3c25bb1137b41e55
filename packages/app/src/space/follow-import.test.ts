import type { Import } from '@octavo/schema';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { followImport } from './follow-import.ts';

/** Returns a function that reads the next result: a status of the import, or the status of a failed request. */
const createReader = (results: (number | Import['status'])[]) =>
  vi.fn(async (): Promise<Import> => {
    const status = results.shift();
    if (typeof status === 'number') throw Object.assign(new Error('The request failed.'), { status });
    return { status } as Import;
  });

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

test('follows an import until its end, although reads of its progress fail for a moment', async () => {
  const reported: string[] = [];
  const report = ({ status }: Import): void => void reported.push(status);
  const read = createReader(['running', 502, 0, 429, 'completed', 'running']);
  const done = followImport({ read, report, signal: new AbortController().signal });
  await vi.runAllTimersAsync();
  await done;

  expect(reported).toEqual(['running', 'completed']);
});

test('fails if the progress cannot be read any more', async () => {
  const done = followImport({ read: createReader([403]), report: vi.fn(), signal: new AbortController().signal });

  await expect(done).rejects.toMatchObject({ status: 403 });
});

test('does not read the progress after the screen was left', async () => {
  const left = new AbortController();
  const read = createReader(['running', 'running', 'running']);
  const done = followImport({ read, report: () => left.abort(), signal: left.signal });
  await vi.runAllTimersAsync();
  await done;

  expect(read).toHaveBeenCalledTimes(1);
});
