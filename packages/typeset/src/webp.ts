import type { Assets } from './book.ts';
import type { Pixels } from './pixels.ts';

/** What unpacks it holds a picture three times. */
const MAX_PIXELS = 4_000_000;

interface Size {
  width: number;
  height: number;
}

/** The pixels of a WebP; undefined where it is none, is damaged, moves, or is too large to be unpacked. */
export async function readWebp(bytes: Uint8Array, { readWebp: unpack }: Assets): Promise<Pixels | undefined> {
  const size = sizeOfWebp(bytes);
  if (unpack === undefined || size === undefined || size.width * size.height > MAX_PIXELS) return undefined;
  const pixels = await unpack(bytes).catch(() => undefined);
  return pixels?.width === size.width && pixels.height === size.height ? pixels : undefined;
}

/** The size that the frame itself says, whatever stands around it (WebP Container Specification). */
export function sizeOfWebp(bytes: Uint8Array): Size | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const wordAt = (at: number) => String.fromCharCode(...bytes.subarray(at, at + 4));
  if (bytes.length < 20 || wordAt(0) !== 'RIFF' || wordAt(8) !== 'WEBP') return undefined;
  for (let at = 12; at + 18 <= bytes.length; ) {
    const [kind, length] = [wordAt(at), view.getUint32(at + 4, true)];
    if (kind === 'VP8 ')
      return { width: view.getUint16(at + 14, true) & 0x3fff, height: view.getUint16(at + 16, true) & 0x3fff };
    if (kind === 'VP8L') return lossless(view.getUint32(at + 9, true));
    if (kind === 'ANIM' || kind === 'ANMF') return undefined;
    at += 8 + length + (length & 1);
  }
  return undefined;
}

const lossless = (bits: number): Size => ({ width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 });
