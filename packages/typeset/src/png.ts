import { MAX_UNPACKED_PIXELS } from './gif.ts';
import type { Pdf, Reference } from './pdfkit.ts';
import { createSoftMask, Deflated, type Pixels } from './pixels.ts';

/** The start and spacing of the pixels of each pass (PNG, third edition, 8.1). */
const PASSES = [
  { x: 0, y: 0, across: 8, down: 8 },
  { x: 4, y: 0, across: 8, down: 8 },
  { x: 0, y: 4, across: 4, down: 8 },
  { x: 2, y: 0, across: 4, down: 4 },
  { x: 0, y: 2, across: 2, down: 4 },
  { x: 1, y: 0, across: 2, down: 2 },
  { x: 0, y: 1, across: 1, down: 2 },
];

/** A row of pixels in one pass. */
interface Line {
  x: number;
  y: number;
  width: number;
  count: number;
  bytes: number;
  isFirst: boolean;
}

function* getLines(png: Png): Generator<Line, undefined> {
  for (const { x, y: first, across, down } of PASSES) {
    const count = Math.ceil((png.width - x) / across);
    const bytes = Math.ceil((count * getBitsPerPixel(png)) / 8);
    if (count > 0)
      for (let y = first; y < png.height; y += down) yield { x, y, width: across, count, bytes, isFirst: y === first };
  }
}

/** Decodes an interlaced PNG. Returns undefined if it is damaged or too large. */
export async function readInterlaced(png: Png): Promise<Pixels | undefined> {
  const { width, height } = png;
  if (width * height === 0 || width * height > MAX_UNPACKED_PIXELS) return undefined;
  const canvas = new Canvas(png);
  try {
    for await (const chunk of inflatePieces(png.data)) canvas.addPixels(chunk);
    return canvas.end();
  } catch {
    return undefined;
  }
}

class Canvas {
  readonly #png: Png;
  readonly #rgba: Uint8Array;
  readonly #lines: Iterator<Line, undefined>;
  #line: Line | undefined;
  #previousRow = new Uint8Array();
  #row = new Uint8Array();
  #filled = 0;

  constructor(png: Png) {
    this.#png = png;
    this.#rgba = new Uint8Array(png.width * png.height * 4);
    this.#lines = getLines(png);
    this.#startNextRow();
  }

