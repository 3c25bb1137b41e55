import type { ReadSpecification } from '@octavo/schema';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { PublishingEnvironment } from '../environment.ts';
import { readText } from './read-text.ts';

const createEnvironment = (readSpecification: () => Promise<ReadSpecification>) =>
  ({ RENDER: { readSpecification } }) as unknown as PublishingEnvironment;

test('fails if the render worker does not respond, so that the job is repeated', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const reading = readText(
    new Uint8Array(),
    createEnvironment(() => new Promise(() => undefined)),
  );
  const outcome = expect(reading).rejects.toThrow('The render worker did not respond in time.');
  await vi.advanceTimersByTimeAsync(300_000);

  await outcome;
});

test('returns the result of the render worker, and leaves no timer behind', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const result = { format: 'json', entryLists: ['[]'] } as const;

  expect(
    await readText(
      new Uint8Array(),
      createEnvironment(async () => ({ ...result, entryLists: ['[]'] })),
    ),
  ).toEqual(result);
  expect(vi.getTimerCount()).toBe(0);
});
