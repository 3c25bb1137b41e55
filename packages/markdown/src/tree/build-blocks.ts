import type { Token } from 'markdown-it';
import { findIds, findTagIds, isAnchorsOnly, parseHtmlHeading, splitHeading } from '../headings.ts';
import { readTagImageBlock } from './attributes.ts';
import { TooLarge } from './block-rules.ts';
import { convertDialectBlock, toBold } from './compose.ts';
import { mayBeConditional } from './conditions.ts';
import type { WrittenMarkup } from './dialects.ts';
import type { Block, TreeData } from './document-tree.ts';
import { addTagIds, createBlock, createUrlReference, getMarkup, getText, isBlock } from './document-tree.ts';
import type { BlockReading } from './extents.ts';
import { createIdData } from './heading-ids.ts';
import { getHtmlInlines, getInlines } from './inlines.ts';
import type { HtmlPiece } from './markup.ts';
import { getAttributes, splitHtml } from './markup.ts';
import { getKind } from './tags.ts';

/** A top-level block with its source lines. */
export type BlockWithLines = { block: Block; start: number; end: number };

/** Builds blocks from tokens in bounded steps. Each step yields the finished top-level blocks. */
export const getSteps = (tokens: Token[], reading: BlockReading): Generator<BlockWithLines[]> =>
  new Builder(reading).build(tokens);

/** `STEP` is the work per step, in characters. Each token counts as `TOKEN` additional characters. */
const STEP = 8_192;
const TOKEN = 8;

const MAX_CODE_LINES = 50_000;

class Builder {
  readonly #reading: BlockReading;
  readonly #builtBlocks: BlockWithLines[] = [];
  readonly #open: Block[] = [];
  /** Whether each open list is loose. */
  readonly #loose: boolean[] = [];

  constructor(reading: BlockReading) {
    this.#reading = reading;
  }

  *build(tokens: Token[]): Generator<BlockWithLines[]> {
    let work = 0;
    for (const token of tokens) {
      if (token.nesting === 1) this.#start(token);
      else if (token.nesting === -1) this.#finish(token);
      else this.#addLeaf(token);
      work += token.content.length + TOKEN;
      if (work < STEP) continue;
      work = 0;
      yield this.#open.length === 0 ? this.#builtBlocks.splice(0) : [];
    }
    yield this.#builtBlocks.splice(0);
  }

