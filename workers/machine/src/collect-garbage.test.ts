import { expect, onTestFinished, test, vi } from 'vitest';
import { collectWhenIdle, countRequest } from './collect-garbage.ts';

/** Starts the collector, and advances the time past the collection that follows the start. */
function startIdle() {
  const collect = vi.fn();
  vi.useFakeTimers();
  vi.stubGlobal('gc', collect);
  onTestFinished(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });
  collectWhenIdle();
  vi.advanceTimersByTime(3_000);
  return collect;
}

function send(count: number): void {
  for (let sent = 0; sent < count; sent += 1) countRequest();
}

test('collects garbage once after the start', () => {
  const collect = startIdle();
  vi.advanceTimersByTime(60_000);

  expect(collect.mock.calls).toEqual([[{ type: 'major', flavor: 'last-resort' }]]);
});

test('collects garbage once if hardly any requests arrive for three seconds after many requests', () => {
  const collect = startIdle();
  collect.mockReset();
  send(200);
  vi.advanceTimersByTime(3_000);
  send(4);
  vi.advanceTimersByTime(3_000);
  const early = collect.mock.calls.length;
  vi.advanceTimersByTime(60_000);

  expect([early, collect.mock.calls.length]).toEqual([0, 1]);
});

test('does not interrupt a server with few requests', () => {
  const collect = startIdle();
  collect.mockReset();
  send(199);
  vi.advanceTimersByTime(60_000);

  expect(collect).not.toHaveBeenCalled();
});
