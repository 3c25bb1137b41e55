import { createLineNumbering, diffWords, matchLines, splitWords, type WordDifference } from '@octavo/merge';

/** A part of a text, and whether the other text does not contain it at this position. */
export interface MarkedPart {
  text: string;
  isChanged: boolean;
}

/** Two versions of a text. */
export interface MarkedTexts {
  before: MarkedPart[];
  after: MarkedPart[];
}

/** Returns both versions of compared words, or undefined if they have nothing in common. */
export function separateVersions(words: WordDifference[]): MarkedTexts | undefined {
  if (!words.some(({ text, change }) => change === undefined && text.trim() !== '')) return undefined;
  const leaveOut = (version: WordDifference['change']): MarkedPart[] =>
    words.flatMap(({ text, change }) => (change === version ? [] : [{ text, isChanged: change !== undefined }]));
  return { before: leaveOut('added'), after: leaveOut('removed') };
}

/** Marks the words that differ. Returns undefined if the texts have too few words in common. */
export const markWords = (before: string, after: string): MarkedTexts | undefined =>
  separateVersions(diffWords(before, after));

/**
 * Marks the changed words in the drawn text of a block. The drawn text can have more or fewer words than the compared
 * text. Neighboring words are one part.
 */
export function markDrawnWords(drawn: string, compared: MarkedPart[]): MarkedPart[] {
  const tokens = splitWords(drawn);
  const words = compared.flatMap(({ text, isChanged }) => splitWords(text).map((word) => ({ word, isChanged })));
  const number = createLineNumbering();
  const matches = matchLines(number(tokens), number(words.map(({ word }) => word)));
  const marked = tokens.map((_, index) => words[matches?.[index] ?? -1]?.isChanged === true);
  const parts: MarkedPart[] = [];
  for (const [index, text] of tokens.entries()) {
    const isBetweenMarked = text.trim() === '' && marked[index - 1] === true && marked[index + 1] === true;
    const isChanged = marked[index] === true || isBetweenMarked;
    const last = parts.at(-1);
    if (last?.isChanged === isChanged) last.text += text;
    else parts.push({ text, isChanged });
  }
  return parts;
}
