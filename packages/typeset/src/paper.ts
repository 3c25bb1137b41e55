import type { PdfDestination } from './book.ts';
import { openPdf, type Pdf, type Reference } from './pdfkit.ts';

export const pageSize = { width: 595.28, height: 841.89 };
const turnedSize = { width: pageSize.height, height: pageSize.width };

const CHUNK = 64 * 1024;
const MAX_DESTINATIONS = 50_000;
/** The work of a sheet and of one drawing on it, counted in characters (see `WorkPauses`). */
const SHEET = 500;
const MARK = 20;
const NAMES_AT_ONCE = 1_000;

/** The work between two yields, in characters. It takes about 10 ms, so a long request yields several times. */
const SHARE = 4_000;

/** Counts work, and yields to the event loop whenever `SHARE` is reached. */
export class WorkPauses {
  readonly #pause: () => Promise<void>;
  #work = 0;

  constructor(pause: () => Promise<void>) {
    this.#pause = pause;
  }

  /** Counts work in characters. */
  count(work: number): void {
    this.#work += work;
  }

  /** Yields if enough work was done. Await it between two pieces of work. */
  async countWork(work = 0): Promise<void> {
    this.#work += work;
    if (this.#work < SHARE) return;
    this.#work = 0;
    await this.#pause();
  }

  /** Runs the steps of a generator. Each step counts as `work` characters. */
  async run<Result>(steps: Generator<unknown, Result>, work: number): Promise<Result> {
    for (let step = steps.next(); ; step = steps.next()) {
      if (step.done) return step.value;
      await this.countWork(work);
    }
  }
}

export interface PaperPosition {
  page: Reference;
  y: number;
}

/** The target of a link: a destination of this book, with an alternative if it does not exist, or a URL. */
export type LinkEnd = { name: string; fallback: string } | { url: string };

export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** Rounds a number for a PDF. */
export const formatNumber = (value: number): string => String(Math.round(value * 100) / 100);

/** The sheets of a PDF. Drawings stay with their sheet until it is full and written. */
export class Paper {
  readonly pdf: Pdf;
  readonly #pending: Uint8Array[];
  readonly turns: WorkPauses;
  readonly #write: PdfDestination['write'];
  #bytes = 0;
  /** The backgrounds, which are drawn before the text. */
  #backgrounds: string[] = [];
  #marks: string[] = [];
  #isOpen = false;
  /** Whether the following sheets are landscape. */
  isTurned = false;
  readonly #positionsByName = new Map<string, PaperPosition>();
  readonly #fallbacksByName = new Map<string, string>();

  private constructor(pdf: Pdf, pending: Uint8Array[], { write, yieldToEventLoop }: PdfDestination) {
    this.pdf = pdf;
    this.#pending = pending;
    this.#write = write;
    this.turns = new WorkPauses(yieldToEventLoop);
  }

  static async open(info: { title: string; language?: string }, outlet: PdfDestination): Promise<Paper> {
    const pending: Uint8Array[] = [];
    const pdf = await openPdf(info, (chunk) => pending.push(chunk));
    return new Paper(pdf, pending, outlet);
  }

  get sheets(): number {
    return this.pdf._root.data.Pages.data.Count;
  }

  /** The size of the next sheet: that of the last one unless the orientation changes. */
  get size(): { width: number; height: number } {
    return this.isTurned ? turnedSize : pageSize;
  }

  get sheet(): Reference {
    return this.pdf.page.dictionary;
  }

  startSheet(): void {
    this.closeSheet();
    checkLimit('sheets', this.sheets + 1);
    this.turns.count(SHEET);
    const { width, height } = this.size;
    this.pdf.addPage({ size: [width, height], margin: 0 });
    this.#isOpen = true;
  }

