import type { Word } from '../../engine/search/sections.ts';

const maxPhrases = 16;
/** The index has an entry for the beginnings of words of these lengths (see its migration): no other is searched by. */
const beginnings = [6, 4, 3, 2];

/** FTS5 expressions for words that must all occur. */
export interface SearchExpressions {
  /** The words themselves. */
  whole: string;
  /** The last word as a beginning; undefined where it is too short for one. */
  begun: string | undefined;
  /** The single tokens of the phrases, wherever they stand; undefined where there are no phrases. */
  apart: string | undefined;
  /** What was typed, in small letters, of a word that `begun` has fewer letters of. */
  cutFrom: string | undefined;
  /** What is found may lack the words: the expressions find too much, never too little. */
  isLoose: boolean;
}

/**
 * Phrases of two tokens at most, and beginnings that have an entry of the index: FTS5 gathers any others, and compares
 * the places of longer phrases, for each section of the installation. Each phrase is quoted, so nothing of FTS5's own
 * syntax gets through.
 */
export function createExpressions(words: Word[]): SearchExpressions {
  const phrases = [...new Set(words.flatMap(toPhrases))];
  const last = words.find(({ open }) => open);
  const begun = last === undefined || phrases.length > maxPhrases ? undefined : toPrefix(last);
  const others = phrases.filter((phrase) => phrase !== begun?.phrase);
  return {
    whole: joinPhrases(phrases.slice(0, maxPhrases)),
    begun: begun && joinPhrases([...others, begun.beginning]),
    apart: words.some(isPhrase)
      ? joinPhrases(phrases.slice(0, maxPhrases).map((each) => each.replace(' ', '" AND "')))
      : undefined,
    isLoose:
      phrases.length > maxPhrases || words.some(({ tokens }) => tokens.length > 2) || begun?.cutFrom !== undefined,
    cutFrom: begun?.cutFrom,
  };
}

const isPhrase = ({ tokens }: Word): boolean => tokens.length > 1;

const joinPhrases = (phrases: string[]): string => `- scope : (${phrases.join(' AND ')})`;

function toPhrases(word: Word): string[] {
  const { tokens } = word;
  if (!isPhrase(word)) return [`"${tokens[0]}"`];
  return tokens.slice(1).map((token, index) => `"${tokens[index]} ${token}"`);
}

/** The last phrase of a word as a beginning; undefined where its last token is a single character. */
function toPrefix(word: Word): { phrase: string; beginning: string; cutFrom: string | undefined } | undefined {
  const phrase = toPhrases(word).at(-1) ?? '';
  const token = word.tokens.at(-1) ?? '';
  const letters = [...token.replace(/[\u0300-\u0331]/g, '')];
  const length = beginnings.find((each) => each <= letters.length);
  if (length === undefined) return undefined;
  const before = phrase.slice(0, -1 - token.length);
  return {
    phrase,
    beginning: `${before}${letters.slice(0, length).join('')}" *`,
    cutFrom: length < letters.length ? letters.join('').toLowerCase() : undefined,
  };
}

/** The part of an expression that finds what one space or organization has; `owner` is its id. */
export const toScope = (owner: string): string => `scope : "${owner.slice(owner.indexOf('_') + 1)}"`;

/** How many spaces an expression names. */
const maxNamed = 500;

/** The part of an expression that finds what any of these spaces has. */
export const joinScopes = (spaces: string[]): string => `(${spaces.slice(0, maxNamed).map(toScope).join(' OR ')})`;

/** A scope without what these tokens stand for in the index. */
export const excludeTokens = (scope: string, tokens: string[]): string =>
  tokens.length === 0 ? scope : `(${scope} NOT scope : (${tokens.map((token) => `"${token}"`).join(' OR ')}))`;
