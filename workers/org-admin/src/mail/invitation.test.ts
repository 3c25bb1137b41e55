import { expect, test } from 'vitest';
import { toPlainLine } from './invitation.ts';

test.each([
  ['Acme & Söhne, v1.2 (docs)', 'Acme & Söhne, v1.2 (docs)'],
  ['Dr. Ada Lovelace', 'Dr. Ada Lovelace'],
  ['  Acme \t docs ', 'Acme docs'],
  ['Acme\r\nBcc: eve@evil.test\r\n\r\nText', 'Acme Bcc: eve@evil·test Text'],
  ['Acme\u2028line\u2029paragraph\u0085next\u0000nul', 'Acme line paragraph next nul'],
  ['safe\u202eelif\u2066x\u200bz', 'safe elif x z'],
  ['go to https://evil.example/sign-in/x', 'go to https: evil·example/sign-in/x'],
  ['go to HTTPS:\\\\evil.example', 'go to HTTPS: evil·example'],
  ['www.evil.example', 'www·evil·example'],
  ['ｗｗｗ．ｅｖｉｌ．ｅｘａｍｐｌｅ evil。example', 'www·evil·example evil·example'],
  ['x'.repeat(80), 'x'.repeat(80)],
  ['x'.repeat(81), `${'x'.repeat(79)}…`],
  ['\n\u0000 ', ''],
])('converts %j to the single line %j', (typed, line) => {
  expect(toPlainLine(typed)).toBe(line);
});

test('truncates a line between characters', () => {
  expect(toPlainLine('😀'.repeat(100))).toBe(`${'😀'.repeat(79)}…`);
});
