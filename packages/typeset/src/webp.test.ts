import { expect, test } from 'vitest';
import type { Assets } from './book.ts';
import { readWebp, readWebpSize } from './pictures.ts';

function getWebp(kind: string, ...data: number[]): Uint8Array {
  const bytes = Buffer.alloc(20 + data.length);
  bytes.write('RIFF', 0, 'latin1');
  bytes.write(`WEBP${kind}`, 8, 'latin1');
  bytes.writeUInt32LE(data.length, 16);
  bytes.set(data, 20);
  return new Uint8Array(bytes);
}

const createLossyHeader = (width: number, height: number) =>
  getWebp('VP8 ', 0, 0, 0, 0x9d, 0x01, 0x2a, width & 255, width >> 8, height & 255, height >> 8);
const lossless = getWebp('VP8L', 0x2f, 0x02, 0xc0, 0x01, 0, 0, 0, 0, 0, 0);

test('returns the size in the frame header', () => {
  expect(readWebpSize(createLossyHeader(640, 480))).toEqual({ width: 640, height: 480 });
  expect(readWebpSize(lossless)).toEqual({ width: 3, height: 8 });
  const extended = getWebp('VP8X', ...Array<number>(10).fill(9), ...createLossyHeader(5, 7).subarray(12));
  new DataView(extended.buffer).setUint32(16, 10, true);
  expect(readWebpSize(extended)).toEqual({ width: 5, height: 7 });
  for (const none of [
    new Uint8Array(),
    getWebp('ANIM', ...createLossyHeader(5, 7)),
    createLossyHeader(5, 7).subarray(0, 25),
  ])
    expect(readWebpSize(none)).toBeUndefined();
});

test('rejects an oversized image, and one whose size differs from the declared size', async () => {
  const unpacked: number[] = [];
  const assets = {
    readWebp: async (bytes: Uint8Array) => {
      unpacked.push(bytes.length);
      return { width: 4, height: 4, rgba: new Uint8Array(64) };
    },
  } as Partial<Assets> as Assets;
  expect(await readWebp(createLossyHeader(2001, 2000), assets)).toBeUndefined();
  expect(unpacked).toEqual([]);
  expect(await readWebp(createLossyHeader(4, 4), assets)).toMatchObject({ width: 4, height: 4 });
  expect(await readWebp(createLossyHeader(4, 5), assets)).toBeUndefined();
});
