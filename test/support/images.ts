import { crc32, deflateSync } from 'node:zlib';

function createChunk(name: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(name, 'latin1'), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

/** Builds a PNG of one color. The header states the full size, but the pixel data has only the first `lines` lines. */
export function getPng(width: number, height: number, lines = Math.min(height, 4)): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const pixels = deflateSync(Buffer.alloc(lines * (1 + width * 3)));
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    createChunk('IHDR', header),
    createChunk('IDAT', pixels),
    createChunk('IEND', Buffer.alloc(0)),
  ]);
}

/** Like `getPng`, with all lines and `padding` bytes of text metadata. */
export function createPaddedPng(width: number, height: number, padding: number): Buffer {
  const png = getPng(width, height, height);
  const end = png.length - 12;
  return Buffer.concat([png.subarray(0, end), createChunk('tEXt', Buffer.alloc(padding, 'x')), png.subarray(end)]);
}

/** The smallest images in the other formats, of one pixel each. */
export const gif = Buffer.from('R0lGODlhAQABAAAAACwAAAAAAQABAAACAkwBADs=', 'base64');
export const webp = Buffer.from('UklGRiQAAABXRUJQVlA4IBgAAAAwAQCdASoBAAEAAgA0JaQAA3AA/vuUAAA=', 'base64');
export const jpeg = Buffer.from(
  [
    'ffd8',
    'ffe000104a46494600010100000100010000',
    'ffc0000b080001000101011100',
    'ffda0008010100003f00',
    '00',
    'ffd9',
  ].join(''),
  'hex',
);
