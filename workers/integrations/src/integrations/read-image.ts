import { invalid } from '@octavo/schema';
import { imageSize } from 'image-size';
import type { NewObject, ObjectKind } from './objects.ts';

export interface ImageLimits {
  bytes: number;
  /** Of the longer side, in pixels. */
  side: number;
}

/** So much of an image tells its size; what a hostile one costs is bounded by it. */
const readBytes = 256 * 1024;

type ImageKind = Exclude<ObjectKind, 'js'>;

/** What images begin and end with, in Latin-1: what goes on behind its end is not an image alone. */
const formats: { kind: ImageKind; begins: string; ends: string }[] = [
  { kind: 'png', begins: '\x89PNG\r\n\x1a\n\0\0\0\rIHDR', ends: '\0\0\0\0IEND\xaeB`\x82' },
  { kind: 'jpeg', begins: '\xff\xd8\xff', ends: '\xff\xd9' },
  { kind: 'gif', begins: 'GIF87a', ends: ';' },
  { kind: 'gif', begins: 'GIF89a', ends: ';' },
  { kind: 'webp', begins: 'RIFF', ends: '' },
];

/**
 * An image that was given in base64, checked by its bytes: whoever draws it meets nothing but what it says it is, of a size
 * that can be drawn. @throws ApiError invalid, naming the field
 */
export function readImage(path: string, base64: string, limits: ImageLimits): NewObject {
  const bytes = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
  const fault = (message: string) => invalid([{ path, message }]);
  if (bytes.length > limits.bytes) throw fault(`must have at most ${limits.bytes / 1024} KB`);
  const kind = kindOf(bytes);
  if (kind === undefined) throw fault('must be a PNG, JPEG, GIF or WebP, and nothing else beside it');
  const { width, height } = sizeOf(bytes, kind) ?? { width: 0, height: 0 };
  if (width < 1 || height < 1) throw fault('must be an image that tells its size');
  if (Math.max(width, height) > limits.side) {
    throw fault(`must be at most ${limits.side} pixels wide and high; it has ${width} x ${height}`);
  }
  return { kind, bytes };
}

const latin1 = (bytes: Uint8Array): string => String.fromCharCode(...bytes);

function kindOf(bytes: Uint8Array): ImageKind | undefined {
  const [first, last] = [latin1(bytes.subarray(0, 32)), latin1(bytes.subarray(-32))];
  const found = formats.find(({ begins, ends }) => first.startsWith(begins) && last.endsWith(ends));
  return found?.kind === 'webp' && !isWholeWebp(bytes) ? undefined : found?.kind;
}

/** A WebP tells how long it is. */
function isWholeWebp(bytes: Uint8Array): boolean {
  if (bytes.length < 16 || latin1(bytes.subarray(8, 12)) !== 'WEBP') return false;
  const told = new DataView(bytes.buffer, bytes.byteOffset).getUint32(4, true) + 8;
  return told === bytes.length;
}

function sizeOf(bytes: Uint8Array, kind: ImageKind): { width: number; height: number } | undefined {
  try {
    const { width, height, type } = imageSize(bytes.slice(0, readBytes));
    return type === (kind === 'jpeg' ? 'jpg' : kind) ? { width, height } : undefined;
  } catch {
    // What the reader of sizes cannot read is answered as what tells none.
    return undefined;
  }
}
