import { MAX_UNPACKED_PIXELS } from './gif.ts';
import type { Pixels } from './pixels.ts';
import { bitsPerPixel, inflated, type Png, unfilter } from './png.ts';

/** Where the pixels of each pass begin, and how far apart they are (PNG, third edition, 8.1). */
const PASSES = [
  { x: 0, y: 0, across: 8, down: 8 },
  { x: 4, y: 0, across: 8, down: 8 },
  { x: 0, y: 4, across: 4, down: 8 },
  { x: 2, y: 0, across: 4, down: 4 },
  { x: 0, y: 2, across: 2, down: 4 },
  { x: 1, y: 0, across: 2, down: 2 },
  { x: 0, y: 1, across: 1, down: 2 },
];

/** The pixels of one pass that stand in one line. */
interface Line {
  x: number;
  y: number;
  across: number;
  count: number;
  bytes: number;
  isFirst: boolean;
}

function* linesOf(png: Png): Generator<Line, undefined> {
  for (const { x, y: first, across, down } of PASSES) {
    const count = Math.ceil((png.width - x) / across);
    const bytes = Math.ceil((count * bitsPerPixel(png)) / 8);
    if (count > 0)
      for (let y = first; y < png.height; y += down) yield { x, y, across, count, bytes, isFirst: y === first };
  }
}

/** The pixels of an interlaced PNG; undefined where it is damaged, or too large to be unpacked. */
export async function readInterlaced(png: Png): Promise<Pixels | undefined> {
  const { width, height } = png;
  if (width * height === 0 || width * height > MAX_UNPACKED_PIXELS) return undefined;
  const canvas = new Canvas(png);
  try {
    for await (const chunk of inflated(png.data)) canvas.take(chunk);
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
  #above = new Uint8Array();
  #row = new Uint8Array();
  #filled = 0;

  constructor(png: Png) {
    this.#png = png;
    this.#rgba = new Uint8Array(png.width * png.height * 4);
    this.#lines = linesOf(png);
    this.#next();
  }

  /** Throws where there are more bytes than pixels. */
  take(chunk: Uint8Array): void {
    for (let offset = 0; offset < chunk.length; ) {
      if (this.#line === undefined) throw new Error('The image has other pixels than it says.');
      const taken = Math.min(this.#row.length - this.#filled, chunk.length - offset);
      this.#row.set(chunk.subarray(offset, offset + taken), this.#filled);
      this.#filled += taken;
      offset += taken;
      if (this.#filled === this.#row.length) this.#draw(this.#line);
    }
  }

  end(): Pixels {
    if (this.#line !== undefined) throw new Error('The image has other pixels than it says.');
    return { width: this.#png.width, height: this.#png.height, rgba: this.#rgba };
  }

  #next(): void {
    this.#line = this.#lines.next().value;
    const { bytes = 0, isFirst = true } = this.#line ?? {};
    this.#above = isFirst ? new Uint8Array(bytes + 1) : this.#row;
    this.#row = new Uint8Array(bytes + 1);
    this.#filled = 0;
  }

  #draw({ x, y, across, count }: Line): void {
    const png = this.#png;
    if ((this.#row[0] ?? 0) > 4) throw new Error('The image has other pixels than it says.');
    unfilter(this.#row, this.#above, Math.max(1, bitsPerPixel(png) >> 3));
    const samples = this.#row.subarray(1);
    for (let index = 0; index < count; index += 1)
      setPixel(this.#rgba, 4 * (y * png.width + x + index * across), { png, samples, index });
    this.#next();
  }
}

interface Sampled {
  png: Png;
  samples: Uint8Array;
  /** Of the pixel in its line. */
  index: number;
}

function setPixel(rgba: Uint8Array, at: number, { png, samples, index }: Sampled): void {
  const { bits, colorType, palette, transparency } = png;
  const channels = bitsPerPixel(png) / bits;
  const sample = (channel: number) => sampleAt(samples, index * channels + channel, bits);
  const scaled = (channel: number) => (sample(channel) * 255) / (2 ** bits - 1);
  if (colorType === 3) {
    const color = sample(0);
    for (let part = 0; part < 3; part += 1) rgba[at + part] = palette?.[3 * color + part] ?? 0;
    rgba[at + 3] = transparency?.[color] ?? 255;
    return;
  }
  const isColor = (colorType & 2) !== 0;
  for (let part = 0; part < 3; part += 1) rgba[at + part] = scaled(isColor ? part : 0);
  rgba[at + 3] = colorType >= 4 ? scaled(channels - 1) : isKey(transparency, channels, sample) ? 0 : 255;
}

function sampleAt(samples: Uint8Array, index: number, bits: number): number {
  if (bits === 16) return ((samples[2 * index] ?? 0) << 8) | (samples[2 * index + 1] ?? 0);
  const bit = index * bits;
  return ((samples[bit >> 3] ?? 0) >> (8 - bits - (bit & 7))) & ((1 << bits) - 1);
}

/** Whether a pixel has the one color that is transparent. */
function isKey(key: Uint8Array | undefined, channels: number, sample: (channel: number) => number): boolean {
  if (key?.length !== 2 * channels) return false;
  for (let channel = 0; channel < channels; channel += 1)
    if (sample(channel) !== sampleAt(key, channel, 16)) return false;
  return true;
}
