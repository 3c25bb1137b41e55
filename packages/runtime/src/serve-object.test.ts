import { describe, expect, test } from 'vitest';
import { getDisposition, readRange } from './signed-object.ts';

describe('names in Content-Disposition', () => {
  test.each([
    ['a.png', `filename="a.png"; filename*=UTF-8''a.png`],
    ['naïve 日本.png', `filename="na_ve __.png"; filename*=UTF-8''na%C3%AFve%20%E6%97%A5%E6%9C%AC.png`],
    ['a"; filename="b.exe', `filename="a_; filename=_b.exe"; filename*=UTF-8''a%22%3B%20filename%3D%22b.exe`],
    ["it's (1)*.png", `filename="it's (1)*.png"; filename*=UTF-8''it%27s%20%281%29%2A.png`],
    ['a\r\nSet-Cookie: b', `filename="a__Set-Cookie_ b"; filename*=UTF-8''a__Set-Cookie_%20b`],
    ['../../x', `filename=".._.._x"; filename*=UTF-8''.._.._x`],
    ['CON', `filename="_CON"; filename*=UTF-8''_CON`],
    ['nul.txt', `filename="_nul.txt"; filename*=UTF-8''_nul.txt`],
    ['a. . ', `filename="a"; filename*=UTF-8''a`],
    ['...', `filename="_"; filename*=UTF-8''_`],
  ])('writes %j safely', (name, written) => {
    expect(getDisposition(name, 'image/png')).toBe(`inline; ${written}`);
  });
});

test.each(['image/png', 'image/avif', 'video/mp4', 'audio/mpeg'])('shows %s inline', (type) => {
  expect(getDisposition('a', type)).toMatch(/^inline;/);
});

test.each(['image/svg+xml', 'text/plain', 'text/html', 'application/pdf', 'application/zip', 'image/png\r\nx: y'])(
  'downloads %j',
  (type) => {
    expect(getDisposition('a', type)).toMatch(/^attachment;/);
  },
);

test.each([
  ['bytes=0-0', { offset: 0, length: 1 }],
  ['bytes=2-4', { offset: 2, length: 3 }],
  ['bytes=2-', { offset: 2, length: 8 }],
  ['bytes=2-400', { offset: 2, length: 8 }],
  ['bytes=-3', { offset: 7, length: 3 }],
  ['bytes=-30', { offset: 0, length: 10 }],
])('parses %s of a file of ten bytes as %j', (header, range) => {
  expect(readRange(header, 10)).toEqual(range);
});

test.each(['bytes=10-', 'bytes=10-20', 'bytes=-0'])('%s is out of range for a file of ten bytes', (header) => {
  expect(readRange(header, 10)).toBeNull();
});

test('an empty object has no range', () => {
  expect([readRange('bytes=0-', 0), readRange('bytes=-1', 0)]).toEqual([null, null]);
});

test.each(['', 'bytes=-', 'bytes=4-2', 'bytes=0-1,3-4', 'bytes=a-b', 'items=0-1', `bytes=${'9'.repeat(400)}-`])(
  '%s is not a supported range',
  (header) => {
    expect(readRange(header, 10)).toBeUndefined();
  },
);
