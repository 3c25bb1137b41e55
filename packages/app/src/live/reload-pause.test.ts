import { expect, test, vi } from 'vitest';
import { choosePause } from './reload-pause.ts';

test('clients read again after an event at different times, within 1.3 seconds', () => {
  const random = vi.spyOn(Math, 'random');
  const pauses = [0, 0.5, 1].map((value) => {
    random.mockReturnValueOnce(value);
    return choosePause(0);
  });
  expect(pauses).toEqual([300, 800, 1300]);
});
