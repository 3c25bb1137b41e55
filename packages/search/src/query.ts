import { stopWords } from './stems.ts';
import { findWords, isTerm, isUnspaced } from './words.ts';

/** A word of a query. */
export interface Term {
  word: string;
  /** The range of characters in the query. */
  start: number;
  end: number;
  /** Whether the word may still be typed, so that it is also the beginning of a word. */
  isOpen: boolean;
}

/** Words that are also searched as one: `hash map` finds `hashmap`, and `--test-threads` finds `testthreads`. */
export interface Compound {
  word: string;
  /** The numbers of its terms. */
  terms: number[];
}

export interface Query {
  text: string;
  terms: Term[];
  compounds: Compound[];
}

/** Maximum number of distinct words of a query. Further words are ignored. */
const maxTerms = 10;
/** Maximum number of words, including repeated ones, that are read. */
const maxWords = 64;

/** Reads the words of a query. Stop words are left out, unless there are only stop words. */
export function parseQuery(query: string): Query {
  const text = query.normalize('NFC');
  const found = [...findWords(text)].slice(0, maxWords);
  const simple = found.filter(isTerm);
  const isEveryWordStop = simple.every(({ text: word }) => stopWords.has(word));
  const terms: Term[] = [];
  const numbers = new Map<number, number>();
  for (const { text: word, start, end, position } of simple) {
    if (stopWords.has(word) && !isEveryWordStop) continue;
    const isOpen = end === text.length;
    const known = terms.findIndex((term) => term.word === word);
    const term = terms[known];
    if (term !== undefined) {
      term.isOpen ||= isOpen;
      numbers.set(position, known);
    } else if (terms.length < maxTerms) numbers.set(position, terms.push({ word, start, end, isOpen }) - 1);
  }
  const getNumbers = (position: number, parts: number) => [
    ...new Set(Array.from({ length: parts }, (_, index) => numbers.get(position + index) ?? []).flat()),
  ];
  const compounds = found
    .filter(({ parts }) => parts > 1)
    .map(({ text: word, position, parts }) => ({ word, terms: getNumbers(position, parts) }));
  for (const [index, { text: word, position }] of simple.entries()) {
    const next = simple[index + 1];
    if (next === undefined || isUnspaced(word) || isUnspaced(next.text) || word.length + next.text.length < 4) continue;
    compounds.push({ word: word + next.text, terms: getNumbers(position, 2) });
  }
  return { text, terms, compounds: compounds.filter(({ terms }) => terms.length > 0).slice(0, maxTerms) };
}
