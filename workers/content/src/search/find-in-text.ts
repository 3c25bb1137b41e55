import type { Word } from './words.ts';
import { fold, joinCharacters, tokensIn } from './words.ts';

const snippetTokens = 24;

interface Token {
  start: number;
  end: number;
  folded: string;
}

const tokenize = (text: string): Token[] =>
  Array.from(tokensIn(text), ({ 0: token, index }) => ({
    start: index,
    end: index + token.length,
    folded: fold(token),
  }));

function standsAt({ folded, open }: Word, tokens: Token[], place: number): boolean {
  const last = folded.length - 1;
  return folded.every((wanted, offset) => {
    const token = tokens[place + offset]?.folded;
    return open && offset === last ? token?.startsWith(wanted) : token === wanted;
  });
}

/** Whether each of the words occurs in one of the texts, which went through `separateCharacters`. */
export function haveWords(texts: string[], words: Word[]): boolean {
  const tokenized = texts.map(tokenize);
  return words.every((word) => tokenized.some((tokens) => tokens.some((_, place) => standsAt(word, tokens, place))));
}

/**
 * The part of a text, as it was before `separateCharacters`, in which the most of the words stand close to each other;
 * its beginning where there are none.
 */
export function snippetOf(text: string, words: Word[]): string {
  const tokens = tokenize(text);
  const [first, last] = closest(tokens, words);
  const before = Math.floor((snippetTokens - (last - first + 1)) / 2);
  const start = Math.max(0, Math.min(first - before, tokens.length - snippetTokens));
  const end = start + snippetTokens;
  const from = start === 0 ? 0 : (tokens[start]?.start ?? 0);
  const to = end >= tokens.length ? text.length : (tokens[end - 1]?.end ?? text.length);
  return `${from > 0 ? '…' : ''}${joinCharacters(text.slice(from, to))}${to < text.length ? '…' : ''}`;
}

/** The first and last place of the first stretch of a snippet's length with the most distinct words in it. */
function closest(tokens: Token[], words: Word[]): [first: number, last: number] {
  const latest = new Map<Word, number>();
  let best: { words: number; places: [number, number] } = { words: 0, places: [0, 0] };
  for (const place of tokens.keys()) {
    const here = words.filter((word) => standsAt(word, tokens, place));
    if (here.length === 0) continue;
    for (const word of here) latest.set(word, place);
    const near = [...latest.values()].filter((each) => place - each < snippetTokens);
    if (near.length > best.words) best = { words: near.length, places: [Math.min(...near), place] };
    if (best.words === words.length) break;
  }
  return best.places;
}
