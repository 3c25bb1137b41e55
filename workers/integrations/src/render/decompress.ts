const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+-$';
const bitsOfCharacter = 6;

/** Returns a function that reads a number of `count` bits, lowest bit first. A character holds six bits. */
function createBitReader(text: string): (count: number) => number {
  let [index, position] = [0, 0];
  return (count) => {
    let value = 0;
    for (let bit = 0; bit < count; bit += 1) {
      const six = alphabet.indexOf(text.charAt(index) || 'A');
      if (six < 0) throw new RangeError('The text contains a character that is not in the compression alphabet.');
      value |= ((six >> (bitsOfCharacter - 1 - position)) & 1) << bit;
      position = (position + 1) % bitsOfCharacter;
      if (position === 0) index += 1;
      if (index > text.length) throw new RangeError('The text is incomplete.');
    }
    return value;
  };
}

const [byte, word, end] = [0, 1, 2];

/**
 * Decompresses LZ-string's URI encoding. `limit` is the maximum length of the result: a short text can expand to a very
 * long one.
 * @throws RangeError
 */
export function decompress(text: string, limit: number): string {
  const readBits = createBitReader(text.replaceAll(' ', '+'));
  const phrases: string[] = ['', '', ''];
  let [width, remaining] = [2, 1];
  let [last, result] = ['', ''];
  for (;;) {
    const code = readBits(width);
    if (code === end) return result;
    let phrase = phrases[code];
    if (code === byte || code === word) {
      phrase = String.fromCharCode(readBits(code === byte ? 8 : 16));
      phrases.push(phrase);
      if (last !== '') remaining -= 1;
    } else if (code === phrases.length && last !== '') phrase = last + last.charAt(0);
    if (phrase === undefined || phrase === '') throw new RangeError('The text refers to an undefined phrase.');
    if (last === '') [width, remaining] = [3, 4];
    else {
      if (remaining === 0) [remaining, width] = [2 ** width, width + 1];
      phrases.push(last + phrase.charAt(0));
      remaining -= 1;
    }
    result += phrase;
    if (result.length > limit) throw new RangeError(`The decompressed text has more than ${limit} characters.`);
    if (remaining === 0) [remaining, width] = [2 ** width, width + 1];
    last = phrase;
  }
}
