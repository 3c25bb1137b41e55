/** A part of a file, in bytes. */
export interface ByteRange {
  offset: number;
  length: number;
}

/**
 * What a `Range` header asks of `size` bytes: undefined for all of them, where it is none that is served (several ranges,
 * another unit, a broken one), null where there are no such bytes (RFC 9110, section 14.2).
 */
export function readRange(header: string, size: number): ByteRange | null | undefined {
  const [, first = '', last = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header.trim()) ?? [];
  if (first === '' && last === '') return undefined;
  if (first === '') {
    const length = Math.min(Number(last), size);
    return length === 0 ? null : { offset: size - length, length };
  }
  const [start, end] = [Number(first), last === '' ? size - 1 : Math.min(Number(last), size - 1)];
  if (last !== '' && Number(last) < start) return undefined;
  return start >= size ? null : { offset: start, length: end - start + 1 };
}
