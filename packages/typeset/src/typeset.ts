import { type Block, cleanTitle, evaluateInPieces, parseInPieces } from '@octavo/markdown';
import { toEmojiCharacters } from '@octavo/schema';
import { typesetBlocks, typesetPieces } from './blocks.ts';
import type { Assets, Book, BookEntry, BookPage, PdfDestination } from './book.ts';
import { Flow } from './flow.ts';
import { Fonts } from './fonts.ts';
import { type ContentsEntry, createPageTarget, typesetContents, typesetTitlePage } from './front.ts';
import { getName, getSlug, Headings, Outline } from './headings.ts';
import { colors } from './ink.ts';
import { prepareSpans } from './lines.ts';
import { checkLimit, type LinkEnd, Paper } from './paper.ts';
import { Pictures } from './pictures.ts';
import { body, type Setting, typesetSpans } from './setting.ts';
import { getPlainText } from './spans.ts';

const SCHEMES = new Set(['http:', 'https:', 'mailto:']);
const MAX_LENGTH = 2000;

/** Resolves the addresses of a book's pages. */
class Links {
  readonly #order: Map<string, number>;
  readonly #entries: BookEntry[];

  constructor({ outline }: Book) {
    this.#entries = outline;
    this.#order = new Map(outline.map(({ id }, index) => [id, index]));
  }

  orderOf = (id: string): number | undefined => this.#order.get(id);

  findTarget(page: BookPage, address: string): LinkEnd | undefined {
    const cached = this.#find(page, address);
    return cached;
  }

  getTitle(page: BookPage, address: string): string | undefined {
    const [id = ''] = (findLinkTarget(page, address) ?? '').split('#');
    const order = this.#order.get(id);
    return order === undefined ? undefined : this.#entries[order]?.title;
  }

  #find(page: BookPage, address: string): LinkEnd | undefined {
    if (address.startsWith('#')) return this.#findInside(page.id, address.slice(1));
    const value = findLinkTarget(page, address);
    if (value !== undefined) {
      const [id = '', anchor = ''] = value.split('#');
      const linkEnd = this.#findInside(id, anchor);
      if (linkEnd !== undefined) return linkEnd;
    }
    const url = toExternalAddress(value ?? address);
    return url === undefined ? undefined : { url };
  }

  #findInside(id: string, anchor: string): LinkEnd | undefined {
    const order = this.#order.get(id);
    if (order === undefined) return undefined;
    return { name: getName(order, anchor === '' ? '' : getSlug(decodeAnchor(anchor))), fallback: getName(order) };
  }
}

const findLinkTarget = ({ links }: BookPage, address: string): string | undefined =>
  Object.hasOwn(links, address) ? links[address] : undefined;

/** Returns an address as a URL that may be linked, or undefined. */
function toExternalAddress(address: string): string | undefined {
  if (address.length > MAX_LENGTH) return undefined;
  try {
    const url = new URL(address);
    return SCHEMES.has(url.protocol) ? url.href : undefined;
  } catch {
    return undefined;
  }
}

function decodeAnchor(anchor: string): string {
  try {
    return decodeURIComponent(anchor);
  } catch {
    return anchor;
  }
}

/**
 * Typesets a book as a PDF. One page of the book is in memory at a time, and finished sheets are written immediately.
 * The table of contents is typeset last, when the page numbers are known, and is moved to the front. `missing` names the
 * scripts with letters that no font has; these letters are typeset as code points.
 * @throws BookTooLarge
 */
export async function typesetBook(
  book: Book,
  assets: Assets,
  outlet: PdfDestination,
): Promise<{ pages: number; missing: string[] }> {
  const paper = await Paper.open(
    { title: book.title, ...(book.language !== undefined && { language: book.language }) },
    outlet,
  );
  const typesetting = new Typesetting(book, assets, paper);
  await typesetting.run();
  return { pages: paper.sheets, missing: typesetting.missing };
}

class Typesetting {
  readonly #book: Book;
  readonly #paper: Paper;
  readonly #fonts: Fonts;
  readonly #flow: Flow;
  readonly #pictures: Pictures;
  readonly #links: Links;
  readonly #outline = new Outline();
  /** The first sheets of the pages by index. A link page has an address instead. */
  readonly #starts = new Map<number, number | string>();
  #characters = 0;
  /** Groups for which no page that follows them has been typeset yet. */
  #groups: BookPage[] = [];

  constructor(book: Book, assets: Assets, paper: Paper) {
    this.#book = book;
    this.#paper = paper;
    this.#fonts = new Fonts(paper, assets);
    this.#flow = new Flow(paper, this.#fonts);
    this.#pictures = new Pictures(paper, this.#fonts, assets);
    this.#links = new Links(book);
  }

