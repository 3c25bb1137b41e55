import { stopWords } from './stems.ts';
import { Synonyms } from './synonyms.ts';
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

/** Two words that may be written as one: `hashmap` finds `hash map`. */
export interface Split {
  words: [string, string];
  /** The number of the term. */
  term: number;
}

/** A word or a phrase with the same meaning as some words of a query. */
export interface Alternative {
  words: string[];
  /** The numbers of the terms that it can replace. */
  terms: number[];
}

/** A synonym of a word that an incorrect term may mean. */
export interface SimilarAlternative extends Alternative {
  /** The word that the term may mean. */
  meant: string;
  /** The number of edits between the term and this word. */
  edits: number;
}

export interface Query {
  text: string;
  terms: Term[];
  compounds: Compound[];
  splits: Split[];
  alternatives: Alternative[];
  /** Synonyms for misspelled terms that have no alternatives: synonyms of the words that these terms may mean. */
  similarAlternatives: SimilarAlternative[];
}

/** Maximum number of distinct words of a query. Further words are ignored. */
const maxTerms = 10;
/** Maximum number of words, including repeated ones, that are read. */
const maxWords = 64;

/** Maximum sum of the number of terms and the number of words in alternatives. */
const maxSearchedWords = 18;

/**
 * Reads the words of a query, and finds their synonyms. Stop words are left out, unless there are only stop words.
 */
export function parseQuery(query: string, synonyms = new Synonyms()): Query {
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
  const words = simple.map(({ text: word }) => word);
  const alternatives: Alternative[][] = [];
  for (let index = 0; index < simple.length; ) {
    const entry = synonyms.findSynonymsAt(index, words);
    const replaced = getNumbers(simple[index]?.position ?? 0, entry?.length ?? 1);
    if (entry !== undefined && replaced.length > 0)
      alternatives.push(entry.synonyms.map((synonym) => ({ words: synonym, terms: replaced })));
    index += entry?.length ?? 1;
  }
  return {
    text,
    terms,
    compounds: compounds.filter(({ terms }) => terms.length > 0).slice(0, maxTerms),
    splits: terms.flatMap(({ word }, term) => splitWord(word).map((each): Split => ({ words: each, term }))),
    alternatives: limitWords(alternatives, maxSearchedWords - terms.length),
    similarAlternatives: limitWords(
      findSimilarAlternatives(terms, alternatives.flat(), synonyms),
      maxSearchedWords - terms.length,
    ),
  };
}

/** For each term without alternatives, finds the synonyms of the words that the term may mean. */
const findSimilarAlternatives = (
  terms: Term[],
  alternatives: Alternative[],
  synonyms: Synonyms,
): SimilarAlternative[][] => {
  const known = new Set(alternatives.flatMap(({ terms: replaced }) => replaced));
  return terms.map(({ word }, term) =>
    (known.has(term) ? [] : synonyms.findSimilar(word)).flatMap(({ word: meant, edits, synonyms: others }) =>
      others.map((each) => ({ words: each, terms: [term], meant, edits })),
    ),
  );
};

const [minFirst, minSecond] = [3, 2];

/** Returns the pairs of words into which a word can be split. The second one can be short, as in `login`. */
function splitWord(word: string): [string, string][] {
  if (!/^[a-z]{5,20}$/.test(word)) return [];
  return Array.from({ length: word.length - minFirst - minSecond + 1 }, (_, index): [string, string] => [
    word.slice(0, minFirst + index),
    word.slice(minFirst + index),
  ]).filter(([first]) => !stopWords.has(first));
}

/** Returns the first alternatives of each list, with at most `max` words. */
function limitWords<Each extends Alternative>(lists: Each[][], max: number): Each[] {
  const longest = Math.max(0, ...lists.map(({ length }) => length));
  const inTurn = Array.from({ length: longest }, (_, index) => lists.flatMap((list) => list[index] ?? [])).flat();
  let count = 0;
  return inTurn.filter(({ words }) => {
    count += words.length;
    return count <= max;
  });
}
