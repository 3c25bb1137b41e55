import { describe, expect, test } from 'vitest';
import { detectContentType, readDimensions } from './content-type.ts';

const getBytes = (latin1: string) => Uint8Array.from(latin1, (char) => char.charCodeAt(0));
const getType = (latin1: string, name = 'a', contentType?: string) =>
  detectContentType({ bytes: getBytes(latin1), name, contentType });

test.each([
  ['\x89PNG\r\n\x1a\n\0', 'image/png'],
  ['\xff\xd8\xff\xe0', 'image/jpeg'],
  ['GIF89a\0', 'image/gif'],
  ['RIFF\x10\0\0\0WEBPVP8 ', 'image/webp'],
  ['RIFF\x10\0\0\0WAVEfmt ', 'audio/wav'],
  ['RIFF\x10\0\0\0AVI LIST', 'application/octet-stream'],
  ['12345678WEBP', 'text/plain'],
  ['\0\0\0\x1cftypavif', 'image/avif'],
  ['\0\0\0\x1cftypisom', 'video/mp4'],
  ['\0\0\0\x1cftypM4A ', 'audio/mp4'],
  ['\x1a\x45\xdf\xa3\x01\0\0\0webm', 'video/webm'],
  ['ID3\x04\0', 'audio/mpeg'],
  ['\xff\xfb\x90\0', 'audio/mpeg'],
  ['%PDF-1.7\n', 'application/pdf'],
  ['PK\x03\x04', 'application/zip'],
  ['', 'text/plain'],
  ['words', 'text/plain'],
  ['\xff\xfew\0', 'application/octet-stream'],
  ['a\0b', 'application/octet-stream'],
])('detects the bytes %j as %s', (bytes, type) => {
  expect(getType(bytes)).toBe(type);
});

test.each([
  '<svg xmlns="http://www.w3.org/2000/svg"/>',
  '\xef\xbb\xbf \n<?xml version="1.0"?>\n<!-- a -->\n<svg>',
  '<!DOCTYPE svg PUBLIC "a" "b"><svg>',
  '<!DOCTYPE svg [<!ENTITY a "b">]><svg>',
])('%j is an SVG', (text) => {
  expect(getType(text)).toBe('image/svg+xml');
});

describe('content that a browser might run is text, whatever its name and declared type', () => {
  test.each([
    ['<!doctype html><script>alert(1)</script>', 'text/html'],
    ['<html><svg></svg></html>', 'image/svg+xml'],
    ['<!-- <svg> --><html>', 'application/xhtml+xml'],
    ['<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"/>', 'application/xml'],
    ['alert(1)', 'text/javascript'],
    ['<?php system("id");', 'application/x-php'],
  ])('%s as %s', (text, declared) => {
    for (const name of ['a', 'a.html', 'a.svg', 'a.php', 'a.js', 'a.xml']) {
      expect(getType(text, name, declared)).toBe('text/plain');
    }
  });

  test('an image is detected as an image even if it contains a script', () => {
    expect(getType('GIF89a<script>alert(1)</script>', 'a.html', 'text/html')).toBe('image/gif');
    expect(getType('%PDF-<script>alert(1)</script>', 'a.html', 'text/html')).toBe('application/pdf');
  });
});

test.each([
  ['a,b', 'table.CSV', undefined, 'text/csv'],
  ['{}', 'a', 'application/json; charset=utf-8', 'application/json'],
  ['{}', 'a.json', 'text/html', 'application/json'],
  ['PK\x03\x04', 'a.docx', undefined, 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
  ['PK\x03\x04', 'a.csv', 'text/csv', 'application/zip'],
  ['\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1', 'a.xls', undefined, 'application/vnd.ms-excel'],
  ['\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1', 'a', undefined, 'application/octet-stream'],
  ['words', 'a.constructor', 'constructor', 'text/plain'],
])('%j with the name %s and the declared type %s is %s', (bytes, name, declared, type) => {
  expect(getType(bytes, name, declared)).toBe(type);
});

test('ignores a truncated character at the end of the inspected bytes', () => {
  const text = `${'x'.repeat(64 * 1024 - 1)}é`;

  expect(detectContentType({ bytes: new TextEncoder().encode(text), name: 'a' })).toBe('text/plain');
});

const readSvgSize = (text: string) => readDimensions(getBytes(text), 'image/svg+xml');
const createPng = (size: string) => getBytes(`\x89PNG\r\n\x1a\n\0\0\0\rIHDR${size}\x08\0\0\0\0`);

test('reads the width and height of an image from its first bytes', () => {
  expect(readDimensions(createPng('\0\0\x02\x80\0\0\x01\xe0'), 'image/png')).toEqual({ width: 640, height: 480 });
  expect(readDimensions(getBytes('GIF89a\x05\0\x07\0\0\0\0'), 'image/gif')).toEqual({ width: 5, height: 7 });
  expect(readSvgSize('<?xml version="1.0"?><svg width="20" height="10"/>')).toEqual({ width: 20, height: 10 });
  expect(readSvgSize('<svg viewBox="0 0 30 40"></svg>')).toEqual({ width: 30, height: 40 });
});

test('returns no size for an image without valid dimensions', () => {
  expect(readDimensions(createPng('\0\0\0\0\0\0\x01\xe0'), 'image/png')).toBeUndefined();
  expect(readDimensions(createPng('\xff\xff\xff\xff\xff\xff\xff\xff'), 'image/png')).toBeUndefined();
  expect(readDimensions(getBytes('\xff\xd8\xff'), 'image/jpeg')).toBeUndefined();
  expect(readSvgSize('<svg width="a" height="b"/>')).toBeUndefined();
  expect(readDimensions(getBytes('%PDF-1.7'), 'application/pdf')).toBeUndefined();
});

test.each([
  ['image/svg+xml', '<svg '.repeat(200_000)],
  ['image/svg+xml', `<svg ${'width="1'.repeat(100_000)}`],
  ['image/svg+xml', `<!--${'<!--'.repeat(200_000)}`],
  ['image/jpeg', `\xff\xd8\xff\xe0${'\0'.repeat(1_000_000)}`],
  ['image/jpeg', `\xff\xd8\xff\xe1${'\0\x08\xff\xe1\0\x08Exif'.repeat(100_000)}`],
  ['image/avif', `\0\0\0\x1cftypavif${'\0\0\0\x08meta'.repeat(100_000)}`],
  ['image/avif', `\0\0\0\x1cftypavif${'\0'.repeat(1_000_000)}`],
])('gives up quickly on a hostile %s (%#)', (type, text) => {
  expect(readDimensions(getBytes(text), type)).toBeUndefined();
});
