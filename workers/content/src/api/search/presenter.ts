import type { Urls } from '@octavo/runtime';
import type { List, SearchPage, SpaceSearchResult } from '@octavo/schema';
import type { Word } from '../../engine/search/sections.ts';
import { findTokens, fold, joinCharacters } from '../../engine/search/sections.ts';
import type { HitRow } from './queries.ts';

/** Rows of the same page, or of the same space. */
type FoundSections = [HitRow, ...HitRow[]];

/** The search and the base URLs of its response. */
interface SearchContext {
  words: Word[];
  urls: Urls;
  /** Whether some of the rows may not contain the words. */
  isLoose: boolean;
}

/** Groups rows by a column, in order of first occurrence. */
export function groupBy(column: 'page' | 'space', rows: HitRow[]): FoundSections[] {
  const groups = new Map<string, FoundSections>();
  for (const row of rows) {
    const group = groups.get(row[column]);
    if (group === undefined) groups.set(row[column], [row]);
    else group.push(row);
  }
  return [...groups.values()];
}

/** Removes items without hits; the cursor still continues after them. */
export function removeEmptyItems<Item>(list: List<Item>, foundIn: (item: Item) => unknown[] | undefined): List<Item> {
  const items = list.items.filter((item) => foundIn(item)?.length !== 0);
  return { ...list, count: items.length, items };
}

const hasWords = ({ indexed, heading, body }: HitRow, words: Word[]): boolean =>
  haveWords([indexed, heading, body], words);

/** Presents a page with the sections in which the words occur. */
export function presentPage(pageSections: FoundSections, { words, isLoose, urls }: SearchContext): SearchPage {
  const [{ page: id, path, space, title }] = pageSections;
  const app = urls.app(`/spaces/${space}/content/page/${id}`);
  const sections = isLoose ? pageSections.filter((row) => hasWords(row, words)) : pageSections;
  return {
    id,
    title,
    path,
    urls: { app },
    sections: sections.map(({ anchor, heading, body }) => {
      const hash = anchor === '' ? '' : `#${anchor}`;
      return {
        id: anchor === '' ? id : anchor,
        title: joinCharacters(heading),
        path: `${path}${hash}`,
        body: createSnippet(body, words),
        urls: { app: `${app}${hash}` },
      };
    }),
  };
}

export const presentSpace = (
  title: string,
  spaceSections: FoundSections,
  context: SearchContext,
): SpaceSearchResult => ({
  id: spaceSections[0].space,
  title,
  pages: groupBy('page', spaceSections)
    .map((page) => presentPage(page, context))
    .filter(({ sections }) => sections?.length !== 0),
});

const snippetTokens = 24;
/**
 * A few more tokens than a snippet has before its first matching word, and the approximate length of these tokens in
 * characters.
 */
const tokensBefore = snippetTokens / 2 + 1;
const charactersBefore = tokensBefore * 8;

const partOfToken = '\\p{L}\\p{N}\\p{Co}';
const endsToken = new RegExp(`[${partOfToken}]$`, 'u');
/** Matches text that may need folding besides ASCII capitals: everything but spaces, dashes and quotes. */
const beyondASCII = /[^\0-\x7f\xa0\u2010-\u2027]+/g;
const isASCII = /^[\0-\x7f]*$/;

interface Token {
  start: number;
  end: number;
  text: string;
  folded?: string;
}

/** The tokens of a text, split and folded on demand. */
class TokenReader {
  readonly #from: number;
  readonly #rest: Iterator<RegExpExecArray>;
  readonly #cut: Token[] = [];

  constructor(text: string, from: number) {
    this.#from = from;
    this.#rest = findTokens(text.slice(from));
  }

  get(index: number): Token | undefined {
    while (this.#cut.length <= index) {
      const { value, done } = this.#rest.next();
      if (done) return undefined;
      const [text] = value;
      const start = this.#from + value.index;
      this.#cut.push({ start, end: start + text.length, text });
    }
    return this.#cut[index];
  }

  *indexesFrom(start: number): Generator<number> {
    for (let index = 0; ; index += 1) {
      const token = this.get(index);
      if (token === undefined) return;
      if (token.start >= start) yield index;
    }
  }
}

function matchesAt({ folded, open }: Word, tokens: TokenReader, index: number): boolean {
  const last = folded.length - 1;
  return folded.every((word, offset) => {
    const token = tokens.get(index + offset);
    if (token === undefined || startDifferently(token.text, word)) return false;
    token.folded ??= fold(token.text);
    return open && offset === last ? token.folded.startsWith(word) : token.folded === word;
  });
}

