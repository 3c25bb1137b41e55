import type { Write } from './book.ts';
import { openPdf, type Pdf, type Reference } from './pdfkit.ts';

export const pageSize = { width: 595.28, height: 841.89 };

const CHUNK = 64 * 1024;
const MAX_DESTINATIONS = 50_000;

export interface Place {
  page: Reference;
  y: number;
}

/** Where a link leads: a place of this book by its name, or by another's when nothing gets that; or out of it. */
export type Target = { name: string; otherwise: string } | { url: string };

export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** Rounded as a PDF's numbers need be. */
export const number = (value: number): string => String(Math.round(value * 100) / 100);

/** The PDF as a stack of sheets: what is drawn stays with its sheet until that is full, then goes out. */
export class Paper {
  readonly pdf: Pdf;
  readonly #pending: Uint8Array[];
  readonly #write: Write;
  /** What lies under the text, then the text. */
  #grounds: string[] = [];
  #marks: string[] = [];
  #isOpen = false;
  readonly #places = new Map<string, Place>();
  readonly #asked = new Map<string, string>();

  private constructor(pdf: Pdf, pending: Uint8Array[], write: Write) {
    this.pdf = pdf;
    this.#pending = pending;
    this.#write = write;
  }

  static async open(info: { title: string; language?: string }, write: Write): Promise<Paper> {
    const pending: Uint8Array[] = [];
    const pdf = await openPdf(info, (chunk) => pending.push(chunk));
    return new Paper(pdf, pending, write);
  }

  get sheets(): number {
    return this.pdf._root.data.Pages.data.Count;
  }

  get sheet(): Reference {
    return this.pdf.page.dictionary;
  }

  newSheet(): void {
    this.closeSheet();
    this.pdf.addPage({ size: [pageSize.width, pageSize.height], margin: 0 });
    this.#isOpen = true;
  }

  closeSheet(): void {
    if (!this.#isOpen) return;
    const { page } = this.pdf;
    page.write([...this.#grounds, ...this.#marks].filter((mark) => mark !== '').join('\n'));
    this.#grounds = [];
    this.#marks = [];
    this.#isOpen = false;
    this.pdf.flushPages();
    // What is written is not needed again; the page tree keeps the page itself.
    page.dictionary.data = {};
    page.resources.data = {};
  }

  /** Writes what is ready. */
  async flush(isLast = false): Promise<void> {
    let size = 0;
    for (const chunk of this.#pending) size += chunk.length;
    if (size === 0 || (size < CHUNK && !isLast)) return;
    const bytes = new Uint8Array(size);
    let offset = 0;
    for (const chunk of this.#pending.splice(0)) {
      bytes.set(chunk, offset);
      offset += chunk.length;
    }
    await this.#write(bytes);
  }

  mark(content: string): void {
    this.#marks.push(content);
  }

  /** A place under the text, to be filled when it is known what stands there. */
  reserve(): (content: string) => void {
    const grounds = this.#grounds;
    const index = grounds.push('') - 1;
    return (content) => {
      grounds[index] = content;
    };
  }

  useObject(label: string, object: Reference): void {
    this.pdf.page.xobjects[label] = object;
  }

  link({ x, y, width, height }: Box, target: Target): void {
    if ('name' in target && !this.#asked.has(target.name)) {
      if (this.#asked.size >= MAX_DESTINATIONS) return;
      this.#asked.set(target.name, target.otherwise);
    }
    const top = pageSize.height - y;
    const annotation = {
      Type: 'Annot',
      Subtype: 'Link',
      F: 4,
      Border: [0, 0, 0],
      Rect: [x, top - height, x + width, top],
      ...('url' in target ? { A: { S: 'URI', URI: new String(target.url) } } : { Dest: new String(target.name) }),
    };
    const reference = this.pdf.ref(annotation);
    this.pdf.page.annotations.push(reference);
    reference.end();
  }

  /** Names a place of this sheet; the first of a name counts. */
  name(name: string, y: number): void {
    if (this.#places.has(name) || this.#places.size >= MAX_DESTINATIONS) return;
    this.#places.set(name, { page: this.sheet, y: pageSize.height - y });
  }

  placeOf = (name: string): Place | undefined => this.#places.get(name);

  /** Takes the sheets from this one on to the front. */
  moveToFront(first: number): void {
    const { Kids } = this.pdf._root.data.Pages.data;
    Kids.unshift(...Kids.splice(first));
  }

  async end(): Promise<void> {
    this.closeSheet();
    for (const [name, otherwise] of this.#asked) {
      const place = this.#places.get(otherwise);
      if (place !== undefined && !this.#places.has(name)) this.#places.set(name, place);
    }
    const names = [...this.#places].sort(([one], [other]) => (one < other ? -1 : 1));
    const tree = this.pdf.ref({
      Names: names.flatMap(([name, { page, y }]) => [new String(name), [page, 'XYZ', null, y, null]]),
    });
    tree.end();
    (this.pdf._root.data.Names as Reference).data = { Dests: tree };
    this.pdf.end();
    await this.flush(true);
  }
}
