const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u
    .source;
const ofWord = /[\p{L}\p{N}\p{M}]/u.source;
/** Where a character of a script without spaces begins or ends within what would be one token. */
const boundary = new RegExp(`(?<=${unspaced})(?=${ofWord})|(?<=${ofWord})(?=${unspaced})`, 'gu');
const separator = '\u200b';
const maxWords = 8;
/** Each place of a text is compared with all tokens of a search, of which a single word may have hundreds. */
const maxTokens = 24;

/** A word of a search as the tokens that follow each other in a text: one, or each character of scripts without spaces. */
export interface Word {
  tokens: string[];
  /** The tokens folded: what is compared in texts. */
  folded: string[];
  /** The last token may go on: the searcher may still be typing it. */
  open: boolean;
}

/**
 * Text as the index takes it. The tokenizer cuts at spaces, which scripts such as Chinese do not write, so an invisible
 * space goes between their characters: each is a token, and a word is a phrase of them.
 */
export const separateCharacters = (text: string): string =>
  text
    .replaceAll(separator, '')
    .replace(/\p{Cc}/gu, ' ')
    .replace(boundary, separator);

/** The text as it was before `separateCharacters`. */
export const joinCharacters = (text: string): string => text.replaceAll(separator, '');

/** The tokens of a text that went through `separateCharacters`, as the tokenizer of the index (unicode61) cuts it. */
export const tokensIn = (text: string) => text.matchAll(/(?:[\p{L}\p{N}\p{Co}]+[\u0300-\u0331]*)+/gu);

/** A token without case and diacritics, as the index compares it. */
export const fold = (token: string): string =>
  /^\w+$/.test(token)
    ? token.toLowerCase()
    : token
        .normalize('NFD')
        .replace(/[\u0300-\u0331]/g, '')
        .normalize('NFC')
        .toLowerCase()
        .replaceAll('ς', 'σ');

/** The first distinct words of what somebody searches for, and of them the first tokens; the others do not count. */
export function wordsOf(query: string): Word[] {
  const written = separateCharacters(query)
    .normalize('NFC')
    .split(/[^\p{L}\p{N}\p{M}\p{Co}\u200b]+/u)
    .map((word) => [...tokensIn(word)].map(([token]) => token).filter((token) => fold(token) !== ''))
    .filter((tokens) => tokens.length > 0);
  const words = new Map<string, Word>();
  for (const [index, tokens] of written.entries()) {
    const folded = tokens.map(fold);
    words.set(folded.join(' '), { tokens, folded, open: index === written.length - 1 });
  }
  let room = maxTokens;
  return [...words.values()].slice(0, maxWords).flatMap((word) => {
    const cut = cutTo(word, room);
    room -= cut.tokens.length;
    return cut.tokens.length > 0 ? [cut] : [];
  });
}

const cutTo = ({ tokens, folded, open }: Word, room: number): Word => ({
  tokens: tokens.slice(0, room),
  folded: folded.slice(0, room),
  open: open && tokens.length <= room,
});