/** Whether two tokens differ in their first characters. Setting bit 0x20 ignores the case of ASCII letters. */
function startDifferently(one: string, other: string): boolean {
  const [first, second] = [one.charCodeAt(0) | 0x20, other.charCodeAt(0) | 0x20];
  return first < 0x80 && second < 0x80 && first !== second;
}

/** For each word, the pattern that follows its first token: the other tokens, and the end of the last one. */
const patternCache = new WeakMap<Word, RegExp>();

function getRestPattern(word: Word): RegExp {
  const cachedPattern = patternCache.get(word);
  if (cachedPattern !== undefined) return cachedPattern;
  const { folded, open } = word;
  const others = folded.slice(1).map((token) => `[^${partOfToken}]+${token}`);
  const rest = new RegExp(`${others.join('')}${open ? '' : `(?![${partOfToken}])`}`, 'uy');
  patternCache.set(word, rest);
  return rest;
}

/** Returns the index of the first occurrence of a word in a folded text, or -1. */
function findWord(folded: string, word: Word): number {
  const [first = ''] = word.folded;
  const rest = getRestPattern(word);
  for (let index = folded.indexOf(first); index !== -1; index = folded.indexOf(first, index + 1)) {
    rest.lastIndex = index + first.length;
    if (rest.test(folded) && !endsToken.test(folded.slice(Math.max(0, index - 2), index))) return index;
  }
  return -1;
}

/** Whether each of the words occurs in at least one of the texts, which come from `separateCharacters`. */
export function haveWords(texts: string[], words: Word[]): boolean {
  const folded = texts.map((text) => (isASCII.test(text) ? text.toLowerCase() : fold(text)));
  return words.every((word) => folded.some((text) => findWord(text, word) !== -1));
}

/**
 * Returns the excerpt of a text in which the most words are close to each other, without separators. Returns the
 * beginning of the text if no word occurs.
 */
export function createSnippet(text: string, words: Word[]): string {
  const index = findFirstIndex(text, words);
  const tokens = new TokenReader(text, index === undefined ? 0 : findSnippetStart(text, index));
  const [first, last] = index === undefined ? [0, 0] : findBestStretch(tokens, words, index);
  const before = Math.floor((snippetTokens - (last - first + 1)) / 2);
  const start = Math.max(0, first - before);
  const from = start === 0 ? 0 : (tokens.get(start)?.start ?? 0);
  const to = tokens.get(start + snippetTokens) && tokens.get(start + snippetTokens - 1)?.end;
  const end = to === undefined ? '' : '…';
  return `${from > 0 ? '…' : ''}${joinCharacters(text.slice(from, to))}${end}`;
}

/**
 * Returns the index of the first word, or undefined if there is none. Returns 0 if folding changes the length of the
 * text.
 */
function findFirstIndex(text: string, words: Word[]): number | undefined {
  const folded = isASCII.test(text) ? text.toLowerCase() : text.replace(beyondASCII, fold).toLowerCase();
  if (folded.length !== text.length) return 0;
  const indexes = words.map((word) => findWord(folded, word)).filter((index) => index !== -1);
  return indexes.length === 0 ? undefined : Math.min(...indexes);
}

/** Returns the index at which tokenizing starts, so that a snippet has tokens before `index`. */
function findSnippetStart(text: string, index: number): number {
  for (let width = charactersBefore; width < index; width *= 2) {
    const [, ...wholeWords] = findTokens(text.slice(index - width, index));
    const token = wholeWords.at(-tokensBefore);
    if (token !== undefined) return index - width + token.index;
  }
  return 0;
}

/**
 * Returns the indexes of the first and last match in the best range of `snippetTokens` tokens: the first one with the
 * most distinct words.
 */
function findBestStretch(tokens: TokenReader, words: Word[], from: number): [first: number, last: number] {
  const latest = new Map<Word, number>();
  let best: { words: number; range: [number, number] } = { words: 0, range: [0, 0] };
  for (const index of tokens.indexesFrom(from)) {
    const here = words.filter((word) => matchesAt(word, tokens, index));
    if (here.length === 0) continue;
    for (const word of here) latest.set(word, index);
    const near = [...latest.values()].filter((each) => index - each < snippetTokens);
    if (near.length > best.words) best = { words: near.length, range: [Math.min(...near), index] };
    if (best.words === words.length) break;
  }
  return best.range;
}
