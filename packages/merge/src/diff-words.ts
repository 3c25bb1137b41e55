import { getResult, type TreeSteps } from '@octavo/markdown';
import { createLineNumbering, matchLinesInSteps } from './lines.ts';

/** A part of a text. Without `change`, both versions contain it. */
export interface WordDifference {
  text: string;
  change?: 'added' | 'removed' | undefined;
}

/** Texts that share a smaller part of their words are compared as wholes. */
const minSimilarity = 0.3;
/** Estimated number of characters that are split or joined in a microsecond. */
const charactersPerMicrosecond = 20;

/** Splits a text into words, white space and single other characters. */
export const splitWords = (text: string): string[] => text.match(/[\p{L}\p{N}_]+|\s+|./gsu) ?? [];

const isWord = (token = ''): boolean => token.trim() !== '';

/**
 * Compares two texts word by word. Joining the parts without the added or the removed ones restores the texts.
 * Removed words precede the words that replace them. If the texts have too few words in common, the whole text is
 * removed and added.
 */
export const diffWords = (before: string, after: string): WordDifference[] =>
  getResult(diffWordsInSteps(before, after));

/** Like `diffWords`, but works in steps. */
export function* diffWordsInSteps(before: string, after: string): TreeSteps<WordDifference[]> {
  if (before === after) return before === '' ? [] : [{ text: before }];
  const [old, next] = [splitWords(before), splitWords(after)];
  yield (before.length + after.length) / charactersPerMicrosecond;
  const matches = yield* matchWords(old, next);
  if (matches === undefined) return joinParts([...toParts([before], 'removed'), ...toParts([after], 'added')]);
  yield (before.length + after.length) / charactersPerMicrosecond;
  const parts: WordDifference[] = [];
  let position = 0;
  old.forEach((word, index) => {
    const match = matches[index] ?? -1;
    if (match < 0) parts.push({ text: word, change: 'removed' });
    else {
      parts.push(...toParts(next.slice(position, match), 'added'), { text: word });
      position = match + 1;
    }
  });
  return joinParts([...parts, ...toParts(next.slice(position), 'added')]);
}

const toParts = (words: string[], change: 'added' | 'removed'): WordDifference[] =>
  words.map((text) => ({ text, change }));

/** Returns for each word its partner in the other text, or -1; undefined if the texts have too few words in common. */
function* matchWords(old: string[], next: string[]): TreeSteps<Int32Array | undefined> {
  const number = createLineNumbering();
  const matches = yield* matchLinesInSteps(number(old), number(next));
  if (matches === undefined) return undefined;
  const common = old.filter((word, index) => isWord(word) && (matches[index] ?? -1) >= 0).length;
  if (common < Math.max(old.filter(isWord).length, next.filter(isWord).length) * minSimilarity) return undefined;
  const matched = new Set(matches);
  // White space between words that all differ is changed too, so that these words are one part.
  const isBetweenChanges = (index: number, match: number): boolean =>
    [index - 1, index + 1].every((each) => matches[each] === -1) &&
    [match - 1, match + 1].every((each) => next[each] !== undefined && !matched.has(each));
  return matches.map((match, index) =>
    match >= 0 && !isWord(old[index]) && isBetweenChanges(index, match) ? -1 : match,
  );
}

/** Joins neighboring parts with the same change. */
function joinParts(parts: WordDifference[]): WordDifference[] {
  const joined: WordDifference[] = [];
  for (const { text, change } of parts) {
    const last = joined.at(-1);
    if (text === '') continue;
    if (last !== undefined && last.change === change) last.text += text;
    else joined.push({ text, ...(change === undefined ? {} : { change }) });
  }
  return joined;
}