  get missing(): string[] {
    return [...this.#fonts.missing].sort();
  }

  async run(): Promise<void> {
    await this.#fonts.prepare('0', {});
    for await (const page of this.#book.pages) {
      if (page.type === 'group') this.#groups.push(page);
      else if (page.type === 'link') this.#setLink(page);
      else await this.#setPage(page);
      await this.#paper.flush();
    }
    const [last, ...parentGroups] = this.#groups.reverse();
    if (last !== undefined) {
      this.#groups = parentGroups.reverse();
      await this.#setPage(last);
    }
    const bodySheets = this.#paper.sheets;
    if (this.#book.hasContents || bodySheets === 0) await this.#setFront();
    await this.#outline.write(this.#paper);
    await this.#paper.end();
  }

  async #setFront(): Promise<void> {
    const first = this.#paper.sheets;
    await typesetTitlePage(this.#flow, this.#book);
    if (this.#book.outline.length > 0) await typesetContents(this.#flow, this.#book, this.#createEntries());
    this.#paper.closeSheet();
    this.#paper.moveToFront(first);
    const count = this.#paper.sheets - first;
    this.#paper.pdf._root.data.PageLabels = { Nums: [0, { S: 'r' }, ...(first > 0 ? [count, { S: 'D' }] : [])] };
  }

  #createEntries(): ContentsEntry[] {
    return this.#book.outline.map(({ title, depth }, order) => {
      const start = this.#starts.get(order);
      if (typeof start === 'string') return { title, depth, number: undefined, target: { url: start } };
      return { title, depth, number: start, target: start === undefined ? undefined : createPageTarget(order) };
    });
  }

  /** Adds a link page to the table of contents and bookmarks. */
  #setLink(page: BookPage): void {
    const order = this.#links.orderOf(page.id) ?? -1;
    const target = page.href === undefined ? undefined : this.#links.findTarget(page, page.href);
    const url = target !== undefined && 'url' in target ? target.url : toExternalAddress(page.href ?? '');
    if (url !== undefined) this.#starts.set(order, url);
    this.#outline.add({ title: page.title, depth: page.depth, to: url === undefined ? undefined : { url } });
  }

  async #setPage(page: BookPage): Promise<void> {
    const flow = this.#flow;
    const order = this.#links.orderOf(page.id) ?? -1;
    this.#characters += page.markdown.length;
    checkLimit('characters', this.#characters);
    this.#fonts.chooseAsianFonts(`${page.title}\n${page.markdown}`, this.#book.language);
    await this.#paper.turns.countWork(page.markdown.length / 50);
    flow.footer = await prepareSpans(this.#fonts, [
      { text: page.title.slice(0, 90), style: { size: 8, color: colors.soft } },
    ]);
    flow.setOrientation(false);
    flow.startSheet();
    const headings = new Headings(this.#outline, { page: order, depth: page.depth });
    const setting = this.#createSetting(page, headings);
    for (const group of this.#groups) this.#begin(group, this.#links.orderOf(group.id) ?? -1);
    this.#begin(page, order);
    await this.#setTitle(setting);
    await typesetPieces(setting, omitTitle(getBlocks(page), page.title));
  }

  #createSetting(page: BookPage, headings: Headings): Setting {
    return {
      flow: this.#flow,
      pictures: this.#pictures,
      page,
      headings,
      findTarget: (address) => this.#links.findTarget(page, address),
      getTitle: (address) => this.#links.getTitle(page, address),
      style: body,
      depth: 0,
      lists: 0,
      blocks: typesetBlocks,
    };
  }

  #begin({ title, depth }: BookPage, order: number): void {
    const name = getName(order);
    this.#paper.addNamedPosition(name, 0);
    this.#starts.set(order, this.#paper.sheets);
    this.#outline.add({ title, depth, to: this.#paper.placeOf(name) });
  }

  async #setTitle(setting: Setting): Promise<void> {
    const { page, flow } = setting;
    const groupTitle = this.#book.hasContents
      ? this.#groups.map(({ title }) => title).join(' › ')
      : this.#book.subtitle;
    this.#groups = [];
    if (groupTitle)
      await typesetSpans(setting, [{ text: groupTitle, style: { size: 9, bold: true, color: colors.link } }], 16);
    const emoji = toEmojiCharacters(page.emoji ?? '') ?? '';
    const style = { size: 23, bold: true, color: colors.text };
    await typesetSpans(setting, [{ text: emoji === '' ? page.title : `${emoji} ${page.title}`, style }], 30);
    if (page.description) {
      flow.moveDown(3);
      await typesetSpans(setting, [{ text: page.description, style: { size: 11, color: colors.soft } }], 17);
    }
    flow.moveDown(12);
  }
}

function getBlocks({ markdown, evaluation }: BookPage): Iterable<Block[]> {
  const pieces = parseInPieces(markdown);
  return evaluation === undefined ? pieces : evaluateInPieces(pieces, evaluation);
}

/** Returns the blocks of a page, without a first heading that repeats its title. */
function* omitTitle(pieces: Iterable<Block[]>, title: string): Generator<Block[]> {
  let isStart = true;
  for (const blocks of pieces) {
    yield isStart && isTitle(blocks[0], title) ? blocks.slice(1) : blocks;
    isStart &&= blocks.length === 0;
  }
}

const isTitle = (first: Block | undefined, title: string): boolean =>
  first?.type.startsWith('heading-') === true && cleanTitle(getPlainText(first.nodes).trim()) === title.trim();
