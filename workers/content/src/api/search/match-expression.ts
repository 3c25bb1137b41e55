import type { Word } from '../../engine/search/sections.ts';

const maxPhrases = 16;
/** Prefix lengths that the index has entries for (see its migration); no other prefixes are searched. */
const prefixLengths = [6, 4, 3, 2];

/** FTS5 expressions for words that must all occur. */
export interface SearchExpressions {
  /** The complete words. */
  completeWords: string;
  /** The last word as a prefix; undefined if it is too short. */
  lastPrefix: string | undefined;
  /**
   * The tokens of the phrases as separate terms, which may occur in any position; undefined if there are no phrases.
   */
  separateTerms: string | undefined;
  /** The last word as typed, in lowercase, if the prefix in `lastPrefix` is shorter than the word. */
  cutFrom: string | undefined;
  /** Whether hits may not contain the words: the expressions may find too many sections, but never too few. */
  isLoose: boolean;
}

/**
 * Creates expressions of phrases with at most two tokens, and of prefixes that have an index entry. Longer phrases and
 * other prefixes would be slow: FTS5 would compare token positions, or collect all words with the prefix, in every
 * section of the installation. Each phrase is quoted, so no FTS5 syntax gets through.
 */
export function createExpressions(words: Word[]): SearchExpressions {
  const phrases = [...new Set(words.flatMap(toPhrases))];
  const last = words.find(({ open }) => open);
  const prefix = last === undefined || phrases.length > maxPhrases ? undefined : toPrefix(last);
  const others = phrases.filter((phrase) => phrase !== prefix?.phrase);
  return {
    completeWords: joinPhrases(phrases.slice(0, maxPhrases)),
    lastPrefix: prefix && joinPhrases([...others, prefix.beginning]),
    separateTerms: words.some(isPhrase)
      ? joinPhrases(phrases.slice(0, maxPhrases).map((each) => each.replace(' ', '" AND "')))
      : undefined,
    isLoose:
      phrases.length > maxPhrases || words.some(({ tokens }) => tokens.length > 2) || prefix?.cutFrom !== undefined,
    cutFrom: prefix?.cutFrom,
  };
}

const isPhrase = ({ tokens }: Word): boolean => tokens.length > 1;

const joinPhrases = (phrases: string[]): string => `- scope : (${phrases.join(' AND ')})`;

function toPhrases(word: Word): string[] {
  const { tokens } = word;
  if (!isPhrase(word)) return [`"${tokens[0]}"`];
  return tokens.slice(1).map((token, index) => `"${tokens[index]} ${token}"`);
}

/** Turns the last phrase of a word into a prefix; undefined if its last token is a single character. */
function toPrefix(word: Word): { phrase: string; beginning: string; cutFrom: string | undefined } | undefined {
  const phrase = toPhrases(word).at(-1) ?? '';
  const token = word.tokens.at(-1) ?? '';
  const letters = [...token.replace(/[\u0300-\u0331]/g, '')];
  const length = prefixLengths.find((each) => each <= letters.length);
  if (length === undefined) return undefined;
  const before = phrase.slice(0, -1 - token.length);
  return {
    phrase,
    beginning: `${before}${letters.slice(0, length).join('')}" *`,
    cutFrom: length < letters.length ? letters.join('').toLowerCase() : undefined,
  };
}

/** Returns the part of an expression that restricts it to one space or organization; `owner` is its id. */
export const toScope = (owner: string): string => `scope : "${owner.slice(owner.indexOf('_') + 1)}"`;

/** Maximum number of spaces in one expression. */
const maxNamed = 500;

/** Returns the part of an expression that restricts it to any of these spaces. */
export const joinScopes = (spaces: string[]): string => `(${spaces.slice(0, maxNamed).map(toScope).join(' OR ')})`;

/** Excludes sections with these condition tokens from a scope. */
export const excludeTokens = (scope: string, tokens: string[]): string =>
  tokens.length === 0 ? scope : `(${scope} NOT scope : (${tokens.map((token) => `"${token}"`).join(' OR ')}))`;
