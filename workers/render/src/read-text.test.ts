import { SpecificationFault } from '@octavo/specification';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { createPause } from './read-text.ts';

/** Lets time pass while other calls run. */
const wait = vi.fn(async () => undefined);

beforeEach(() => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  vi.stubGlobal('scheduler', { wait });
});

test('rejects a specification whose own steps take more than a minute', async () => {
  const pause = createPause();
  vi.advanceTimersByTime(59_000);
  await pause();
  vi.advanceTimersByTime(2_000);

  await expect(pause()).rejects.toThrow(SpecificationFault);
});

test('does not count the time of other calls', async () => {
  const pause = createPause();
  wait.mockImplementation(async () => void vi.advanceTimersByTime(100_000));
  await pause();

  await expect(pause()).resolves.toBeUndefined();
});
