import { getStem } from './stems.ts';
import { findWords, fold, isTerm } from './words.ts';

/** A word or a phrase that has synonyms. */
export interface SynonymEntry {
  /** Its words in the index. */
  words: string[];
  /** The number of its words, where a text in a script without spaces is one word. */
  length: number;
  /** The same for all forms of its words. */
  key: string;
}

/** Maximum number of words of an entry. In scripts without spaces, each pair of characters is a word. */
export const maxEntryWords = 8;

/** Reads an entry. A capital letter does not start another word: `HashMap` is one. */
export function readEntry(text: string): SynonymEntry {
  const found = [...findWords(fold(text))].filter(isTerm);
  const words = found.map(({ text: word }) => word);
  // Pairs of characters overlap.
  const length = found.filter(({ start }, index) => start >= (found[index - 1]?.end ?? 0)).length;
  return { words, length, key: getKey(words) };
}

const getKey = (words: string[]): string => words.map(getStem).join(' ');

/** Groups of words and phrases with the same meaning. */
export class Synonyms {
  readonly #synonyms = new Map<string, string[][]>();
  /** The number of words of the longest entry. */
  #longest = 0;

  constructor(groups: SynonymEntry[][] = []) {
    for (const group of groups)
      for (const { key, words } of group) {
        const others = group.filter((other) => other.key !== key);
        this.#synonyms.set(
          key,
          others.map((other) => other.words),
        );
        this.#longest = Math.max(this.#longest, words.length);
      }
  }

  /**
   * Finds the longest entry at an index of a list of words. Returns the number of its words, and the words of each of
   * its synonyms. Words that are written as one in the entry can be separate: `log in` for `login`.
   */
  findAt(index: number, words: string[]): { length: number; synonyms: string[][] } | undefined {
    const all = words.slice(index, index + this.#longest + 1);
    for (let length = all.length; length > 0; length -= 1) {
      const some = all.slice(0, length);
      const synonyms = this.#synonyms.get(getKey(some)) ?? this.#synonyms.get(getStem(some.join('')));
      if (synonyms !== undefined) return { length, synonyms };
    }
    return undefined;
  }
}
