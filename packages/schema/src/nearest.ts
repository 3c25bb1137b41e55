/**
 * Returns the number of inserted, deleted, replaced and swapped letters by which two words differ. Swaps count only for
 * neighbors.
 */
function countDifferences(one: string, other: string): number {
  let [beforeLast, last]: [number[], number[]] = [[], Array.from({ length: other.length + 1 }, (_, index) => index)];
  for (let row = 1; row <= one.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= other.length; column += 1) {
      const isEqual = one[row - 1] === other[column - 1];
      const isSwapped = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      current[column] = Math.min(
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (isEqual ? 0 : 1),
        isSwapped ? (beforeLast[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    [beforeLast, last] = [last, current];
  }
  return last[other.length] ?? 0;
}

const minSimilarity = 0.6;
const maxLength = 256;

/** Returns how similar two words are, from 0 to 1; 0 if their lengths differ too much. */
function getSimilarity(one: string, other: string): number {
  const longer = Math.max(one.length, other.length);
  return Math.min(one.length, other.length) < longer * minSimilarity ? 0 : 1 - countDifferences(one, other) / longer;
}

/** Returns the word that is most similar to a misspelled one, regardless of case, or undefined if none is similar. */
export function findNearestWord(misspelled: string, words: readonly string[]): string | undefined {
  const lower = misspelled.slice(0, maxLength).toLowerCase();
  const [nearest] = words
    .map((word) => ({ word, similarity: getSimilarity(word.slice(0, maxLength).toLowerCase(), lower) }))
    .toSorted((one, other) => other.similarity - one.similarity);
  return nearest !== undefined && nearest.similarity >= minSimilarity ? nearest.word : undefined;
}
