const namedEntities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: '\u00a0' };
const escaped = /\\([!-/:-@[-`{-~])|&(?:#(\d{1,7})|#[xX]([\da-fA-F]{1,6})|(amp|lt|gt|quot|apos|nbsp));/g;
const mustEscape = /[\\`*_{}[\]<>()#+!|~&]/g;
const controls = /\p{Cc}|^\s+|\s+$/gu;

/** Undoes backslash escapes and character references. */
export const unescapeText = (text: string): string =>
  text.replace(escaped, (all, char?: string, decimal?: string, hex?: string, name?: string) => {
    if (char !== undefined) return char;
    if (name !== undefined) return namedEntities[name] ?? all;
    const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal);
    return code <= 0x10ffff ? String.fromCodePoint(code) : all;
  });

/** Escapes any text on one line so that `inlineText` returns it. */
export const escapeText = (text: string): string =>
  text.replace(mustEscape, '\\$&').replace(controls, toCharacterReferences);

const destinationControls = /[\p{Cc}\\<>&]/gu;

/** Writes the destination of a link, in angle brackets if necessary. */
export function escapeDestination(destination: string): string {
  if (/^[^\s()<>\\&"'\p{Cc}]+$/u.test(destination)) return destination;
  return `<${destination.replace(destinationControls, toCharacterReferences)}>`;
}

const toCharacterReferences = (text: string): string =>
  Array.from(text, (char) => `&#${char.codePointAt(0)};`).join('');

interface Token {
  text: string;
  /** A run of emphasis characters that may still turn out to be text. */
  run?: { opens: boolean; closes: boolean };
}

const tokenPattern =
  /\\[!-/:-@[-`{-~]|&(?:#\d{1,7}|#[xX][\da-fA-F]{1,6}|\w{2,5});|(`+)(?!`)|!?\[|(\*+|_+|~~+)|[^\\&`*_~[!]+|[\s\S]/gu;

/** Returns the plain text of inline markdown, without the marks of code, emphasis and links. */
export function inlineText(source: string): string {
  const tokens: Token[] = [];
  for (let offset = 0; offset < source.length; ) {
    tokenPattern.lastIndex = offset;
    const match = tokenPattern.exec(source);
    if (!match) break;
    const [text, ticks, run] = match;
    const end = offset + text.length;
    const special = ticks
      ? readCodeSpan(source, offset, ticks)
      : text.endsWith('[')
        ? readNestedLink(source, end)
        : undefined;
    if (special) tokens.push({ text: special.text });
    else if (run) tokens.push({ text, run: findFlankingSides(source, { at: offset, end, char: run[0] ?? '' }) });
    else tokens.push({ text: unescapeText(text) });
    offset = special?.end ?? end;
  }
  dropEmphasis(tokens);
  return tokens.map(({ text }) => text).join('');
}

function readCodeSpan(source: string, start: number, ticks: string): { text: string; end: number } | undefined {
  const from = start + ticks.length;
  for (const match of source.slice(from).matchAll(/`+/g)) {
    if (match[0].length !== ticks.length) continue;
    const code = source.slice(from, from + match.index);
    const padded = /^ [\s\S]* $/.test(code) && code.trim() !== '';
    return { text: padded ? code.slice(1, -1) : code, end: from + match.index + ticks.length };
  }
  return undefined;
}

function readNestedLink(source: string, from: number): { text: string; end: number } | undefined {
  const link = /^((?:\\[\s\S]|[^\][\\])*)\]\((?:\\[\s\S]|[^()\\])*\)/.exec(source.slice(from));
  return link ? { text: inlineText(link[1] ?? ''), end: from + link[0].length } : undefined;
}

function findFlankingSides(
  source: string,
  { at, end, char }: { at: number; end: number; char: string },
): { opens: boolean; closes: boolean } {
  const before = source.slice(0, at).at(-1) ?? ' ';
  const after = source[end] ?? ' ';
  const word = /[\p{L}\p{N}]/u;
  const inWord = char === '_' && word.test(before) && word.test(after);
  return { opens: !inWord && !/\s/.test(after), closes: !inWord && !/\s/.test(before) };
}

function dropEmphasis(tokens: Token[]): void {
  const open: Token[] = [];
  for (const token of tokens) {
    if (!token.run) continue;
    const opener = token.run.closes ? open.findLastIndex((each) => each.text === token.text) : -1;
    const start = open[opener];
    if (start) {
      start.text = '';
      token.text = '';
      open.length = opener;
    } else if (token.run.opens) open.push(token);
  }
}
