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
  /** Whether the rows may lack the words. */
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
export function presentPage(found: FoundSections, { words, isLoose, urls }: SearchContext): SearchPage {
  const [{ page: id, path, space, title }] = found;
  const app = urls.app(`/spaces/${space}/content/page/${id}`);
  const sections = isLoose ? found.filter((row) => hasWords(row, words)) : found;
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

export const presentSpace = (title: string, found: FoundSections, sought: SearchContext): SpaceSearchResult => ({
  id: found[0].space,
  title,
  pages: groupBy('page', found)
    .map((page) => presentPage(page, sought))
    .filter(({ sections }) => sections?.length !== 0),
});

const snippetTokens = 24;
/**
 * A few more tokens than a snippet has before its first matching word, and approximately their length in characters.
 */
const tokensBefore = snippetTokens / 2 + 1;
const charactersBefore = tokensBefore * 8;

const partOfToken = '\\p{L}\\p{N}\\p{Co}';
const endsToken = new RegExp(`[${partOfToken}]$`, 'u');
/** Text that may need folding besides ASCII capitals: everything but spaces, dashes and quotes. */
const beyondASCII = /[^\0-\x7f\xa0\u2010-\u2027]+/g;
const isASCII = /^[\0-\x7f]*$/;

interface Token {
  start: number;
  end: number;
  written: string;
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

  get(place: number): Token | undefined {
    while (this.#cut.length <= place) {
      const { value, done } = this.#rest.next();
      if (done) return undefined;
      const [written] = value;
      const start = this.#from + value.index;
      this.#cut.push({ start, end: start + written.length, written });
    }
    return this.#cut[place];
  }

  *indexesFrom(start: number): Generator<number> {
    for (let place = 0; ; place += 1) {
      const token = this.get(place);
      if (token === undefined) return;
      if (token.start >= start) yield place;
    }
  }
}

function matchesAt({ folded, open }: Word, tokens: TokenReader, place: number): boolean {
  const last = folded.length - 1;
  return folded.every((wanted, offset) => {
    const token = tokens.get(place + offset);
    if (token === undefined || startDifferently(token.written, wanted)) return false;
    token.folded ??= fold(token.written);
    return open && offset === last ? token.folded.startsWith(wanted) : token.folded === wanted;
  });
}

/** Whether two tokens differ in their first characters. For ASCII letters, one bit is the case. */
function startDifferently(one: string, other: string): boolean {
  const [first, second] = [one.charCodeAt(0) | 0x20, other.charCodeAt(0) | 0x20];
  return first < 0x80 && second < 0x80 && first !== second;
}

/** The pattern after the first token of a word: its other tokens, and the end of the last one. */
const patternCache = new WeakMap<Word, RegExp>();

function getRestPattern(word: Word): RegExp {
  const known = patternCache.get(word);
  if (known !== undefined) return known;
  const { folded, open } = word;
  const others = folded.slice(1).map((token) => `[^${partOfToken}]+${token}`);
  const rest = new RegExp(`${others.join('')}${open ? '' : `(?![${partOfToken}])`}`, 'uy');
  patternCache.set(word, rest);
  return rest;
}

/** Returns the index of the first occurrence of a word in a folded text, or -1. */
function indexOfWord(folded: string, word: Word): number {
  const [first = ''] = word.folded;
  const rest = getRestPattern(word);
  for (let at = folded.indexOf(first); at !== -1; at = folded.indexOf(first, at + 1)) {
    rest.lastIndex = at + first.length;
    if (rest.test(folded) && !endsToken.test(folded.slice(Math.max(0, at - 2), at))) return at;
  }
  return -1;
}

/** Whether each of the words occurs in one of the texts, which come from `separateCharacters`. */
export function haveWords(texts: string[], words: Word[]): boolean {
  const folded = texts.map((text) => (isASCII.test(text) ? text.toLowerCase() : fold(text)));
  return words.every((word) => folded.some((text) => indexOfWord(text, word) !== -1));
}

/**
 * Returns the part of a text, without separators, with the most words close to each other; the beginning if it has
 * none.
 */
export function createSnippet(text: string, words: Word[]): string {
  const found = findFirstIndex(text, words);
  const tokens = new TokenReader(text, found === undefined ? 0 : findSnippetStart(text, found));
  const [first, last] = found === undefined ? [0, 0] : findBestStretch(tokens, words, found);
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
  const places = words.map((word) => indexOfWord(folded, word)).filter((place) => place !== -1);
  return places.length === 0 ? undefined : Math.min(...places);
}

/** Returns where tokenizing starts, so that a snippet has tokens before an index. */
function findSnippetStart(text: string, place: number): number {
  for (let width = charactersBefore; width < place; width *= 2) {
    const [, ...whole] = findTokens(text.slice(place - width, place));
    const token = whole.at(-tokensBefore);
    if (token !== undefined) return place - width + token.index;
  }
  return 0;
}

/** Returns the first and last token of the first stretch of a snippet's length with the most distinct words. */
function findBestStretch(tokens: TokenReader, words: Word[], from: number): [first: number, last: number] {
  const latest = new Map<Word, number>();
  let best: { words: number; places: [number, number] } = { words: 0, places: [0, 0] };
  for (const place of tokens.indexesFrom(from)) {
    const here = words.filter((word) => matchesAt(word, tokens, place));
    if (here.length === 0) continue;
    for (const word of here) latest.set(word, place);
    const near = [...latest.values()].filter((each) => place - each < snippetTokens);
    if (near.length > best.words) best = { words: near.length, places: [Math.min(...near), place] };
    if (best.words === words.length) break;
  }
  return best.places;
}
