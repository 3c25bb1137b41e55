const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+-$';
const [word, end] = [1, 2];
const bitsOfWord = 16;

/**
 * Compresses a text like compressToEncodedURIComponent of LZ-string, but writes each character separately instead of
 * phrases, which the format allows.
 */
export function compressText(text: string): string {
  const codes = new Map<string, number>();
  const bits: number[] = [];
  let [size, width, room, isFirst] = [3, 2, 1, true];
  const write = (value: number, count: number) => {
    for (let bit = 0; bit < count; bit += 1) bits.push((value >> bit) & 1);
  };
  const widen = () => {
    if (room > 0) return;
    [room, width] = [2 ** width, width + 1];
  };
  for (const unit of text.split('')) {
    const known = codes.get(unit);
    write(known ?? word, width);
    if (known === undefined) {
      write(unit.charCodeAt(0), bitsOfWord);
      codes.set(unit, size);
      size += 1;
      if (!isFirst) room -= 1;
    }
    if (isFirst) [width, room, isFirst] = [3, 4, false];
    else {
      widen();
      size += 1;
      room -= 1;
    }
    widen();
  }
  write(end, width);
  const sixes = Array.from({ length: Math.ceil(bits.length / 6) }, (_, at) => bits.slice(at * 6, at * 6 + 6));
  return sixes.map((six) => alphabet[Number.parseInt(six.join('').padEnd(6, '0'), 2)]).join('');
}
