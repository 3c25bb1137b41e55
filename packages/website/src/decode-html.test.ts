import { expect, test } from 'vitest';
import { decodeHtml } from './html-tree.ts';

const bytes = (text: string): Uint8Array => Uint8Array.from(text, (letter) => letter.charCodeAt(0));

test.each<[string, Uint8Array, string | null, string]>([
  ['UTF-8 by default', new TextEncoder().encode('é'), null, 'é'],
  ['the charset of the header', bytes('\xe9'), 'text/html; charset="ISO-8859-1"', 'é'],
  ['a header in uppercase', bytes('\xe9'), 'Text/HTML;Charset=windows-1252', 'é'],
  ['the meta element', bytes('<meta charset="latin1">\xe9'), 'text/html', '<meta charset="latin1">é'],
  [
    'the header before the meta element',
    bytes('<meta charset=utf-8>\xe9'),
    'text/html; charset=latin1',
    '<meta charset=utf-8>é',
  ],
  [
    'a byte order mark, which overrides the header',
    Uint8Array.of(0xef, 0xbb, 0xbf, 0xc3, 0xa9),
    'text/html; charset=latin1',
    'é',
  ],
  ['UTF-16 with a byte order mark', Uint8Array.of(0xff, 0xfe, 0xe9, 0), null, 'é'],
  ['UTF-8 for an unknown charset', new TextEncoder().encode('é'), 'text/html; charset=klingon', 'é'],
  ['replacement characters for invalid bytes', Uint8Array.of(0x61, 0xff, 0x62), null, 'a\ufffdb'],
  ['a page that wrongly declares UTF-16', bytes('<meta charset="utf-16">a'), null, '<meta charset="utf-16">a'],
])('decodes HTML: %s', (_, page, header, text) => {
  expect(decodeHtml(page, header)).toBe(text);
});

test('supports the legacy declaration of a charset', () => {
  const page = bytes('<html><meta http-equiv="Content-Type" content="text/html; charset=shift_jis">\x83\x65');
  expect(decodeHtml(page, undefined)).toContain('テ');
});
