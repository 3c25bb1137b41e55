import { deflateSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { readInterlaced, readPng } from './png.ts';

const chunk = (type: string, data: Uint8Array) => {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(data.length);
  head.write(type, 4, 'latin1');
  return Buffer.concat([head, data, Buffer.alloc(4)]);
};

interface ImageOptions {
  width: number;
  height: number;
  bits: number;
  colorType: number;
  rows: number[][];
  more?: Buffer[];
}

function getPng({ width, height, bits, colorType, rows, more = [] }: ImageOptions): Uint8Array {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width);
  header.writeUInt32BE(height, 4);
  header.set([bits, colorType, 0, 0, 1], 8);
  const data = chunk('IDAT', deflateSync(Uint8Array.from(rows.flat())));
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return new Uint8Array(
    Buffer.concat([signature, chunk('IHDR', header), ...more, data, chunk('IEND', Buffer.alloc(0))]),
  );
}

async function getRgba(sample: ImageOptions): Promise<number[] | undefined> {
  const png = readPng(getPng(sample));
  const read = png && (await readInterlaced(png));
  return read && [...read.rgba];
}

/** The order in which Adam7 transmits the 64 pixels of an 8 by 8 block, row by row, as shown in the PNG standard. */
const order = [
  ...[1, 6, 4, 6, 2, 6, 4, 6],
  ...[7, 7, 7, 7, 7, 7, 7, 7],
  ...[5, 6, 5, 6, 5, 6, 5, 6],
  ...[7, 7, 7, 7, 7, 7, 7, 7],
  ...[3, 6, 4, 6, 3, 6, 4, 6],
  ...[7, 7, 7, 7, 7, 7, 7, 7],
  ...[5, 6, 5, 6, 5, 6, 5, 6],
  ...[7, 7, 7, 7, 7, 7, 7, 7],
];

/** Splits an 8 by 8 block into the lines of the seven passes, each filtered with the given filter type. */
function splitIntoPasses(values: number[][], filter: 0 | 1 | 2): number[][] {
  return [1, 2, 3, 4, 5, 6, 7].flatMap((pass) => {
    const lines = Array.from({ length: 8 }, (_, y) =>
      values.slice(8 * y, 8 * y + 8).filter((_value, x) => order[8 * y + x] === pass),
    ).filter((line) => line.length > 0);
    return lines.map((line, y) => [
      filter,
      ...line.flatMap((value, x) => {
        const before = filter === 1 ? line[x - 1] : filter === 2 ? lines[y - 1]?.[x] : undefined;
        return value.map((part, channel) => (part - (before?.[channel] ?? 0)) & 255);
      }),
    ]);
  });
}

const square = { width: 8, height: 8 };
const colors = Array.from({ length: 64 }, (_, index) => [index, 255 - index, (index * 7) & 255]);

test.each([0, 1, 2] as const)('decodes the pixels of all passes, with filter %i', async (filter) => {
  const rows = splitIntoPasses(colors, filter);
  expect(await getRgba({ ...square, bits: 8, colorType: 2, rows })).toEqual(colors.flatMap((color) => [...color, 255]));
  const clear = colors.map((color, index) => [...color, index]);
  expect(await getRgba({ ...square, bits: 8, colorType: 6, rows: splitIntoPasses(clear, filter) })).toEqual(
    clear.flat(),
  );
});

test('decodes grays, palettes and transparent colors', async () => {
  const one = { width: 1, height: 1 };
  const createColorKey = (...bytes: number[]) => chunk('tRNS', Buffer.from(bytes));
  const palette = chunk('PLTE', Buffer.from([1, 2, 3, 4, 5, 6]));
  const getPixels = (bits: number, colorType: number, bytes: number[], more: Buffer[] = []) =>
    getRgba({ ...one, bits, colorType, rows: [[0, ...bytes]], more });
  expect(await getPixels(1, 0, [0x80])).toEqual([255, 255, 255, 255]);
  expect(await getPixels(4, 0, [0x50])).toEqual([85, 85, 85, 255]);
  expect(await getPixels(16, 4, [0x80, 0x80, 0xff, 0xff])).toEqual([128, 128, 128, 255]);
  expect(await getPixels(2, 3, [0x40], [palette, createColorKey(9, 7)])).toEqual([4, 5, 6, 7]);
  expect(await getPixels(8, 0, [5], [createColorKey(0, 5)])).toEqual([5, 5, 5, 0]);
  expect(await getPixels(8, 2, [1, 2, 3], [createColorKey(0, 1, 0, 2, 0, 4)])).toEqual([1, 2, 3, 255]);
});

test('decodes a size that is not a multiple of eight', async () => {
  const rows = [
    [0, 10],
    [0, 30, 50],
    [0, 20, 40],
  ];
  expect(
    await getRgba({
      width: 3,
      height: 1,
      bits: 8,
      colorType: 0,
      rows: [
        [0, 1],
        [0, 3],
        [0, 2],
      ],
    }),
  ).toEqual([...[1, 1, 1, 255], ...[2, 2, 2, 255], ...[3, 3, 3, 255]]);
  expect(await getRgba({ width: 3, height: 1, bits: 8, colorType: 0, rows })).toBeUndefined();
});

test('rejects a damaged or oversized image', async () => {
  const rows = splitIntoPasses(colors, 0);
  const image = { ...square, bits: 8, colorType: 2 };
  expect(await getRgba({ ...image, rows: rows.slice(1) })).toBeUndefined();
  expect(await getRgba({ ...image, rows: [...rows, [0]] })).toBeUndefined();
  expect(await getRgba({ ...image, rows: [[5, ...(rows[0]?.slice(1) ?? [])], ...rows.slice(1)] })).toBeUndefined();
  expect(await getRgba({ ...image, width: 3001, height: 3000, rows })).toBeUndefined();
});
