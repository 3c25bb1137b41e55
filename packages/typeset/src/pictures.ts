import type { Assets, BookPage } from './book.ts';
import type { Fonts } from './fonts.ts';
import { readGif } from './gif.ts';
import { readInterlaced } from './interlaced.ts';
import { readJpeg } from './jpeg.ts';
import type { Paper } from './paper.ts';
import type { Picture } from './picture.ts';
import { embedPixels } from './pixels.ts';
import { embedPng, readPng } from './png.ts';
import { drawSvg } from './svg.ts';
import { readSvg } from './svg-tree.ts';
import { readWebp } from './webp.ts';

const MAX_BYTES = 32 * 1024 * 1024;
const MAX_PIXELS = 40_000_000;
const PIXEL = 0.75;

/** The images of a book: each is put into the PDF once, and let go. */
export class Pictures {
  readonly #paper: Paper;
  readonly #fonts: Fonts;
  readonly #assets: Assets;
  readonly #known = new Map<string, Picture | undefined>();
  /** Of the page that is being set, by address. */
  #ofPage = new Map<string, Picture | undefined>();
  #page: BookPage | undefined;

  constructor(paper: Paper, fonts: Fonts, assets: Assets) {
    this.#paper = paper;
    this.#fonts = fonts;
    this.#assets = assets;
  }

  /** The image at an address; undefined where there is none that can be shown. */
  async at(page: BookPage, source: string): Promise<Picture | undefined> {
    if (this.#page !== page) this.#ofPage = new Map();
    this.#page = page;
    if (!this.#ofPage.has(source)) this.#ofPage.set(source, await this.#fetch(page, source));
    return this.#ofPage.get(source);
  }

  async #fetch(page: BookPage, source: string): Promise<Picture | undefined> {
    const found = await this.#assets.image(page, source);
    if (found === undefined || found.bytes.length > MAX_BYTES || found.bytes.length === 0) return undefined;
    const digest = await crypto.subtle.digest('SHA-256', found.bytes as Uint8Array<ArrayBuffer>);
    const key = Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
    if (!this.#known.has(key)) {
      const label = `I${this.#known.size + 1}`;
      this.#known.set(key, await this.#embed(found.bytes, label));
    }
    return this.#known.get(key);
  }

  async #embed(bytes: Uint8Array, label: string): Promise<Picture | undefined> {
    const { pdf } = this.#paper;
    const png = readPng(bytes);
    const unpacked = png === undefined ? await this.#unpack(bytes) : png.isInterlaced && (await readInterlaced(png));
    if (unpacked) {
      const [width, height] = [unpacked.width * PIXEL, unpacked.height * PIXEL];
      return { label, object: await embedPixels(pdf, unpacked), width, height, isDrawing: false, turn: 0 };
    }
    if (png?.isInterlaced) return undefined;
    const jpeg = png === undefined ? readJpeg(bytes) : undefined;
    const pixels = png ?? jpeg;
    if (pixels !== undefined) {
      if (pixels.width * pixels.height > MAX_PIXELS || pixels.width * pixels.height === 0) return undefined;
      const object = png !== undefined ? await embedPng(pdf, png) : jpeg?.embed(pdf);
      if (object === undefined) return undefined;
      const turn = jpeg?.turn ?? 0;
      const [width, height] = turn % 180 === 0 ? [pixels.width, pixels.height] : [pixels.height, pixels.width];
      return { label, object, width: width * PIXEL, height: height * PIXEL, isDrawing: false, turn };
    }
    const drawing = readSvg(bytes);
    if (drawing === undefined) return undefined;
    const drawn = await drawSvg(pdf, this.#fonts, drawing);
    return drawn && { label, ...drawn, isDrawing: true, turn: 0 };
  }

  async #unpack(bytes: Uint8Array) {
    return (await readGif(bytes)) ?? (await readWebp(bytes, this.#assets));
  }
}
