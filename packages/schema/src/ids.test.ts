import { afterEach, expect, test, vi } from 'vitest';
import type { IdKind } from './ids.ts';
import { createId } from './ids.ts';

afterEach(() => vi.useRealTimers());

test.each<[IdKind, RegExp]>([
  ['page', /^pg_[0-9A-Za-z]{20}$/],
  ['event', /^evt_[0-9A-Za-z]{20}$/],
  ['revision', /^rev_[0-9A-Za-z]{20}$/],
])('the ID of a %s is its prefix and twenty characters', (kind, form) => {
  const ids = Array.from({ length: 1000 }, () => createId(kind));

  for (const id of ids) expect(id).toMatch(form);
  expect(new Set(ids).size).toBe(1000);
});

test('event IDs sort by creation time', () => {
  vi.useFakeTimers();
  const moments = ['2026-01-01', '2026-01-01T00:00:00.001Z', '2026-12-31', '2040-06-01', '2080-12-31'];
  const ids = moments.map((moment) => {
    vi.setSystemTime(new Date(moment));
    return createId('event');
  });

  expect(ids.toSorted()).toEqual(ids);
});