  closeSheet(): void {
    if (!this.#isOpen) return;
    const { page } = this.pdf;
    page.write([...this.#backgrounds, ...this.#marks].filter((mark) => mark !== '').join('\n'));
    this.#backgrounds = [];
    this.#marks = [];
    this.#isOpen = false;
    this.pdf.flushPages();
    // Releases the content, which has been written. The page tree keeps only the page object.
    page.dictionary.data = {};
    page.resources.data = {};
  }

  /** Writes finished sheets, and yields if enough work was done. */
  async flush(isLast = false): Promise<void> {
    await this.turns.countWork();
    let size = 0;
    for (const chunk of this.#pending) size += chunk.length;
    if (size === 0 || (size < CHUNK && !isLast)) return;
    const bytes = new Uint8Array(size);
    let offset = 0;
    for (const chunk of this.#pending.splice(0)) {
      bytes.set(chunk, offset);
      offset += chunk.length;
    }
    this.#bytes += size;
    checkLimit('bytes', this.#bytes);
    await this.#write(bytes);
  }

  mark(content: string): void {
    this.turns.count(MARK);
    this.#marks.push(content);
  }

  /** Reserves a slot in the background layer and returns a function that fills it later. */
  reserve(): (content: string) => void {
    const backgrounds = this.#backgrounds;
    const index = backgrounds.push('') - 1;
    return (content) => {
      backgrounds[index] = content;
    };
  }

  addObject(label: string, object: Reference): void {
    this.pdf.page.xobjects[label] = object;
  }

  link({ x, y, width, height }: Box, target: LinkEnd): void {
    if ('name' in target && !this.#fallbacksByName.has(target.name)) {
      if (this.#fallbacksByName.size >= MAX_DESTINATIONS) return;
      this.#fallbacksByName.set(target.name, target.fallback);
    }
    const top = this.pdf.page.height - y;
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

  /** Names a position on this sheet. The first use of a name wins. */
  addNamedPosition(name: string, y: number): void {
    if (this.#positionsByName.has(name) || this.#positionsByName.size >= MAX_DESTINATIONS) return;
    this.#positionsByName.set(name, { page: this.sheet, y: this.pdf.page.height - y });
  }

  placeOf = (name: string): PaperPosition | undefined => this.#positionsByName.get(name);

  /** Moves the sheets from index `first` to the end in front of all others. */
  moveToFront(first: number): void {
    const { Kids } = this.pdf._root.data.Pages.data;
    Kids.unshift(...Kids.splice(first));
  }

  async end(): Promise<void> {
    this.closeSheet();
    for (const [name, fallback] of this.#fallbacksByName) {
      const position = this.#positionsByName.get(fallback);
      if (position !== undefined && !this.#positionsByName.has(name)) this.#positionsByName.set(name, position);
    }
    await this.turns.countWork(SHARE);
    const names = [...this.#positionsByName].sort(([one], [other]) => (one < other ? -1 : 1));
    const tree = this.pdf.ref({ Kids: [] });
    for (let start = 0; start < names.length; start += NAMES_AT_ONCE) {
      (tree.data.Kids as Reference[]).push(this.#addLeaf(names.slice(start, start + NAMES_AT_ONCE)));
      await this.turns.countWork(NAMES_AT_ONCE);
    }
    tree.end();
    (this.pdf._root.data.Names as Reference).data = { Dests: tree };
    await this.turns.countWork(SHARE);
    this.pdf.end();
    await this.flush(true);
  }

  #addLeaf(names: [string, PaperPosition][]): Reference {
    const leaf = this.pdf.ref({
      Limits: [names[0], names.at(-1)].map((each) => new String(each?.[0] ?? '')),
      Names: names.flatMap(([name, { page, y }]) => [new String(name), [page, 'XYZ', null, y, null]]),
    });
    leaf.end();
    return leaf;
  }
}

/** The limits of one PDF: sheets, characters of text, and bytes. */
const limits = { sheets: 10_000, characters: 32 * 1024 * 1024, bytes: 512 * 1024 * 1024 };

/** Thrown if a book is too large for one PDF. The message names the limit. */
export class BookTooLarge extends Error {}

/** @throws BookTooLarge if a limit is exceeded. */
export function checkLimit(kind: keyof typeof limits, count: number): void {
  const most = limits[kind];
  if (count > most)
    throw new BookTooLarge(`The PDF would have more than ${most.toLocaleString('en')} ${unitNames[kind]}.`);
}

const unitNames = { sheets: 'sheets', characters: 'characters of text', bytes: 'bytes' };
