import { fold, isUnspaced, unspaced } from './words.ts';

/** Maximum length of a snippet before and after its first match, in words and in characters. */
const before = { words: 6, length: 60 };
const after = { words: 18, length: 160 };

/** The range of a match: its first character, and the character after its last one. */
export type MatchRange = [start: number, end: number];

export interface Snippet {
  text: string;
  matches: MatchRange[];
}

/** Maximum number of words that are highlighted. */
const maxWords = 100;
/** Letters of scripts that separate words by spaces: in `使用Vite`, a word begins after the Chinese characters. */
const letter = `[[\\p{L}\\p{N}\\p{M}\\p{Co}]--${unspaced.source}]`;
/** Matches the characters between the words of a phrase, in place of a space. */
const separator = '[^\\p{L}\\p{N}\\p{M}\\p{Co}]{1,3}';
const separators = new RegExp(separator, 'gu');
/** Matches a word in parts, such as `e-mail`, from its first connector. The groups are the first part and the rest. */
const connector = "['’_.\\-]";
const connectors = new RegExp(connector, 'gv');
const partsPattern = new RegExp(
  `${connector}(?<=(${letter}+)${connector})(${letter}+(?:${connector}${letter}+)*)`,
  'gv',
);
const possessive = /['’]s$/;

/** A word in a text. `term` is the number of the term that it matches. */
interface FoundWord {
  start: number;
  end: number;
  term: number;
}

/**
 * Finds the words of a search in texts, also those that are written in parts: `hash-map` for `hashmap`. The parts of a
 * compound such as `HashMap` are not found alone.
 */
export class WordMatcher {
  readonly #terms: ReadonlyMap<string, number>;
  readonly #pattern: RegExp | undefined;
  /** The number of terms of the query that are found. */
  readonly count: number;

  /** `terms` has the number of the term that each word matches. */
  constructor(terms: ReadonlyMap<string, number>) {
    this.#terms = terms;
    this.count = new Set(terms.values()).size;
    const words = [...terms.keys()].slice(0, maxWords).toSorted((one, other) => other.length - one.length);
    const [pairs = '', spaced = ''] = [true, false].map((isPair) =>
      words
        .filter((word) => isUnspaced(word) === isPair)
        .map(escapePattern)
        .join('|'),
    );
    const patterns = [
      ...(spaced === '' ? [] : [`(?<!${letter})(?:${spaced})(?!${letter})`]),
      // A lookahead consumes no characters, because pairs of characters overlap.
      ...(pairs === '' ? [] : [`(?=(${pairs}))`]),
    ];
    if (patterns.length > 0) this.#pattern = new RegExp(patterns.join('|'), 'gv');
  }

  /** Finds the words in the order of their starts. */
  *find(text: string): Generator<FoundWord> {
    if (this.#pattern === undefined) return;
    const folded = text.replace(/[^\0-\x7f]+/g, foldSameLength).toLowerCase();
    const inParts = this.#findInParts(folded);
    let next = 0;
    for (const { 0: match, 1: pair, index: start } of folded.matchAll(this.#pattern)) {
      for (let each = inParts[next]; each !== undefined && each.start <= start; each = inParts[next]) {
        yield each;
        next += 1;
      }
      const word = pair ?? match;
      const term = this.#terms.get(word) ?? this.#terms.get(word.replace(separators, ' ')) ?? 0;
      yield { start, end: start + word.length, term };
    }
    yield* inParts.slice(next);
  }

  /** Finds the words that are written in parts. */
  #findInParts(folded: string): FoundWord[] {
    return [...folded.matchAll(partsPattern)].flatMap(({ 0: rest, 1: first = '', index }) => {
      const parts = (first + rest).replace(possessive, '');
      const term = this.#terms.get(parts.replace(connectors, ''));
      const start = index - first.length;
      return term === undefined ? [] : [{ start, end: start + parts.length, term }];
    });
  }
}

/** Folded words can contain characters that have a meaning in patterns: `⑴` is folded to `(1)`. */
const escapePattern = (word: string): string => word.replace(/[$()*+./?[\\\]^{|}]/g, '\\$&').replaceAll(' ', separator);

/** Folds a text, except for characters whose folded text has a different length. */
function foldSameLength(text: string): string {
  const folded = fold(text);
  if (folded.length === text.length) return folded;
  return Array.from(text, (character) => {
    const single = fold(character);
    return single.length === character.length ? single : character;
  }).join('');
}

/** Finds the words of a search in a title. */
export function findMatches(text: string, matcher: WordMatcher): MatchRange[] {
  const ranges: MatchRange[] = [];
  for (const { start, end } of matcher.find(text)) {
    const previous = ranges.at(-1);
    if (previous !== undefined && start <= previous[1]) previous[1] = Math.max(previous[1], end);
    else ranges.push([start, end]);
  }
  return ranges;
}

/**
 * Returns the part of a text in which the most terms of the search are close to each other, or its beginning if none
 * occurs. The ranges of the matches refer to the snippet.
 */
export function createSnippet(text: string, matcher: WordMatcher): Snippet {
  const first = findBestStart(text, matcher);
  const start = findStart(text, first);
  const end = findEnd(text, first);
  const [opening, closing] = [start > 0 ? '…' : '', end < text.length ? '…' : ''];
  const part = text.slice(start, end);
  return {
    text: `${opening}${part}${closing}`,
    matches: findMatches(part, matcher).map(([one, other]) => [one + opening.length, other + opening.length]),
  };
}

/** Returns the position of the first match in the part of the text that has the most terms. */
function findBestStart(text: string, matcher: WordMatcher): number {
  let best = { start: 0, count: 0 };
  const recent: { start: number; term: number }[] = [];
  for (const match of matcher.find(text)) {
    recent.push(match);
    while ((recent[0]?.start ?? 0) < match.start - after.length / 2) recent.shift();
    const count = new Set(recent.map(({ term }) => term)).size;
    if (count > best.count) best = { start: recent[0]?.start ?? 0, count };
    if (best.count === matcher.count) break;
  }
  return best.start;
}

/** Returns the start of the snippet for its first match. If the text has spaces, it is the start of a word. */
function findStart(text: string, first: number): number {
  if (first <= before.length) return 0;
  const words = [...text.slice(first - before.length, first).matchAll(/(?<=\s)\S/g)];
  const word = words.at(-before.words) ?? words[0];
  return word === undefined ? avoidHalfCharacter(text, first - before.length) : first - before.length + word.index;
}

/** Returns the end of the snippet for its first match. If the text has spaces, it is the end of a word. */
function findEnd(text: string, first: number): number {
  const rest = text.slice(first, first + after.length);
  const ends = [...rest.matchAll(/\S(?=\s)/g)];
  const end = ends[after.words - 1];
  if (end !== undefined) return first + end.index + 1;
  if (first + after.length >= text.length) return text.length;
  const last = ends.at(-1);
  return last === undefined ? avoidHalfCharacter(text, first + after.length) : first + last.index + 1;
}

/** Returns a position that does not split a surrogate pair. */
const avoidHalfCharacter = (text: string, position: number): number => {
  const code = text.charCodeAt(position);
  return code >= 0xdc00 && code < 0xe000 ? position - 1 : position;
};
