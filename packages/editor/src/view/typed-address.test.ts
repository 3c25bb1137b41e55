import { expect, test } from 'vitest';
import { canBeAddress, isAddress, toAddress } from './typed-address.ts';

test.each(['https://a.example', 'mailto:a@b.example', '/pages/pg_a', '#part', '../b.md', './b', 'a@b.example'])(
  '%s is an address',
  (text) => expect(isAddress(text)).toBe(true),
);

test.each(['Your first site', 'Note: read this', '.gitignore', 'Install', 'C#'])('%s can be a title', (text) =>
  expect(isAddress(text)).toBe(false),
);

test('a text that is no title can be an address without a scheme', () => {
  expect(['install.md', 'guide/install', 'example.com'].map(canBeAddress)).toEqual([true, true, true]);
  expect(['Install', 'Version 1.2', 'Read a/b', 'C#'].map(canBeAddress)).toEqual([false, false, false, false]);
});

test('a mail address becomes a link for mail', () => {
  expect(toAddress('a@b.example')).toBe('mailto:a@b.example');
  expect(toAddress('b.md')).toBe('b.md');
});
