import { expect, test } from 'vitest';
import { dimensionsOf } from './dimensions.ts';

const bytesOf = (latin1: string) => Uint8Array.from(latin1, (char) => char.charCodeAt(0));
const ofSvg = (text: string) => dimensionsOf(bytesOf(text), 'image/svg+xml');
const png = (size: string) => bytesOf(`\x89PNG\r\n\x1a\n\0\0\0\rIHDR${size}\x08\0\0\0\0`);

test('an image has the width and height that its first bytes tell', () => {
  expect(dimensionsOf(png('\0\0\x02\x80\0\0\x01\xe0'), 'image/png')).toEqual({ width: 640, height: 480 });
  expect(dimensionsOf(bytesOf('GIF89a\x05\0\x07\0\0\0\0'), 'image/gif')).toEqual({ width: 5, height: 7 });
  expect(ofSvg('<?xml version="1.0"?><svg width="20" height="10"/>')).toEqual({ width: 20, height: 10 });
  expect(ofSvg('<svg viewBox="0 0 30 40"></svg>')).toEqual({ width: 30, height: 40 });
});

test('one that tells nothing, or nonsense, has none', () => {
  expect(dimensionsOf(png('\0\0\0\0\0\0\x01\xe0'), 'image/png')).toBeUndefined();
  expect(dimensionsOf(png('\xff\xff\xff\xff\xff\xff\xff\xff'), 'image/png')).toBeUndefined();
  expect(dimensionsOf(bytesOf('\xff\xd8\xff'), 'image/jpeg')).toBeUndefined();
  expect(ofSvg('<svg width="a" height="b"/>')).toBeUndefined();
  expect(dimensionsOf(bytesOf('%PDF-1.7'), 'application/pdf')).toBeUndefined();
});

test.each([
  ['image/svg+xml', '<svg '.repeat(200_000)],
  ['image/svg+xml', `<svg ${'width="1'.repeat(100_000)}`],
  ['image/svg+xml', `<!--${'<!--'.repeat(200_000)}`],
  ['image/jpeg', `\xff\xd8\xff\xe0${'\0'.repeat(1_000_000)}`],
  ['image/jpeg', `\xff\xd8\xff\xe1${'\0\x08\xff\xe1\0\x08Exif'.repeat(100_000)}`],
  ['image/avif', `\0\0\0\x1cftypavif${'\0\0\0\x08meta'.repeat(100_000)}`],
  ['image/avif', `\0\0\0\x1cftypavif${'\0'.repeat(1_000_000)}`],
])('31: a hostile %s is given up soon (%#)', (type, text) => {
  expect(dimensionsOf(bytesOf(text), type)).toBeUndefined();
});
