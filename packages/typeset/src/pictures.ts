import type { Assets, BookPage } from './book.ts';
import type { Fonts } from './fonts.ts';
import { readGif } from './gif.ts';
import { readJpeg } from './jpeg.ts';
import type { Paper } from './paper.ts';
import type { Picture } from './picture.ts';
import { embedPixels, type Pixels } from './pixels.ts';
import { embedPng, readInterlaced, readPng } from './png.ts';
import { drawSvg } from './svg.ts';
import { readSvg } from './svg-tree.ts';

/** Maximum number of pixels of a WebP image, because decoding takes three times the memory of the picture. */
const MAX_WEBP_PIXELS = 4_000_000;

interface Size {
  width: number;
  height: number;
}

/** Decodes a WebP. Returns undefined if it is not a WebP, damaged, animated, or too large. */
export async function readWebp(bytes: Uint8Array, { readWebp: unpack }: Assets): Promise<Pixels | undefined> {
  const size = readWebpSize(bytes);
  if (unpack === undefined || size === undefined || size.width * size.height > MAX_WEBP_PIXELS) return undefined;
  const pixels = await unpack(bytes).catch(() => undefined);
  return pixels?.width === size.width && pixels.height === size.height ? pixels : undefined;
}

/** Returns the size in the frame header (WebP Container Specification). */
export function readWebpSize(bytes: Uint8Array): Size | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const readWord = (index: number) => String.fromCharCode(...bytes.subarray(index, index + 4));
  if (bytes.length < 20 || readWord(0) !== 'RIFF' || readWord(8) !== 'WEBP') return undefined;
  for (let offset = 12; offset + 18 <= bytes.length; ) {
    const [kind, length] = [readWord(offset), view.getUint32(offset + 4, true)];
    if (kind === 'VP8 ')
      return { width: view.getUint16(offset + 14, true) & 0x3fff, height: view.getUint16(offset + 16, true) & 0x3fff };
    if (kind === 'VP8L') return readLosslessSize(view.getUint32(offset + 9, true));
    if (kind === 'ANIM' || kind === 'ANMF') return undefined;
    offset += 8 + length + (length & 1);
  }
  return undefined;
}

const readLosslessSize = (bits: number): Size => ({ width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 });

const MAX_BYTES = 32 * 1024 * 1024;
const MAX_PIXELS = 40_000_000;
const PIXEL = 0.75;

/** The images of a book. Each is embedded once and then released. */
export class Pictures {
  readonly #paper: Paper;
  readonly #fonts: Fonts;
  readonly #assets: Assets;
  readonly #picturesByUrl = new Map<string, Picture | undefined>();
  /** The images of the current page, by address. */
  #picturesOfPage = new Map<string, Picture | undefined>();
  #page: BookPage | undefined;

  constructor(paper: Paper, fonts: Fonts, assets: Assets) {
    this.#paper = paper;
    this.#fonts = fonts;
    this.#assets = assets;
  }

  /** Returns the image at an address, or undefined if it cannot be shown. */
  async getPicture(page: BookPage, source: string): Promise<Picture | undefined> {
    if (this.#page !== page) this.#picturesOfPage = new Map();
    this.#page = page;
    if (!this.#picturesOfPage.has(source)) this.#picturesOfPage.set(source, await this.#fetch(page, source));
    return this.#picturesOfPage.get(source);
  }

  async #fetch(page: BookPage, source: string): Promise<Picture | undefined> {
    const image = await this.#assets.image(page, source);
    if (image === undefined || image.bytes.length > MAX_BYTES || image.bytes.length === 0) return undefined;
    const digest = await crypto.subtle.digest('SHA-256', image.bytes as Uint8Array<ArrayBuffer>);
    const key = Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
    if (!this.#picturesByUrl.has(key)) {
      const label = `I${this.#picturesByUrl.size + 1}`;
      this.#picturesByUrl.set(key, await this.#embed(image.bytes, label));
    }
    return this.#picturesByUrl.get(key);
  }

  async #embed(bytes: Uint8Array, label: string): Promise<Picture | undefined> {
    const { pdf } = this.#paper;
    const png = readPng(bytes);
    const unpacked = png === undefined ? await this.#unpack(bytes) : png.isInterlaced && (await readInterlaced(png));
    if (unpacked) {
      const [width, height] = [unpacked.width * PIXEL, unpacked.height * PIXEL];
      return { label, object: await embedPixels(pdf, unpacked), width, height, isDrawing: false, rotation: 0 };
    }
    if (png?.isInterlaced) return undefined;
    const jpeg = png === undefined ? readJpeg(bytes) : undefined;
    const pixels = png ?? jpeg;
    if (pixels !== undefined) {
      if (pixels.width * pixels.height > MAX_PIXELS || pixels.width * pixels.height === 0) return undefined;
      const object = png !== undefined ? await embedPng(pdf, png) : jpeg?.embed(pdf);
      if (object === undefined) return undefined;
      const rotation = jpeg?.rotation ?? 0;
      const [width, height] = rotation % 180 === 0 ? [pixels.width, pixels.height] : [pixels.height, pixels.width];
      return { label, object, width: width * PIXEL, height: height * PIXEL, isDrawing: false, rotation };
    }
    const drawing = readSvg(bytes);
    if (drawing === undefined) return undefined;
    const drawnSvg = await drawSvg(pdf, this.#fonts, drawing);
    return drawnSvg && { label, ...drawnSvg, isDrawing: true, rotation: 0 };
  }

  async #unpack(bytes: Uint8Array) {
    return (await readGif(bytes)) ?? (await readWebp(bytes, this.#assets));
  }
}
