import type { Includable } from '@octavo/markdown';
import { removeAnchor } from '@octavo/markdown';
import {
  type PdfSource,
  type PrintedBook,
  type PrintedContent,
  type PrintedPage,
  type PrintedPdf,
  pdfPartBytes,
} from '@octavo/schema';
import { type BookPage, BookTooLarge, typesetBook } from '@octavo/typeset';
import { createAssets } from './assets.ts';
import type { RenderEnvironment } from './environment.ts';

/**
 * Number of pauses per yield to the event loop. Typesetting pauses about once per millisecond. A yield takes at least a
 * millisecond, so it does not yield at each pause: other calls can wait.
 */
const pausesPerYield = 50;
let pauses = 0;

async function yieldAfterInterval(): Promise<void> {
  pauses += 1;
  if (pauses % pausesPerYield === 0) await scheduler.wait(0);
}

/** Prints a book. Its memory holds only one part of the PDF and the pages of one `readPages` call at any time. */
export async function printBook(book: PrintedBook, source: PdfSource, env: RenderEnvironment): Promise<PrintedPdf> {
  const writer = new PartWriter(source, book.maxBytes);
  const outlet = { write: (chunk: Uint8Array) => writer.write(chunk), yieldToEventLoop: yieldAfterInterval };
  try {
    const result = await typesetBook({ ...book, pages: readPages(source) }, createAssets(env, source), outlet);
    await writer.finish();
    return result;
  } catch (error) {
    if (error instanceof BookTooLarge) return { refusal: error.message };
    throw error;
  }
}

async function* readPages(source: PdfSource): AsyncGenerator<BookPage> {
  for (let pages = await source.readPages(); pages.length > 0; pages = await source.readPages())
    yield* pages.map(toBookPage);
}

const toBookPage = ({ evaluation, ...page }: PrintedPage): BookPage =>
  evaluation === undefined
    ? page
    : {
        ...page,
        evaluation: {
          scope: {
            space: { vars: evaluation.variables.space },
            page: { vars: evaluation.variables.page },
            visitor: { claims: {} },
          },
          findTarget: findTargets(evaluation.includes),
          contents: new Map(evaluation.contents.map((content) => [content.id, toIncludable(content)])),
        },
      };

const toIncludable = ({ markdown, includes }: PrintedContent): Includable => ({
  markdown,
  findTarget: findTargets(includes),
});

/** Addresses are user input and must not match inherited properties. */
function findTargets(includes: Record<string, string>): Includable['findTarget'] {
  const targets = new Map(Object.entries(includes));
  return (address) => targets.get(address) ?? targets.get(removeAnchor(address));
}

/** Collects the bytes of a PDF in parts of the size that R2 requires. */
class PartWriter {
  readonly #source: PdfSource;
  readonly #maxBytes: number;
  #part = new Uint8Array(pdfPartBytes);
  #filled = 0;
  #bytes = 0;

  constructor(source: PdfSource, maxBytes = Number.POSITIVE_INFINITY) {
    this.#source = source;
    this.#maxBytes = maxBytes;
  }

  /** @throws BookTooLarge */
  async write(chunk: Uint8Array): Promise<void> {
    this.#bytes += chunk.length;
    if (this.#bytes > this.#maxBytes)
      throw new BookTooLarge(`The PDF would have more than ${this.#maxBytes.toLocaleString('en')} bytes.`);
    for (let rest = chunk; rest.length > 0; ) {
      if (this.#filled === pdfPartBytes) await this.finish();
      const piece = rest.subarray(0, pdfPartBytes - this.#filled);
      this.#part.set(piece, this.#filled);
      this.#filled += piece.length;
      rest = rest.subarray(piece.length);
    }
  }

  /** Writes the current part. Only the last part may be shorter than a full part. */
  async finish(): Promise<void> {
    await this.#source.writePart(this.#part.slice(0, this.#filled));
    this.#filled = 0;
  }
}
