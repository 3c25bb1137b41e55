/// <reference path="../emoji-names.d.ts" />
import named from 'markdown-it-emoji/lib/data/full.mjs';

/** The code points of the emoji of a name, in hexadecimal and joined by hyphens; undefined for other names. */
export const codeOf = (name: string): string | undefined =>
  Object.hasOwn(named, name)
    ? Array.from(named[name] ?? '', (character) => (character.codePointAt(0) ?? 0).toString(16)).join('-')
    : undefined;

let names: Map<string, string> | undefined;

/** The first name of the emoji of a code. */
export function nameOf(code: string): string | undefined {
  names ??= new Map(
    Object.keys(named)
      .reverse()
      .map((name) => [codeOf(name) ?? '', name]),
  );
  return names.get(code);
}

/** The characters of a code; what is no code point is passed over. */
export const charactersOf = (code: string): string =>
  code
    .split('-')
    .map((point) => Number.parseInt(point, 16))
    .filter((point) => point > 0 && point <= 0x10ffff && !(point >= 0xd800 && point <= 0xdfff))
    .map((point) => String.fromCodePoint(point))
    .join('');
