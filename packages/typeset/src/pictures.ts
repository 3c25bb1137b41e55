import type { Assets, BookPage } from './book.ts';
import type { Fonts } from './fonts.ts';
import { type Box, number, type Paper } from './paper.ts';
import type { Pdf, Reference } from './pdfkit.ts';
import { embedPng, readPng } from './png.ts';
import { drawSvg } from './svg.ts';
import { readSvg } from './svg-tree.ts';

/** An image that stands in the PDF, however often it is shown. */
export interface Picture {
  label: string;
  object: Reference;
  /** In points. */
  width: number;
  height: number;
  /** Of a unit square, or of points for a drawing. */
  isDrawing: boolean;
  /** Clockwise, in degrees. */
  turn: 0 | 90 | 180 | 270;
}

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

  draw({ label, object, isDrawing, width, height, turn }: Picture, box: Box): void {
    this.#paper.useObject(label, object);
    const { x, y, width: w, height: h } = box;
    const [sx, sy] = isDrawing ? [w / width, h / height] : [w, -h];
    const turned: Record<number, number[]> = {
      0: [sx, 0, 0, sy, x, isDrawing ? y : y + h],
      90: [0, h, w, 0, x, y],
      180: [-w, 0, 0, h, x + w, y],
      270: [0, -h, -w, 0, x + w, y + h],
    };
    this.#paper.mark(`q ${(turned[turn] ?? []).map(precise).join(' ')} cm /${label} Do Q`);
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
}

const precise = (value: number): string => (Math.abs(value) < 1 ? String(Number(value.toFixed(5))) : number(value));

interface Jpeg {
  width: number;
  height: number;
  turn: 0 | 90 | 180 | 270;
  embed(pdf: Pdf): Reference;
}

const FRAMES = new Set([0xc0, 0xc1, 0xc2]);
const TURNS: Record<number, 90 | 180 | 270> = { 3: 180, 6: 90, 8: 270 };
const SPACES: Record<number, string> = { 1: 'DeviceGray', 3: 'DeviceRGB', 4: 'DeviceCMYK' };

/** What a JPEG says of itself; its bytes go into the PDF as they are. */
function readJpeg(bytes: Uint8Array): Jpeg | undefined {
  if (bytes[0] !== 0xff || bytes[1] !== 0xd8) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let turn: Jpeg['turn'] = 0;
  let isAdobe = false;
  for (let position = 2; position + 4 <= bytes.length; ) {
    const marker = view.getUint8(position + 1);
    if (view.getUint8(position) !== 0xff) return undefined;
    if (marker === 0xff) {
      position += 1;
      continue;
    }
    const length = view.getUint16(position + 2);
    if (length < 2 || position + 2 + length > bytes.length) return undefined;
    const segment = bytes.subarray(position + 4, position + 2 + length);
    if (marker === 0xe1) turn = TURNS[orientationOf(segment)] ?? turn;
    if (marker === 0xee) isAdobe = true;
    if (FRAMES.has(marker)) return jpegOf(bytes, segment, { turn, isAdobe });
    if (marker === 0xda || (marker >= 0xc3 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xcc)) return undefined;
    position += 2 + length;
  }
  return undefined;
}

function jpegOf(
  bytes: Uint8Array,
  segment: Uint8Array,
  { turn, isAdobe }: { turn: Jpeg['turn']; isAdobe: boolean },
): Jpeg | undefined {
  const [bits = 0, h1 = 0, h0 = 0, w1 = 0, w0 = 0, channels = 0] = segment;
  const [width, height, space] = [w1 * 256 + w0, h1 * 256 + h0, SPACES[channels]];
  if (space === undefined || bits !== 8) return undefined;
  const embed = (pdf: Pdf): Reference => {
    const image = pdf.ref({
      Type: 'XObject',
      Subtype: 'Image',
      Width: width,
      Height: height,
      BitsPerComponent: 8,
      ColorSpace: space,
      Filter: 'DCTDecode',
      ...(channels === 4 && isAdobe && { Decode: [1, 0, 1, 0, 1, 0, 1, 0] }),
    });
    image.end(bytes);
    return image;
  };
  return { width, height, turn, embed };
}

/** How the camera was held, 1 for upright. */
function orientationOf(segment: Uint8Array): number {
  if (String.fromCharCode(...segment.subarray(0, 6)) !== 'Exif\0\0' || segment.length < 16) return 1;
  const view = new DataView(segment.buffer, segment.byteOffset + 6, segment.length - 6);
  const isLittle = view.getUint16(0) === 0x4949;
  const start = view.getUint32(4, isLittle);
  if (start + 2 > view.byteLength) return 1;
  const count = view.getUint16(start, isLittle);
  for (let index = 0; index < count; index += 1) {
    const entry = start + 2 + index * 12;
    if (entry + 12 > view.byteLength) return 1;
    if (view.getUint16(entry, isLittle) === 0x0112) return view.getUint16(entry + 8, isLittle);
  }
  return 1;
}
