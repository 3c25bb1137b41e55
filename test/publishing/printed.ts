import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { deflateSync } from 'node:zlib';
import type { Assets, BookPage, FontName } from '@octavo/typeset';
import { typesetBook } from '@octavo/typeset';
import { getDocument, OPS } from './pdfjs.ts';

const fonts: Partial<Record<FontName, [string, string]>> = {
  sans: ['noto-sans', '400Regular/NotoSans_400Regular'],
  'sans-bold': ['noto-sans', '700Bold/NotoSans_700Bold'],
  'sans-italic': ['noto-sans', '400Regular_Italic/NotoSans_400Regular_Italic'],
  'sans-bold-italic': ['noto-sans', '700Bold_Italic/NotoSans_700Bold_Italic'],
  mono: ['noto-sans-mono', '400Regular/NotoSansMono_400Regular'],
  'mono-bold': ['noto-sans-mono', '700Bold/NotoSansMono_700Bold'],
  jp: ['noto-sans-jp', '400Regular/NotoSansJP_400Regular'],
  sc: ['noto-sans-sc', '400Regular/NotoSansSC_400Regular'],
  kr: ['noto-sans-kr', '400Regular/NotoSansKR_400Regular'],
  emoji: ['noto-emoji', '400Regular/NotoEmoji_400Regular'],
  symbols: ['noto-sans-symbols-2', '400Regular/NotoSansSymbols2_400Regular'],
  math: ['noto-sans-math', '400Regular/NotoSansMath_400Regular'],
};

/** Returns the package and the file of a font. Fonts that `fonts` omits are named by their script, like `thai-bold`. */
function findFont(name: FontName): [string, string] {
  const [script = '', bold] = name.split('-');
  const style = bold === undefined ? '400Regular' : '700Bold';
  const file = `NotoSans${script.charAt(0).toUpperCase()}${script.slice(1)}_${style}`;
  return fonts[name] ?? [`noto-sans-${script}`, `${style}/${file}`];
}

const platform = createRequire(createRequire(import.meta.url).resolve('@octavo/platform'));

/** Unpacks the color emoji font, as the build does. */
async function readEmojiColor(): Promise<Uint8Array> {
  const { decompress } = platform('wawoff2') as { decompress(bytes: Uint8Array): Promise<Uint8Array> };
  return new Uint8Array(await decompress(await readFile(platform.resolve('twemoji-colr-font/twemoji.woff2'))));
}

let emojiColor: Promise<Uint8Array> | undefined;

export interface BookInput {
  pages: (Partial<BookPage> & { markdown: string })[];
  images?: Record<string, Uint8Array>;
  hasContents?: boolean;
  language?: string;
  /** Records how long typesetting runs without a yield. */
  stretches?: Stretches;
}

export interface Printed {
  bytes: Uint8Array;
  chunks: number;
  pages: number;
  /** The scripts whose letters no font covers. */
  missing: string[];
  fonts: FontName[];
  images: string[];
  /** The number of bytes written before each page was requested. */
  writtenBefore: number[];
  /** The number of times that typesetting yielded. */
  turns: number;
}

/** Typesets pages like the PDF pipeline does, and records the fonts and images that it requests. */
export async function typesetPages(input: BookInput): Promise<Printed> {
  const { pages, images = {}, hasContents = true, language, stretches = new Stretches() } = input;
  const whole = pages.map(
    (page, index): BookPage => ({
      id: `page${index}`,
      title: `Page ${index}`,
      depth: 0,
      type: 'document',
      links: {},
      ...page,
    }),
  );
  const requested: Pick<Printed, 'fonts' | 'images'> = { fonts: [], images: [] };
  const assets: Assets = {
    font: async (name) => {
      requested.fonts.push(name);
      if (name === 'emoji-color') {
        emojiColor ??= readEmojiColor();
        return emojiColor;
      }
      const [family, file] = findFont(name);
      return new Uint8Array(await readFile(platform.resolve(`@expo-google-fonts/${family}/${file}.ttf`)));
    },
    image: async (_page, source) => {
      requested.images.push(source);
      const bytes = Object.hasOwn(images, source) ? images[source] : undefined;
      return bytes && { bytes, type: 'image/any' };
    },
  };
  const chunks: Uint8Array[] = [];
  const writtenBefore: number[] = [];
  let written = 0;
  const book = {
    title: 'The space',
    subtitle: 'Change request #7',
    date: '22 November 2026',
    hasContents,
    outline: whole.map(({ id, title, depth, type }) => ({ id, title, depth, type })),
    pages: yieldPages(whole, () => writtenBefore.push(written)),
    ...(language !== undefined && { language }),
  };
  const result = await typesetBook(book, assets, {
    write: async (chunk) => {
      chunks.push(chunk);
      written += chunk.length;
    },
    yieldToEventLoop: () => stretches.next(),
  });
  return {
    bytes: new Uint8Array(Buffer.concat(chunks)),
    chunks: chunks.length,
    writtenBefore,
    turns: stretches.turns,
    ...requested,
    ...result,
  };
}