  /** @throws Error if there are more bytes than pixels. */
  addPixels(chunk: Uint8Array): void {
    for (let offset = 0; offset < chunk.length; ) {
      if (this.#line === undefined) throw new Error('The pixel data of the image does not match its header.');
      const takenLength = Math.min(this.#row.length - this.#filled, chunk.length - offset);
      this.#row.set(chunk.subarray(offset, offset + takenLength), this.#filled);
      this.#filled += takenLength;
      offset += takenLength;
      if (this.#filled === this.#row.length) this.#draw(this.#line);
    }
  }

  end(): Pixels {
    if (this.#line !== undefined) throw new Error('The pixel data of the image does not match its header.');
    return { width: this.#png.width, height: this.#png.height, rgba: this.#rgba };
  }

  #startNextRow(): void {
    this.#line = this.#lines.next().value;
    const { bytes = 0, isFirst = true } = this.#line ?? {};
    this.#previousRow = isFirst ? new Uint8Array(bytes + 1) : this.#row;
    this.#row = new Uint8Array(bytes + 1);
    this.#filled = 0;
  }

  #draw({ x, y, width, count }: Line): void {
    const png = this.#png;
    if ((this.#row[0] ?? 0) > 4) throw new Error('The pixel data of the image does not match its header.');
    undoFilter(this.#row, this.#previousRow, Math.max(1, getBitsPerPixel(png) >> 3));
    const samples = this.#row.subarray(1);
    for (let index = 0; index < count; index += 1)
      setPixel(this.#rgba, 4 * (y * png.width + x + index * width), { png, samples, index });
    this.#startNextRow();
  }
}

interface SampledPixel {
  png: Png;
  samples: Uint8Array;
  /** The index of the pixel in its row. */
  index: number;
}

function setPixel(rgba: Uint8Array, offset: number, { png, samples, index }: SampledPixel): void {
  const { bits, colorType, palette, transparency } = png;
  const channels = getBitsPerPixel(png) / bits;
  const sample = (channel: number) => readSample(samples, index * channels + channel, bits);
  const scaleChannel = (channel: number) => (sample(channel) * 255) / (2 ** bits - 1);
  if (colorType === 3) {
    const color = sample(0);
    for (let part = 0; part < 3; part += 1) rgba[offset + part] = palette?.[3 * color + part] ?? 0;
    rgba[offset + 3] = transparency?.[color] ?? 255;
    return;
  }
  const isColor = (colorType & 2) !== 0;
  for (let part = 0; part < 3; part += 1) rgba[offset + part] = scaleChannel(isColor ? part : 0);
  rgba[offset + 3] = colorType >= 4 ? scaleChannel(channels - 1) : isKey(transparency, channels, sample) ? 0 : 255;
}

function readSample(samples: Uint8Array, index: number, bits: number): number {
  if (bits === 16) return ((samples[2 * index] ?? 0) << 8) | (samples[2 * index + 1] ?? 0);
  const bit = index * bits;
  return ((samples[bit >> 3] ?? 0) >> (8 - bits - (bit & 7))) & ((1 << bits) - 1);
}

/** Whether a pixel has the transparent color. */
function isKey(key: Uint8Array | undefined, channels: number, sample: (channel: number) => number): boolean {
  if (key?.length !== 2 * channels) return false;
  for (let channel = 0; channel < channels; channel += 1)
    if (sample(channel) !== readSample(key, channel, 16)) return false;
  return true;
}

interface Header {
  width: number;
  height: number;
  bits: number;
  colorType: number;
  palette: Uint8Array | undefined;
  transparency: Uint8Array | undefined;
  isInterlaced: boolean;
}

const CHANNELS: Record<number, number> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };
const SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
const DEPTHS: Record<number, number[]> = { 0: [1, 2, 4, 8, 16], 2: [8, 16], 3: [1, 2, 4, 8], 4: [8, 16], 6: [8, 16] };

interface Png extends Header {
  data: Uint8Array[];
}

/** Reads the parts of a complete PNG. Its pixels stay compressed. */
export function readPng(bytes: Uint8Array): Png | undefined {
  if (SIGNATURE.some((byte, index) => bytes[index] !== byte)) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let header: Header | undefined;
  const data: Uint8Array[] = [];
  for (let position = 8; position + 12 <= bytes.length; ) {
    const length = view.getUint32(position);
    const type = String.fromCharCode(...bytes.subarray(position + 4, position + 8));
    const start = position + 8;
    if (start + length + 4 > bytes.length) return undefined;
    const chunk = bytes.subarray(start, start + length);
    if (type === 'IHDR') header ??= getHeader(chunk);
    if (header === undefined) return undefined;
    if (type === 'PLTE') header.palette = chunk;
    if (type === 'tRNS') header.transparency = chunk;
    if (type === 'IDAT') data.push(chunk);
    if (type === 'IEND') break;
    position = start + length + 4;
  }
  if (header === undefined || data.length === 0) return undefined;
  const isIndexed = header.colorType === 3;
  const { palette } = header;
  if (isIndexed && (palette === undefined || palette.length === 0 || palette.length % 3 !== 0)) return undefined;
  return { ...header, data };
}

function getHeader(chunk: Uint8Array): Header | undefined {
  if (chunk.length !== 13) return undefined;
  const view = new DataView(chunk.buffer, chunk.byteOffset, 13);
  const [width, height, bits, colorType] = [view.getUint32(0), view.getUint32(4), view.getUint8(8), view.getUint8(9)];
  const interlacing = view.getUint8(12);
  if (DEPTHS[colorType]?.includes(bits) !== true || interlacing > 1) return undefined;
  return {
    width,
    height,
    bits,
    colorType,
    palette: undefined,
    transparency: undefined,
    isInterlaced: interlacing === 1,
  };
}

const getBitsPerPixel = ({ bits, colorType }: Png): number => bits * (CHANNELS[colorType] ?? 1);

/**
 * Embeds a non-interlaced PNG in the PDF. Returns undefined if its pixels cannot be read. Only a few rows are decoded
 * at a time.
 */
export async function embedPng(pdf: Pdf, png: Png): Promise<Reference | undefined> {
  const { width, height, bits, colorType, palette } = png;
  const hasAlpha = colorType >= 4 || (colorType === 3 && png.transparency !== undefined);
  const rows = new Rows(png);
  const colors = (colorType & 3) === 2 ? 3 : 1;
  const [color, alpha] = hasAlpha ? [new Deflated(), new Deflated()] : [];
  try {
    for await (const row of rows.read(hasAlpha)) {
      if (color === undefined || alpha === undefined) continue;
      const split = splitRow(row, png);
      await color.write(colorType === 3 ? row : split.color);
      await alpha.write(split.alpha);
    }
  } catch {
    return undefined;
  }
  const space = palette === undefined || colorType !== 3 ? (colors === 3 ? 'DeviceRGB' : 'DeviceGray') : undefined;
  const data: Record<string, unknown> = {
    Type: 'XObject',
    Subtype: 'Image',
    Width: width,
    Height: height,
    BitsPerComponent: hasAlpha && colorType !== 3 ? 8 : bits,
    Filter: 'FlateDecode',
    ColorSpace: space ?? ['Indexed', 'DeviceRGB', (palette?.length ?? 3) / 3 - 1, palette ?? new Uint8Array()],
  };
  if (!hasAlpha) data.DecodeParms = { Predictor: 15, Colors: colors, BitsPerComponent: bits, Columns: width };
  const mask = getColorKey(png);
  if (mask !== undefined) data.Mask = mask;
  if (alpha !== undefined) data.SMask = createSoftMask(pdf, { width, height }, await alpha.end());
  const image = pdf.ref(data);
  if (color !== undefined) image.write(await color.end());
  else for (const piece of png.data) image.write(piece);
  image.end();
  return image;
}

/** Returns the transparent color of a PNG without an alpha channel. */
function getColorKey({ colorType, transparency }: Png): number[] | undefined {
  if (transparency === undefined || (colorType !== 0 && colorType !== 2)) return undefined;
  const count = colorType === 0 ? 1 : 3;
  if (transparency.length !== 2 * count) return undefined;
  return Array.from({ length: count }, (_, index) => {
    const value = ((transparency[2 * index] ?? 0) << 8) | (transparency[2 * index + 1] ?? 0);
    return [value, value];
  }).flat();
}

function splitRow(row: Uint8Array, { width, bits, colorType, transparency }: Png) {
  const alpha = new Uint8Array(width);
  if (colorType === 3) {
    for (let x = 0; x < width; x += 1) {
      const bit = x * bits;
      const value = ((row[bit >> 3] ?? 0) >> (8 - bits - (bit & 7))) & ((1 << bits) - 1);
      alpha[x] = transparency?.[value] ?? 255;
    }
    return { color: row, alpha };
  }
  const count = colorType === 6 ? 3 : 1;
  const step = bits / 8;
  const color = new Uint8Array(width * count);
  let from = 0;
  for (let x = 0; x < width; x += 1) {
    for (let channel = 0; channel < count; channel += 1, from += step) color[x * count + channel] = row[from] ?? 0;
    alpha[x] = row[from] ?? 0;
    from += step;
  }
  return { color, alpha };
}

/** Reads rows of pixels in order. */
class Rows {
  readonly #png: Png;
  readonly #rowBytes: number;
  readonly #pixelBytes: number;

  constructor(png: Png) {
    this.#png = png;
    this.#rowBytes = Math.ceil((png.width * getBitsPerPixel(png)) / 8);
    this.#pixelBytes = Math.max(1, getBitsPerPixel(png) >> 3);
  }

  /** @throws Error if there are too few or too many pixels. */
  async *read(isUnpacked: boolean): AsyncGenerator<Uint8Array> {
    const size = this.#rowBytes + 1;
    let [previous, row, filled, rows] = [new Uint8Array(size), new Uint8Array(size), 0, 0];
    for await (const chunk of inflatePieces(this.#png.data)) {
      for (let offset = 0; offset < chunk.length; ) {
        const takenLength = Math.min(size - filled, chunk.length - offset);
        row.set(chunk.subarray(offset, offset + takenLength), filled);
        filled += takenLength;
        offset += takenLength;
        if (filled < size) continue;
        rows += 1;
        if (rows > this.#png.height || (row[0] ?? 0) > 4)
          throw new Error('The pixel data of the image does not match its header.');
        if (isUnpacked) {
          undoFilter(row, previous, this.#pixelBytes);
          yield row.subarray(1);
        }
        [previous, row, filled] = [row, previous, 0];
      }
    }
    if (rows !== this.#png.height || filled > 0)
      throw new Error('The pixel data of the image does not match its header.');
  }
}

/**
 * Undoes the filter of a row in place. Its first byte is the filter type, `previousRow` the previous row, and `step`
 * the bytes per pixel.
 */
function undoFilter(row: Uint8Array, previousRow: Uint8Array, step: number): void {
  const kind = row[0] ?? 0;
  if (kind === 0) return;
  for (let index = 1; index < row.length; index += 1) {
    const leftByte = index > step ? (row[index - step] ?? 0) : 0;
    const upperByte = previousRow[index] ?? 0;
    const corner = index > step ? (previousRow[index - step] ?? 0) : 0;
    const guess =
      kind === 1
        ? leftByte
        : kind === 2
          ? upperByte
          : kind === 3
            ? (leftByte + upperByte) >> 1
            : predictPaeth(leftByte, upperByte, corner);
    row[index] = (row[index] ?? 0) + guess;
  }
}

function predictPaeth(left: number, up: number, corner: number): number {
  const [toLeft, toUp, toCorner] = [Math.abs(up - corner), Math.abs(left - corner), Math.abs(left + up - 2 * corner)];
  if (toLeft <= toUp && toLeft <= toCorner) return left;
  return toUp <= toCorner ? up : corner;
}

async function* inflatePieces(pieces: Uint8Array[]): AsyncGenerator<Uint8Array> {
  const stream = new DecompressionStream('deflate');
  const writer = stream.writable.getWriter();
  const feeding = (async () => {
    for (const piece of pieces) await writer.write(piece);
    await writer.close();
  })();
  feeding.catch(() => {});
  const reader = stream.readable.getReader() as ReadableStreamDefaultReader<Uint8Array>;
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) yield part.value;
    await feeding;
  } finally {
    await reader.cancel().catch(() => {});
  }
}
