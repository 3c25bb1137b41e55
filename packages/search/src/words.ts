/** A word of a text, without case and diacritics. */
export interface Word {
  text: string;
  /** The range of characters in the text. */
  start: number;
  end: number;
  /** The number of words before it. A compound has the position of its first part. */
  position: number;
  /** For a compound such as `hash-map`: the number of its parts, which are words too. Otherwise 1. */
  parts: number;
}

/** Maximum length of a word. Longer words are truncated. */
const maxWordLength = 40;

/** Words and compounds: `HashMap`, `unwrap_or_else`, `sign-up`, `server.proxy`, `don't`. */
const compoundPattern = /[\p{L}\p{N}\p{M}\p{Co}]+(?:['’_.-][\p{L}\p{N}\p{M}\p{Co}]+)*/gu;
const simpleWord = /^(?:[a-z0-9]+|[A-Z]?[a-z]+)$/;
/** The parts of a compound: runs of capitals, and words that may start with a capital. */
const partPattern = /\p{Lu}+(?![\p{Ll}\p{M}])\p{N}*|\p{Lu}?[^\p{Lu}'’_.-]+|\p{Lu}/gu;
const apostrophe = /['’]/;
/** Endings that belong to the word before an apostrophe, as in `don't`. */
const contractions = new Set(['t', 're', 've', 'll', 'd', 'm']);

/** Characters of scripts that do not separate words by spaces. */
export const unspaced =
  /[\p{Script=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
/** A syllable of Hangul in letters, as in texts in the normalization form NFD. */
const syllable = '[\\u1100-\\u115f][\\u1160-\\u11a7][\\u11a8-\\u11ff]?';
const runPattern = new RegExp(`(?:${syllable}|${unspaced.source})[\\p{M}]*|[^${unspaced.source.slice(1, -1)}]+`, 'gu');

/** Whether the text contains a script that does not separate words by spaces, such as Chinese. */
export const isUnspaced = (text: string): boolean => unspaced.test(text);

const isASCII = /^[\0-\x7f]*$/;

/** Removes case and diacritics. */
export function fold(text: string): string {
  if (isASCII.test(text)) return text.toLowerCase();
  return text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll('ß', 'ss')
    .replaceAll('ς', 'σ')
    .replaceAll('ø', 'o')
    .replaceAll('ł', 'l');
}

interface Part {
  text: string;
  start: number;
  end: number;
}

/**
 * Finds the words of a text. A compound is followed by its parts. Scripts without spaces become pairs of characters,
 * and the last character alone.
 */
export function* findWords(text: string): Generator<Word> {
  let position = 0;
  let next = 0;
  for (;;) {
    // Other calls share the pattern, so its position is set before each match. `matchAll` takes twice as long.
    compoundPattern.lastIndex = next;
    const match = compoundPattern.exec(text);
    if (match === null) return;
    const { 0: found, index } = match;
    next = compoundPattern.lastIndex;
    if (simpleWord.test(found)) {
      yield { text: cutWord(found.toLowerCase()), start: index, end: next, position, parts: 1 };
      position += 1;
      continue;
    }
    const parts = splitCompound(found, index);
    const words = parts.flatMap(toWords).filter(({ text }) => text !== '');
    if (parts.length > 1 && words.length > 1) {
      const joined = fold(parts.map((part) => part.text).join(''));
      if (joined.length <= maxWordLength)
        yield { text: joined, start: index, end: next, position, parts: words.length };
    }
    for (const word of words) {
      const { start, end } = word;
      yield { text: cutWord(word.text), start, end, position, parts: 1 };
      position += 1;
    }
  }
}

/** Cuts a long word, but not in half of a surrogate pair, which UTF-8 could not store. */
function cutWord(word: string): string {
  if (word.length <= maxWordLength) return word;
  const last = word.charCodeAt(maxWordLength - 1);
  return word.slice(0, last >= 0xd800 && last < 0xdc00 ? maxWordLength - 1 : maxWordLength);
}

function splitCompound(compound: string, index: number): Part[] {
  const parts: Part[] = [];
  for (const { 0: text, index: offset } of compound.matchAll(partPattern)) {
    const last = parts.at(-1);
    const folded = text.toLowerCase();
    if (last !== undefined && apostrophe.test(compound.charAt(offset - 1))) {
      if (folded === 's') continue;
      if (contractions.has(folded) && !isUnspaced(last.text)) {
        last.text += text;
        last.end = index + offset + text.length;
        continue;
      }
    }
    parts.push({ text, start: index + offset, end: index + offset + text.length });
  }
  return parts;
}

/** Splits a part at scripts without spaces, and splits these scripts into pairs of characters. The texts are folded. */
function toWords({ text: all, start: from, end }: Part): Part[] {
  if (!isUnspaced(all)) return [{ text: fold(all), start: from, end }];
  const runs = [...all.matchAll(runPattern)].map(({ 0: text, index }) => {
    const start = from + index;
    return { text, start, end: start + text.length };
  });
  return runs.map(({ text, ...run }, index) => {
    const next = runs[index + 1];
    const isPair = next !== undefined && isUnspaced(text) && isUnspaced(next.text);
    return isPair ? { text: fold(text + next.text), start: run.start, end: next.end } : { text: fold(text), ...run };
  });
}

/**
 * Whether a word of a query is searched. A compound is searched in addition to its parts. In scripts without spaces,
 * the last character of a pair is not searched alone, because it would find unrelated pages.
 */
export const isTerm = ({ parts, end }: Word, index: number, words: Word[]): boolean =>
  parts === 1 && words[index - 1]?.end !== end;
