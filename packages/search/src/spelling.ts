/** Words shorter than `minLength` are not corrected. Words of at least `lengthForTwo` letters may have two errors. */
const [minLength, lengthForTwo] = [5, 9];

/** Returns the maximum number of edits between a word and its corrections. */
export const getMaxEdits = (word: string): number => (word.length < minLength ? 0 : word.length < lengthForTwo ? 1 : 2);

/**
 * Returns the number of edits between two words, or undefined if there are more than `max`. An edit inserts, removes or
 * replaces a letter, or swaps two adjacent letters (optimal string alignment).
 */
export function countEdits(one: string, other: string, max: number): number | undefined {
  if (Math.abs(one.length - other.length) > max) return undefined;
  let before: number[] = [];
  let previous = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let row = 1; row <= one.length; row += 1) {
    const current = [row];
    let best = row;
    for (let column = 1; column <= other.length; column += 1) {
      const isSame = one.charCodeAt(row - 1) === other.charCodeAt(column - 1);
      let edits = Math.min(
        (previous[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (previous[column - 1] ?? 0) + (isSame ? 0 : 1),
      );
      const isSwapped =
        row > 1 &&
        column > 1 &&
        one.charCodeAt(row - 1) === other.charCodeAt(column - 2) &&
        one.charCodeAt(row - 2) === other.charCodeAt(column - 1);
      if (isSwapped) edits = Math.min(edits, (before[column - 2] ?? 0) + 1);
      current.push(edits);
      best = Math.min(best, edits);
    }
    if (best > max) return undefined;
    before = previous;
    previous = current;
  }
  const edits = previous[other.length] ?? 0;
  return edits <= max ? edits : undefined;
}

/** Returns a bit for each letter of a word. Words within `n` edits differ in at most `2 * n` bits. */
export function getLetterBits(word: string): number {
  let letters = 0;
  for (let index = 0; index < word.length; index += 1) letters |= 1 << (word.charCodeAt(index) & 31);
  return letters;
}

/** Returns the number of bits that are set. */
export function countBits(bits: number): number {
  let [rest, count] = [bits, 0];
  while (rest !== 0) {
    rest &= rest - 1;
    count += 1;
  }
  return count;
}

/** Number of correct letters that must follow a wrong or missing first letter. */
const sharedStart = 3;

/** Returns the prefixes that corrections of a misspelled word can have. */
export function getCorrectionPrefixes(word: string): string[] {
  const letters = [...word].slice(0, 2);
  const afterWrongLetter = word.slice(1, 1 + sharedStart);
  const afterMissingLetter = word.slice(0, sharedStart);
  const others = [...'abcdefghijklmnopqrstuvwxyz'].flatMap((letter) => [
    letter + afterWrongLetter,
    letter + afterMissingLetter,
  ]);
  return [...new Set([...letters, ...others.filter((each) => !letters.includes(each.charAt(0)))])];
}
