import { htmlHeading } from '../headings.ts';
import type { BlockReading } from './block-state.ts';
import { mayBeConditional } from './conditions.ts';
import { type Block, block, type TreeData, urlReference } from './document-tree.ts';
import { idsData } from './heading-ids.ts';
import { imageBlockOfTag } from './image-tags.ts';
import { htmlInlinesOf, inlinesOf } from './inlines.ts';
import { attributesOf, type HtmlPiece, piecesOf } from './markup.ts';

/** The block that a piece of HTML is in the family's form: images or a table; else the HTML as it is. */
export function htmlBlock(html: string, reading: BlockReading): Block {
  const source = html.replace(/\n+$/, '');
  if (source.length > 2 * (reading.maxInlineLength ?? source.length)) return block('html', { html: source });
  if (mayBeConditional(source)) return block('html', { html: source });
  const heading = htmlHeading(source);
  if (heading !== undefined)
    return block(`heading-${heading.level}`, idsData(heading.ids), htmlInlinesOf(heading.inner, reading));
  const known = /^<(?:figure|div|p|img|picture)\b/.test(source)
    ? images(source)
    : /^<table\b/.test(source)
      ? table(source, reading)
      : undefined;
  return known ?? imageBlockOfTag(source, reading) ?? block('html', { html: source });
}

/** Reads pieces one after the other; every step gives undefined where something else stands. */
class Reader {
  readonly #pieces: HtmlPiece[];
  #index = 0;

  constructor(pieces: HtmlPiece[]) {
    this.#pieces = pieces;
  }

  get isAtEnd(): boolean {
    return this.#index >= this.#pieces.length;
  }

  /** The attributes of the opening tag that stands here. */
  open(name: string): Map<string, string> | undefined {
    const piece = this.#pieces[this.#index];
    if (typeof piece !== 'object' || piece.closes || piece.name !== name) return undefined;
    this.#index += 1;
    return attributesOf(piece.attributes);
  }

  close(name: string): boolean {
    const piece = this.#pieces[this.#index];
    if (typeof piece !== 'object' || !piece.closes || piece.name !== name) return false;
    this.#index += 1;
    return true;
  }

  space(): this {
    const piece = this.#pieces[this.#index];
    if (typeof piece === 'string' && piece.trim() === '') this.#index += 1;
    return this;
  }

  /** The HTML up to one of these tags, which may not stand inside of itself. */
  until(...closing: string[]): string {
    let html = '';
    for (; this.#index < this.#pieces.length; this.#index += 1) {
      const piece = this.#pieces[this.#index];
      if (typeof piece === 'object' && piece.closes && closing.includes(piece.name)) break;
      html += typeof piece === 'object' ? `<${piece.closes ? '/' : ''}${piece.name}${piece.attributes}>` : piece;
    }
    return html;
  }
}

const hasOnly = (attributes: Map<string, string>, ...names: string[]): boolean =>
  [...attributes.keys()].every((name) => names.includes(name));

function images(html: string): Block | undefined {
  const pieces = piecesOf(html);
  if (pieces === undefined) return undefined;
  const reader = new Reader(pieces);
  const frame = reader.open('div') ?? reader.open('p');
  const isParagraph = /^<p\b/.test(html);
  if (frame !== undefined && !hasOnly(frame, 'align', 'data-full-width')) return undefined;
  const nodes: Block[] = [];
  for (let image = imageIn(reader); image !== undefined; image = imageIn(reader)) nodes.push(image);
  const isClosed = frame === undefined || reader.space().close(isParagraph ? 'p' : 'div');
  if (nodes.length === 0 || !isClosed || !reader.space().isAtEnd) return undefined;
  const align = frame?.get('align');
  const fullWidth = frame?.get('data-full-width');
  return block('images', { ...(align && { align }), ...(fullWidth === 'true' && { fullWidth: true }) }, nodes);
}

function imageIn(reader: Reader): Block | undefined {
  if (reader.space().open('figure') === undefined) return picture(reader);
  const found = picture(reader.space());
  if (found === undefined) return undefined;
  const caption = reader.space().open('figcaption') === undefined ? undefined : reader.until('figcaption', 'figure');
  if (caption !== undefined && !reader.close('figcaption')) return undefined;
  if (!reader.space().close('figure')) return undefined;
  const words = caption?.trim().replace(/^<p>([\s\S]*)<\/p>$/, '$1');
  return words ? { ...found, data: { ...found.data, caption: words } } : found;
}

function picture(reader: Reader): Block | undefined {
  const frame = reader.open('picture');
  const source = frame && reader.space().open('source');
  const image = frame === undefined ? reader.open('img') : reader.space().open('img');
  const url = image?.get('src');
  if (image === undefined || url === undefined) return undefined;
  if (frame !== undefined && (!reader.space().close('picture') || source?.get('srcset') === undefined))
    return undefined;
  const data: TreeData = { ref: urlReference(url) };
  const dark = source?.get('srcset');
  if (dark !== undefined) data.refDark = urlReference(dark);
  for (const name of ['alt', 'width', 'height']) {
    const value = image.get(name);
    if (value !== undefined) data[name] = value;
  }
  return block('image', data);
}

function table(html: string, reading: BlockReading): Block | undefined {
  const pieces = piecesOf(html);
  if (pieces === undefined) return undefined;
  const reader = new Reader(pieces);
  const attributes = reader.open('table');
  if (attributes === undefined) return undefined;
  const rows: Block[] = [];
  for (const [part, cell] of [
    ['thead', 'th'],
    ['tbody', 'td'],
  ] as const) {
    if (reader.space().open(part)?.size !== 0) continue;
    for (let row = rowOf(reader.space(), cell, reading); row !== undefined; row = rowOf(reader.space(), cell, reading))
      rows.push(row);
    if (!reader.close(part)) return undefined;
  }
  if (rows.length === 0 || !reader.space().close('table') || !reader.space().isAtEnd) return undefined;
  const view = attributes.get('data-view') ?? 'grid';
  attributes.delete('data-view');
  return block('table', { view, ...attributesData(attributes) }, rows);
}

function rowOf(reader: Reader, cell: 'th' | 'td', reading: BlockReading): Block | undefined {
  if (reader.open('tr')?.size !== 0) return undefined;
  const cells: Block[] = [];
  for (;;) {
    const attributes = reader.space().open(cell);
    if (attributes === undefined) break;
    const content = reader.until(cell, 'tr', 'table');
    if (!reader.close(cell)) return undefined;
    cells.push(block('table-cell', attributesData(attributes), inlinesOf(content, reading)));
  }
  if (!reader.close('tr')) return undefined;
  return block('table-row', cell === 'th' ? { header: true } : {}, cells);
}

const attributesData = (attributes: Map<string, string>): TreeData =>
  attributes.size === 0 ? {} : { attributes: Object.fromEntries(attributes) };
