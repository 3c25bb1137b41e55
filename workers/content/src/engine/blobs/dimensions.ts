import { imageSize } from 'image-size';
import { startOfSvg } from './content-type.ts';

export interface Dimensions {
  width: number;
  height: number;
}

/** How much of an image is read: the time that a hostile one takes is bounded by it, for SVG by its square. */
const readBytes: Record<string, number> = {
  'image/png': 64,
  'image/gif': 64,
  'image/webp': 64,
  'image/avif': 16 * 1024,
  'image/jpeg': 256 * 1024,
  'image/svg+xml': 4 * 1024,
};
const maxSide = 1_000_000;

/** Width and height of an image in pixels, from its first bytes; undefined where they do not tell. */
export function dimensionsOf(bytes: Uint8Array, contentType: string): Dimensions | undefined {
  const limit = readBytes[contentType];
  if (limit === undefined) return undefined;
  const start = contentType === 'image/svg+xml' ? rootOfSvg(bytes) : bytes;
  try {
    const { width, height } = imageSize(start.slice(0, limit));
    return isSide(width) && isSide(height) ? { width, height } : undefined;
  } catch {
    // What the reader of sizes cannot read is a file like any other, only without dimensions.
    return undefined;
  }
}

const isSide = (side: number): boolean => Number.isInteger(side) && side > 0 && side <= maxSide;

function rootOfSvg(bytes: Uint8Array): Uint8Array {
  const text = new TextDecoder().decode(bytes.subarray(0, 64 * 1024));
  return new TextEncoder().encode(text.slice(startOfSvg(text)));
}
