import { countBits, countEdits, getLetterBits, getMaxEdits } from './spelling.ts';
import { getStem } from './stems.ts';
import { findWords, fold, isTerm } from './words.ts';

/** A word or a phrase that has synonyms. */
export interface SynonymEntry {
  /** Its words in the index. */
  words: string[];
  /** The number of its words. A text in a script without spaces counts as one word. */
  length: number;
  /** A key that is the same for all forms of its words. */
  key: string;
}

/** Maximum number of words of an entry. In scripts without spaces, each pair of characters is a word. */
export const maxEntryWords = 8;

/** Reads an entry. A capital letter does not start another word: `HashMap` is one word. */
export function readEntry(text: string): SynonymEntry {
  const terms = [...findWords(fold(text))].filter(isTerm);
  const words = terms.map(({ text: word }) => word);
  // Pairs of characters overlap, so count only those that start after the end of the previous one.
  const length = terms.filter(({ start }, index) => start >= (terms[index - 1]?.end ?? 0)).length;
  return { words, length, key: getKey(words) };
}

const getKey = (words: string[]): string => words.map(getStem).join(' ');

/** An entry of one word, with the words of each of its synonyms. */
interface WordEntry {
  word: string;
  letters: number;
  synonyms: string[][];
}

/** Maximum number of entries that an incorrect word is replaced with. */
const maxSimilar = 3;

/** Groups of words and phrases with the same meaning. */
export class Synonyms {
  readonly #synonyms = new Map<string, string[][]>();
  readonly #words: WordEntry[] = [];
  /** The number of words of the longest entry. */
  #longest = 0;

  constructor(groups: SynonymEntry[][] = []) {
    for (const group of groups)
      for (const { key, words } of group) {
        const synonyms = group.filter((other) => other.key !== key).map((other) => other.words);
        this.#synonyms.set(key, synonyms);
        const [word] = words;
        if (word !== undefined && words.length === 1)
          this.#words.push({ word, letters: getLetterBits(word), synonyms });
        this.#longest = Math.max(this.#longest, words.length);
      }
  }

  /**
   * Finds the longest entry at an index of a list of words. Returns the number of its words, and the words of each of
   * its synonyms. Words that are written as one in the entry can be separate: `log in` for `login`.
   */
  findSynonymsAt(index: number, words: string[]): { length: number; synonyms: string[][] } | undefined {
    const all = words.slice(index, index + this.#longest + 1);
    for (let length = all.length; length > 0; length -= 1) {
      const some = all.slice(0, length);
      const synonyms = this.#synonyms.get(getKey(some)) ?? this.#synonyms.get(getStem(some.join('')));
      if (synonyms !== undefined) return { length, synonyms };
    }
    return undefined;
  }

  /** Finds words that have synonyms and are similar to a misspelled word. Those with the fewest edits come first. */
  findSimilar(word: string): { word: string; edits: number; synonyms: string[][] }[] {
    const max = getMaxEdits(word);
    if (max === 0) return [];
    const letters = getLetterBits(word);
    return this.#words
      .flatMap(({ word: other, letters: otherLetters, synonyms }) => {
        const edits = countBits(letters ^ otherLetters) > 2 * max ? undefined : countEdits(word, other, max);
        return edits === undefined ? [] : [{ word: other, edits, synonyms }];
      })
      .sort((one, other) => one.edits - other.edits || (one.word < other.word ? -1 : 1))
      .slice(0, maxSimilar);
  }
}
