/** Returns how many characters two words share at their beginning and end. */
function countCommonLetters(one: string, other: string): number {
  const shorter = Math.min(one.length, other.length);
  let [begin, end] = [0, 0];
  while (begin < shorter && one[begin] === other[begin]) begin += 1;
  while (end < shorter - begin && one.at(-1 - end) === other.at(-1 - end)) end += 1;
  return begin + end;
}

const minSimilarity = 0.6;

/** Returns the word that is most similar to a misspelled one, regardless of case, or undefined if none is similar. */
export function findNearestWord(misspelled: string, words: readonly string[]): string | undefined {
  const lower = misspelled.slice(0, 256).toLowerCase();
  const [nearest] = words
    .map((word) => ({
      word,
      similarity: countCommonLetters(word.toLowerCase(), lower) / Math.max(word.length, lower.length),
    }))
    .toSorted((one, other) => other.similarity - one.similarity);
  return nearest !== undefined && nearest.similarity >= minSimilarity ? nearest.word : undefined;
}
