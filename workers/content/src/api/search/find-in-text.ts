import type { Word } from '../../engine/search/words.ts';
import { fold, joinCharacters, tokensIn } from '../../engine/search/words.ts';

const snippetTokens = 24;

interface Token {
  start: number;
  end: number;
  folded: string;
}

/** The tokens of a text, cut as they are asked for: most words stand near the beginning. */
class Tokens {
  readonly #rest: Iterator<RegExpExecArray>;
  readonly #cut: Token[] = [];

  constructor(text: string) {
    this.#rest = tokensIn(text);
  }

  at(place: number): Token | undefined {
    while (this.#cut.length <= place) {
      const { value, done } = this.#rest.next();
      if (done) return undefined;
      const [token] = value;
      this.#cut.push({ start: value.index, end: value.index + token.length, folded: fold(token) });
    }
    return this.#cut[place];
  }

  *places(): Generator<number> {
    for (let place = 0; this.at(place) !== undefined; place += 1) yield place;
  }
}

function standsAt({ folded, open }: Word, tokens: Tokens, place: number): boolean {
  const last = folded.length - 1;
  return folded.every((wanted, offset) => {
    const token = tokens.at(place + offset)?.folded;
    return open && offset === last ? token?.startsWith(wanted) : token === wanted;
  });
}

/** Whether each of the words occurs in one of the texts, which went through `separateCharacters`. */
export function haveWords(texts: string[], words: Word[]): boolean {
  const missing = new Set(words);
  for (const text of texts) {
    const tokens = new Tokens(text);
    for (const place of tokens.places()) {
      for (const word of missing) if (standsAt(word, tokens, place)) missing.delete(word);
      if (missing.size === 0) return true;
    }
  }
  return false;
}

/**
 * The part of a text, as it was before `separateCharacters`, in which the most of the words stand close to each other;
 * its beginning where there are none.
 */
export function snippetOf(text: string, words: Word[]): string {
  const tokens = new Tokens(text);
  const [first, last] = closest(tokens, words);
  const before = Math.floor((snippetTokens - (last - first + 1)) / 2);
  const start = Math.max(0, first - before);
  const from = start === 0 ? 0 : (tokens.at(start)?.start ?? 0);
  const to = tokens.at(start + snippetTokens) && tokens.at(start + snippetTokens - 1)?.end;
  const end = to === undefined ? '' : '…';
  return `${from > 0 ? '…' : ''}${joinCharacters(text.slice(from, to))}${end}`;
}

/** The first and last place of the first stretch of a snippet's length with the most distinct words in it. */
function closest(tokens: Tokens, words: Word[]): [first: number, last: number] {
  const latest = new Map<Word, number>();
  let best: { words: number; places: [number, number] } = { words: 0, places: [0, 0] };
  for (const place of tokens.places()) {
    const here = words.filter((word) => standsAt(word, tokens, place));
    if (here.length === 0) continue;
    for (const word of here) latest.set(word, place);
    const near = [...latest.values()].filter((each) => place - each < snippetTokens);
    if (near.length > best.words) best = { words: near.length, places: [Math.min(...near), place] };
    if (best.words === words.length) break;
  }
  return best.places;
}
