/** The syntax that a text uses for elements that Markdown can write in several ways. */
export interface WritingStyle {
  bullet: '*' | '-' | '+';
  delimiter: '.' | ')';
  italic: '*' | '_';
  bold: '**' | '__';
  fence: '```' | '~~~';
  /** Whether headings of the first two levels are underlined. */
  underlined: boolean;
}

const count = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0;

/** Returns the option that occurs most often; the first one if several do. */
function choose<T>(options: [T, number][]): T {
  const [first] = options;
  if (first === undefined) throw new RangeError('There are no options.');
  return options.reduce((best, option) => (option[1] > best[1] ? option : best), first)[0];
}

/** Detects the style of a text. `-` and `_` are used in a text without lists or emphasis. */
export function detectStyle(text: string): WritingStyle {
  return {
    bullet: choose([
      ['-', count(text, /^[ \t>]*- /gm)],
      ['*', count(text, /^[ \t>]*\* /gm)],
      ['+', count(text, /^[ \t>]*\+ /gm)],
    ]),
    delimiter: choose([
      ['.', count(text, /^[ \t>]*\d{1,9}\. /gm)],
      [')', count(text, /^[ \t>]*\d{1,9}\) /gm)],
    ]),
    italic: choose([
      ['_', count(text, /(?<![\w_])_(?=[^\s_])[^_\n]{0,200}[^\s_]_(?![\w_])/g)],
      ['*', count(text, /(?<![\w*])\*(?=[^\s*])[^*\n]{0,200}[^\s*]\*(?![\w*])/g)],
    ]),
    bold: choose([
      ['**', count(text, /(?<![\w*])\*\*(?=[^\s*])/g)],
      ['__', count(text, /(?<![\w_])__(?=[^\s_])/g)],
    ]),
    fence: choose([
      ['```', count(text, /^[ \t>]*```/gm)],
      ['~~~', count(text, /^[ \t>]*~~~/gm)],
    ]),
    underlined: /^=+[ \t]*$/m.test(text) && !/^#{1,2} /m.test(text),
  };
}