/** Measures the CPU time between two yields. */
export class Stretches {
  turns = 0;
  #longest = 0;
  #begin = process.threadCpuUsage();

  async next(): Promise<void> {
    this.turns += 1;
    this.end();
    await new Promise(setImmediate);
    this.#begin = process.threadCpuUsage();
  }

  end(): number {
    const { user, system } = process.threadCpuUsage(this.#begin);
    this.#longest = Math.max(this.#longest, (user + system) / 1000);
    return this.#longest;
  }
}

async function* yieldPages(pages: BookPage[], onPage: () => void): AsyncGenerator<BookPage> {
  for (const page of pages) {
    onPage();
    yield page;
  }
}

/** Reads a PDF with pdf.js. */
export async function readPdf(bytes: Uint8Array) {
  const pdf = await getDocument({ data: bytes.slice(), verbosity: 0 }).promise;
  const texts: string[] = [];
  const links: { from: number; url?: string; to?: number }[] = [];
  for (let number = 1; number <= pdf.numPages; number += 1) {
    const page = await pdf.getPage(number);
    const { items } = await page.getTextContent();
    texts.push(items.map((item) => ('str' in item ? `${item.str}${item.hasEOL ? '\n' : ''}` : '')).join(''));
    for (const annotation of await page.getAnnotations()) {
      const target = typeof annotation.dest === 'string' ? await pdf.getDestination(annotation.dest) : undefined;
      if (annotation.dest != null) links.push({ from: number, to: (await pdf.getPageIndex(target?.[0])) + 1 });
      else links.push({ from: number, url: annotation.url ?? annotation.unsafeUrl });
    }
  }
  return { pdf, texts, links, text: texts.join('\n'), labels: await pdf.getPageLabels() };
}

type Document = Awaited<ReturnType<typeof readPdf>>['pdf'];

/** Returns the sizes of the sheets in whole points. */
export async function getSizes(pdf: Document): Promise<number[][]> {
  const pages = await Promise.all(Array.from({ length: pdf.numPages }, (_, index) => pdf.getPage(index + 1)));
  return pages.map(({ view }) => view.slice(2).map(Math.round));
}

interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** Returns the bounding boxes of the raster images on a sheet. The origin is the lower left corner. */
export async function listDrawnBoxes(pdf: Document, number: number): Promise<Box[]> {
  const { fnArray, argsArray } = await (await pdf.getPage(number)).getOperatorList();
  const boxes: Box[] = [];
  const saved: number[][] = [];
  let matrix = [1, 0, 0, 1, 0, 0];
  fnArray.forEach((operator, index) => {
    if (operator === OPS.save) saved.push(matrix);
    if (operator === OPS.restore) matrix = saved.pop() ?? matrix;
    if (operator === OPS.transform) matrix = multiplyMatrices(matrix, argsArray[index] as number[]);
    if (operator !== OPS.paintImageXObject) return;
    const [a = 0, , , d = 0, x = 0, y = 0] = matrix;
    const [width, height] = [Math.abs(a), Math.abs(d)];
    boxes.push({ x: Math.min(x, x + a), y: Math.min(y, y + d), width, height });
  });
  return boxes;
}

/** Returns the texts on a sheet with their colors, as `#rrggbb`. */
export async function listColoredTexts(pdf: Document, number: number): Promise<{ text: string; color: string }[]> {
  const { fnArray, argsArray } = await (await pdf.getPage(number)).getOperatorList();
  const ink: { text: string; color: string }[] = [];
  let color = '';
  fnArray.forEach((operator, index) => {
    if (operator === OPS.setFillRGBColor) color = String((argsArray[index] as unknown[])[0]);
    if (operator !== OPS.showText) return;
    const [glyphs = []] = argsArray[index] as [({ unicode: string } | number)[]];
    ink.push({ text: glyphs.map((glyph) => (typeof glyph === 'number' ? '' : glyph.unicode)).join(''), color });
  });
  return ink;
}

function multiplyMatrices([a = 1, b = 0, c = 0, d = 1, e = 0, f = 0]: number[], by: number[]): number[] {
  const [g = 1, h = 0, i = 0, j = 1, k = 0, l = 0] = by;
  return [a * g + c * h, b * g + d * h, a * i + c * j, b * i + d * j, a * k + c * l + e, b * k + d * l + f];
}

/** Builds a PNG with transparency. Its pixel data may have fewer rows than the header states. */
export function createPng(width: number, height: number, rows = height): Uint8Array {
  const chunk = (type: string, data: Uint8Array) => {
    const head = Buffer.alloc(8);
    head.writeUInt32BE(data.length);
    head.write(type, 4, 'latin1');
    return Buffer.concat([head, data, Buffer.alloc(4)]);
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width);
  header.writeUInt32BE(height, 4);
  header.set([8, 6, 0, 0, 0], 8);
  const pixels = deflateSync(Buffer.alloc(rows * (1 + 4 * width), 1));
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const parts = [chunk('IHDR', header), chunk('IDAT', pixels), chunk('IEND', Buffer.alloc(0))];
  return new Uint8Array(Buffer.concat([signature, ...parts]));
}
