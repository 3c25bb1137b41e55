/// <reference path="./omggif.d.ts" />
import type { Pixels } from './pixels.ts';

/** The maximum number of pixels of a decoded picture, four bytes each. */
export const MAX_UNPACKED_PIXELS = 9_000_000;

/** Decodes the first frame of a GIF. Returns undefined if it is not a GIF, damaged, or too large. */
export async function readGif(bytes: Uint8Array): Promise<Pixels | undefined> {
  if (!/^GIF8[79]a$/.test(String.fromCharCode(...bytes.subarray(0, 6))) || bytes.length < 13) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const [width, height] = [view.getUint16(6, true), view.getUint16(8, true)];
  const end = findFirstFrameEnd(bytes);
  if (end === undefined || width * height === 0 || width * height > MAX_UNPACKED_PIXELS) return undefined;
  const first = new Uint8Array(end + 1);
  first.set(bytes.subarray(0, end));
  first[end] = TRAILER;
  const { GifReader } = await import('omggif');
  try {
    const reader = new GifReader(first);
    const frame = reader.frameInfo(0);
    if (frame.x + frame.width > width || frame.y + frame.height > height) return undefined;
    const rgba = new Uint8Array(width * height * 4);
    reader.decodeAndBlitFrameRGBA(0, rgba);
    return { width, height, rgba };
  } catch {
    return undefined;
  }
}

const TRAILER = 0x3b;
const EXTENSION = 0x21;
const IMAGE = 0x2c;

/** Returns the end of the first frame. Later frames are not read. */
function findFirstFrameEnd(bytes: Uint8Array): number | undefined {
  const getByte = (index: number) => bytes[index] ?? 0;
  const getTableSize = (flags: number) => (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0);
  const skipBlocks = (start: number) => {
    let position = start;
    while (position < bytes.length && getByte(position) !== 0) position += getByte(position) + 1;
    return position + 1;
  };
  let position = 13 + getTableSize(getByte(10));
  while (position < bytes.length && getByte(position) === EXTENSION) position = skipBlocks(position + 2);
  if (getByte(position) !== IMAGE) return undefined;
  const end = skipBlocks(position + 11 + getTableSize(getByte(position + 9)));
  return end <= bytes.length ? end : undefined;
}
