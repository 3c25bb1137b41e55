const ideograph =
  /([\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}])(?=[\p{L}\p{N}\p{M}])|(?<=[\p{L}\p{N}\p{M}])(?=[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}])/gu;
const separator = '\u200b';
const maxWords = 32;

/**
 * Text as the index takes it. The tokenizer cuts at spaces, which scripts such as Chinese do not write, so an invisible
 * space goes between their characters: each is a token, and a word is a phrase of them.
 */
export const separateCharacters = (text: string): string =>
  text
    .replaceAll(separator, '')
    .replace(/\p{Cc}/gu, ' ')
    .replace(ideograph, `$1${separator}`);

/** The text as it was before `separateCharacters`. */
export const joinCharacters = (text: string): string => text.replaceAll(separator, '');

/**
 * The FTS5 expression of a user's words, all of which must occur, the last as a prefix; undefined where there are none.
 * Each word is a quoted phrase, so nothing of FTS5's own syntax gets through. `owner` is the space or organization.
 */
export function matchExpression(query: string, owner: string): string | undefined {
  const words = separateCharacters(query)
    .normalize('NFC')
    .split(/[^\p{L}\p{N}\p{M}\p{Co}\u200b]+/u)
    .filter((word) => joinCharacters(word) !== '')
    .slice(0, maxWords);
  if (words.length === 0) return undefined;
  const phrases = words.map((word) => `"${word}"`);
  const scope = owner.slice(owner.indexOf('_') + 1);
  return `scope : "${scope}" AND {title heading body} : (${phrases.join(' AND ')} *)`;
}