  get #parent(): Block | undefined {
    return this.#open.at(-1);
  }

  #addBlock(node: Block, token: Token): void {
    if (this.#parent !== undefined) this.#parent.nodes.push(node);
    else {
      const [start, end] = token.map ?? [0, 0];
      const { firstLine = 0 } = this.#reading;
      this.#builtBlocks.push({ block: node, start: firstLine + start, end: firstLine + end });
    }
  }

  #start(token: Token): void {
    if (PASSED.has(token.type)) return;
    if (token.type.endsWith('list_open')) this.#loose.push(false);
    if (token.type === 'paragraph_open' && !token.hidden && this.#parent?.type === 'list-item')
      this.#loose[this.#loose.length - 1] = true;
    const node = buildFromToken(token);
    node.data = addTagIds(node.data, findTagIds(token));
    this.#addBlock(node, token);
    this.#open.push(node);
    if (node.type === 'conditional') this.#addPart({ condition: (token.meta as TagMeta).data?.condition ?? '' });
  }

  #addPart(data: TreeData): void {
    if (this.#parent?.type === 'conditional-branch') this.#open.pop();
    const part = createBlock('conditional-branch', data);
    this.#parent?.nodes.push(part);
    this.#open.push(part);
  }

  #finish(token: Token): void {
    if (PASSED.has(token.type)) return;
    if (this.#parent?.type === 'conditional-branch') this.#open.pop();
    const node = this.#open.pop();
    if (node === undefined) return;
    if (token.type.endsWith('list_close')) finishList(node, this.#loose.pop() === true);
    if (getMarkup(node.data, 'open') !== undefined) convertDialectBlock(node);
    if (node.type === 'code-frame') finishCode(node);
    if (node.type === 'table') finishTable(node);
  }

  #addLeaf(token: Token): void {
    const meta = token.meta as TagMeta | null;
    if (token.type === 'inline') this.#addInline(token.content);
    else if (token.type === 'tag_part') this.#addPart(meta?.name === 'elseif' ? { condition: meta.rest ?? '' } : {});
    else if (token.type === 'tag')
      this.#addBlock(createBlock(getKind(meta?.name ?? '')?.type ?? 'html', meta?.data), token);
    else if (token.type === 'html_block') this.#addBlock(buildHtmlBlock(token.content, this.#reading), token);
    else if (token.type === 'silent') {
      if (meta?.isOwn !== true) this.#addBlock(createMarkupBlock(token.content, meta?.shown), token);
    } else if (token.type === 'hr') this.#addBlock(createBlock('divider'), token);
    else if (token.type === 'math_block') this.#addBlock(createBlock('math', { formula: token.content }), token);
    else if (token.type === 'fence' || token.type === 'code_block') this.#addBlock(buildCodeBlock(token), token);
  }

  #addInline(content: string): void {
    const item = this.#open.at(-2);
    const task =
      item?.type === 'list-item' && item.nodes.length === 1 ? /^\[([ xX])\][ \t]+(?=\S)/.exec(content) : null;
    if (task !== null && item !== undefined) item.data.checked = task[1] !== ' ';
    if (this.#parent === undefined) return;
    if (getMarkup(this.#parent.data, 'title') === true)
      this.#parent.nodes = toBold(isComponent(item) ? [getText(content)] : getInlines(content, this.#reading));
    else if (this.#parent.type.startsWith('heading-')) this.#addHeading(this.#parent, content);
    else if (this.#parent.type === 'paragraph' && (isAnchorsOnly(content) || isPlayer(content)))
      Object.assign(this.#parent, createBlock('html', { html: content }));
    else this.#parent.nodes = getInlines(content.slice(task?.[0].length ?? 0), this.#reading);
  }

  #addHeading(heading: Block, content: string): void {
    const { ids, prefix, suffix, text } = splitHeading(content);
    const markup = { ...(prefix !== '' && { prefix }), ...(suffix !== '' && { suffix }) };
    Object.assign(heading.data, createIdData(ids), Object.keys(markup).length > 0 && { markup });
    heading.nodes = getInlines(text, this.#reading);
  }
}

type TagMeta = {
  name?: string;
  rest?: string;
  data?: TreeData;
  title?: string;
  open?: boolean;
  label?: string;
  /** The type of an open block of another dialect. */
  type?: string;
  markup?: WrittenMarkup;
  isTitle?: boolean;
  isOwn?: boolean;
  shown?: string;
};

const PASSED = new Set(['thead_open', 'thead_close', 'tbody_open', 'tbody_close']);
const TYPES: Record<string, string> = {
  paragraph_open: 'paragraph',
  bullet_list_open: 'list-unordered',
  list_item_open: 'list-item',
  blockquote_open: 'blockquote',
  table_open: 'table',
  tr_open: 'table-row',
  td_open: 'table-cell',
};

/** Whether a text is the tag of a video or audio player. */
const isPlayer = (text: string): boolean => /^<(?:video|audio)\b[\s\S]*>$/.test(text);

/** Creates a block for markup that is hidden, or replaced by `visibleHtml`. */
const createMarkupBlock = (text: string, visibleHtml = ''): Block =>
  createBlock('html', addTagIds({ html: visibleHtml, markup: { text } }, findIds(text, true)));

/** Whether a block is written as a component, whose title is an attribute and therefore plain text. */
const isComponent = (node: Block | undefined): boolean => /^</.test(String(node && getMarkup(node.data, 'open')));

function buildFromToken(token: Token): Block {
  const meta = token.meta as TagMeta | null;
  if (meta?.isTitle === true) return createBlock('paragraph', { markup: { title: true } });
  if (meta?.type !== undefined) {
    const { type, data = {}, markup = { open: '' } } = meta;
    return { ...createBlock(type, { ...data, markup: { ...markup, of: JSON.stringify(data) } }), isVoid: false };
  }
  if (token.type === 'heading_open') return createBlock(`heading-${token.tag.slice(1)}`);
  if (token.type === 'th_open') {
    const align = String(token.attrGet('style') ?? '').replace('text-align:', '');
    return createBlock('table-cell', { align });
  }
  if (token.type === 'ordered_list_open') {
    const start = Number(token.attrGet('start') ?? 1);
    const markup = token.markup === ')' ? { markup: { delimiter: ')' } } : {};
    return createBlock('list-ordered', { ...(start !== 1 && { start }), ...markup });
  }
  if (token.type === 'bullet_list_open')
    return createBlock('list-unordered', token.markup === '*' ? {} : { markup: { bullet: token.markup } });
  if (token.type === 'footnote_open') return createBlock('footnote', { label: meta?.label ?? '' });
  if (token.type === 'details_open')
    return createBlock('expandable', { title: meta?.title ?? '', ...(meta?.open && { open: true }) });
  if (token.type === 'tag_open') {
    const type = getKind(meta?.name ?? '')?.type ?? 'html';
    return { ...createBlock(type, type === 'conditional' ? {} : meta?.data), isVoid: false };
  }
  return createBlock(TYPES[token.type] ?? 'paragraph');
}

function finishList(list: Block, isLoose: boolean): void {
  const items = list.nodes.filter(isBlock);
  if (items.every(({ data }) => data.checked !== undefined) && list.type === 'list-unordered') list.type = 'list-tasks';
  const { markup } = list.data;
  if (isLoose) list.data.markup = { ...(typeof markup === 'object' ? markup : {}), loose: true };
}

/** Merges a tag that contains only a code block into that block. The block gets the tag's title and line numbers. */
function finishCode(frame: Block): void {
  const [code, ...others] = frame.nodes;
  if (code?.object !== 'block' || code.type !== 'code' || others.length > 0) return;
  const { lineNumbers, ...data } = frame.data;
  const numbers = lineNumbers === undefined ? {} : { lineNumbers: lineNumbers === 'true' };
  Object.assign(frame, code, { data: { ...data, ...numbers, ...code.data } });
}

/** Moves the alignment of the columns from the header cells to the table, and marks the first row as the header. */
function finishTable(table: Block): void {
  const header = table.nodes.find(isBlock);
  const cells = (header?.nodes ?? []).filter(isBlock);
  const align = cells.map(({ data }) => data.align ?? '');
  for (const cell of cells) delete cell.data.align;
  if (header !== undefined) header.data.header = true;
  if (align.some((each) => each !== '')) table.data.align = align;
}

function buildCodeBlock(token: Token): Block {
  const syntax = token.info.trim();
  const content = token.content.replace(/\n$/, '');
  const lines = token.content === '' ? [] : content.split('\n');
  if (lines.length > MAX_CODE_LINES) throw new TooLarge('A code block has too many lines.');
  return createBlock(
    'code',
    syntax === '' ? {} : { syntax },
    lines.map((line) => createBlock('code-line', {}, line === '' ? [] : [getText(line)])),
  );
}

/** Converts an HTML block to images or a table, or keeps its HTML. */
function buildHtmlBlock(html: string, reading: BlockReading): Block {
  const source = html.replace(/\n+$/, '');
  if (source.length > 2 * (reading.maxInlineLength ?? source.length)) return createBlock('html', { html: source });
  if (mayBeConditional(source)) return createBlock('html', { html: source });
  const heading = parseHtmlHeading(source);
  if (heading !== undefined) {
    const data = { ...createIdData(heading.ids), ...(heading.align && { align: heading.align }) };
    return createBlock(`heading-${heading.level}`, data, getHtmlInlines(heading.inner, reading));
  }
  const imageBlock = /^<(?:figure|div|p|img|picture)\b/.test(source)
    ? readImages(source)
    : /^<table\b/.test(source)
      ? readTable(source, reading)
      : undefined;
  const converted = imageBlock ?? readTagImageBlock(source, reading);
  if (converted === undefined) return createBlock('html', { html: source });
  return converted.type === 'images'
    ? { ...converted, data: addTagIds(converted.data, findIds(source, true)) }
    : converted;
}

/**
 * A parser of HTML tokens. Each method reads one kind of token and returns undefined if the next token has another
 * kind.
 */
class Reader {
  readonly #pieces: HtmlPiece[];
  #index = 0;

  constructor(pieces: HtmlPiece[]) {
    this.#pieces = pieces;
  }

  get isAtEnd(): boolean {
    return this.#index >= this.#pieces.length;
  }

  /** Returns the attributes of the opening tag, if it is next. */
  open(name: string): Map<string, string> | undefined {
    const piece = this.#pieces[this.#index];
    if (typeof piece !== 'object' || piece.closes || piece.name !== name) return undefined;
    this.#index += 1;
    return getAttributes(piece.attributes);
  }

  close(name: string): boolean {
    const piece = this.#pieces[this.#index];
    if (typeof piece !== 'object' || !piece.closes || piece.name !== name) return false;
    this.#index += 1;
    return true;
  }

  skipSpace(): this {
    const piece = this.#pieces[this.#index];
    if (typeof piece === 'string' && piece.trim() === '') this.#index += 1;
    return this;
  }

  /** Returns the HTML up to one of these tags, which cannot be nested. */
  readUntil(...closing: string[]): string {
    let html = '';
    for (; this.#index < this.#pieces.length; this.#index += 1) {
      const piece = this.#pieces[this.#index];
      if (typeof piece === 'object' && piece.closes && closing.includes(piece.name)) break;
      html += typeof piece === 'object' ? `<${piece.closes ? '/' : ''}${piece.name}${piece.attributes}>` : piece;
    }
    return html;
  }
}

const hasOnlyAttributes = (attributes: Map<string, string>, ...names: string[]): boolean =>
  [...attributes.keys()].every((name) => names.includes(name));

function readImages(html: string): Block | undefined {
  const pieces = splitHtml(html);
  if (pieces === undefined) return undefined;
  const reader = new Reader(pieces);
  const frame = reader.open('div') ?? reader.open('p');
  const isParagraph = /^<p\b/.test(html);
  if (frame !== undefined && !hasOnlyAttributes(frame, 'align', 'data-full-width')) return undefined;
  const nodes: Block[] = [];
  for (let image = readImage(reader); image !== undefined; image = readImage(reader)) nodes.push(image);
  const isClosed = frame === undefined || reader.skipSpace().close(isParagraph ? 'p' : 'div');
  if (nodes.length === 0 || !isClosed || !reader.skipSpace().isAtEnd) return undefined;
  const align = frame?.get('align');
  const fullWidth = frame?.get('data-full-width');
  return createBlock('images', { ...(align && { align }), ...(fullWidth === 'true' && { fullWidth: true }) }, nodes);
}

function readImage(reader: Reader): Block | undefined {
  if (reader.skipSpace().open('figure') === undefined) return readPicture(reader);
  const image = readPicture(reader.skipSpace());
  if (image === undefined) return undefined;
  const caption =
    reader.skipSpace().open('figcaption') === undefined ? undefined : reader.readUntil('figcaption', 'figure');
  if (caption !== undefined && !reader.close('figcaption')) return undefined;
  if (!reader.skipSpace().close('figure')) return undefined;
  const words = caption?.trim().replace(/^<p>([\s\S]*)<\/p>$/, '$1');
  return words ? { ...image, data: { ...image.data, caption: words } } : image;
}

function readPicture(reader: Reader): Block | undefined {
  const frame = reader.open('picture');
  const source = frame && reader.skipSpace().open('source');
  const image = frame === undefined ? reader.open('img') : reader.skipSpace().open('img');
  const url = image?.get('src');
  if (image === undefined || url === undefined) return undefined;
  if (frame !== undefined && (!reader.skipSpace().close('picture') || source?.get('srcset') === undefined))
    return undefined;
  const data: TreeData = { ref: createUrlReference(url) };
  const dark = source?.get('srcset');
  if (dark !== undefined) data.refDark = createUrlReference(dark);
  for (const name of ['alt', 'width', 'height']) {
    const value = image.get(name);
    if (value !== undefined) data[name] = value;
  }
  return createBlock('image', data);
}

function readTable(html: string, reading: BlockReading): Block | undefined {
  const pieces = splitHtml(html);
  if (pieces === undefined) return undefined;
  const reader = new Reader(pieces);
  const attributes = reader.open('table');
  if (attributes === undefined) return undefined;
  const rows: Block[] = [];
  for (const [part, cell] of [
    ['thead', 'th'],
    ['tbody', 'td'],
  ] as const) {
    if (reader.skipSpace().open(part)?.size !== 0) continue;
    for (
      let row = getRow(reader.skipSpace(), cell, reading);
      row !== undefined;
      row = getRow(reader.skipSpace(), cell, reading)
    )
      rows.push(row);
    if (!reader.close(part)) return undefined;
  }
  if (rows.length === 0 || !reader.skipSpace().close('table') || !reader.skipSpace().isAtEnd) return undefined;
  const view = attributes.get('data-view') ?? 'grid';
  attributes.delete('data-view');
  return createBlock('table', { view, ...serializeAttributes(attributes) }, rows);
}

function getRow(reader: Reader, cell: 'th' | 'td', reading: BlockReading): Block | undefined {
  if (reader.open('tr')?.size !== 0) return undefined;
  const cells: Block[] = [];
  for (;;) {
    const attributes = reader.skipSpace().open(cell);
    if (attributes === undefined) break;
    const content = reader.readUntil(cell, 'tr', 'table');
    if (!reader.close(cell)) return undefined;
    cells.push(createBlock('table-cell', serializeAttributes(attributes), getInlines(content, reading)));
  }
  if (!reader.close('tr')) return undefined;
  return createBlock('table-row', cell === 'th' ? { header: true } : {}, cells);
}

const serializeAttributes = (attributes: Map<string, string>): TreeData =>
  attributes.size === 0 ? {} : { attributes: Object.fromEntries(attributes) };
