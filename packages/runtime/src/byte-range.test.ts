import { expect, test } from 'vitest';
import { readRange } from './byte-range.ts';

test.each([
  ['bytes=0-0', { offset: 0, length: 1 }],
  ['bytes=2-4', { offset: 2, length: 3 }],
  ['bytes=2-', { offset: 2, length: 8 }],
  ['bytes=2-400', { offset: 2, length: 8 }],
  ['bytes=-3', { offset: 7, length: 3 }],
  ['bytes=-30', { offset: 0, length: 10 }],
])('%s of ten bytes is %j', (header, range) => {
  expect(readRange(header, 10)).toEqual(range);
});

test.each(['bytes=10-', 'bytes=10-20', 'bytes=-0'])('%s is beyond ten bytes', (header) => {
  expect(readRange(header, 10)).toBeNull();
});

test('of no bytes there is no range', () => {
  expect([readRange('bytes=0-', 0), readRange('bytes=-1', 0)]).toEqual([null, null]);
});

test.each(['', 'bytes=-', 'bytes=4-2', 'bytes=0-1,3-4', 'bytes=a-b', 'items=0-1', `bytes=${'9'.repeat(400)}-`])(
  '%s asks for no range that is served',
  (header) => {
    expect(readRange(header, 10)).toBeUndefined();
  },
);
