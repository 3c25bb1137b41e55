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
  for (const text of ['install.md', 'Install.md#linux', 'guide/install', 'www.example.com'])
    expect([text, canBeAddress(text)]).toEqual([text, true]);
  for (const text of ['Install', 'Version 1.2', 'Read a/b', 'C#', 'CI/CD', 'Node.js'])
    expect([text, canBeAddress(text)]).toEqual([text, false]);
});

test('a mail address becomes a link for mail, and a name of a server a web address', () => {
  expect(toAddress('a@b.example')).toBe('mailto:a@b.example');
  expect(toAddress('www.example.com')).toBe('https://www.example.com');
  for (const address of ['mailto:a@b.example', '#a@b.example', 'b.md']) expect(toAddress(address)).toBe(address);
});
