import { isAttributeList, readAlignment } from '../headings.ts';
import { decodeEntities, isBlockElement, matchBlockTag } from '../inline-syntax.ts';
import { matchHtmlTag } from '../links/destinations.ts';
import { getInlines as lineOf } from './compose.ts';
import {
  type Block,
  createBlock,
  createUrlReference,
  getText,
  getTextAt,
  type Inline,
  inline,
  isBlock,
  type TextNode,
} from './document-tree.ts';
import { getHtmlInlines } from './inlines.ts';
import { addMark, escapeText, getAttributes, mark } from './markup.ts';
import { mayRunCode } from './references.ts';

/** An unclosed comment, script or style extends to the end. */
const SILENT = /<!--[\s\S]*?(?:-->|$)|<(script|style|head|template|svg)\b[\s\S]*?(?:<\/\1\s*>|$)/gi;
const TAG = /<(\/?)([a-zA-Z][\w-]*)((?:\s[^<>]*)?)\/?>/g;
const IMAGE = /<img\b([^<>]*?)\/?>/gi;
/** Elements that are nested deeper are flattened. */
const MAX_DEPTH = 40;

type ConvertBlocks = (blocks: Block[]) => Block[];

/** Converts unknown HTML: lists, tables, code and the like to blocks, everything else to its images and texts. */
export const readHtmlBlocks = (html: string): Block[] => new Reader().readHtml(html).end();

/** Converts blocks between which HTML elements are open: each element contains the blocks up to its end tag. */
export function readRunBlocks(run: Block[], mapped: ConvertBlocks): Block[] {
  const reader = new Reader(mapped);
  for (const node of run) {
    if (node.type === 'html') reader.readHtml(getTextAt(node.data, 'html') ?? '');
    else if (node.type === 'paragraph' && hasBlockTags(node.nodes)) reader.addInlines(node.nodes).flush();
    else reader.addBlocks(node);
  }
  return reader.end();
}

/** Converts inlines with tags of lists, paragraphs and the like to blocks. */
export const readInlineBlocks = (nodes: Block['nodes']): Block[] => new Reader().addInlines(nodes).end();

/** If an inline is a tag of a block element, returns the match with its slash and its name. */
const getBlockTag = (node: Block['nodes'][number]): RegExpExecArray | undefined => {
  const html = node.object === 'inline' && node.type === 'html' ? (getTextAt(node.data, 'html') ?? '') : '';
  return matchBlockTag(html);
};

export const hasBlockTags = (nodes: Block['nodes']): boolean => nodes.some((node) => getBlockTag(node) !== undefined);

/**
 * Joins blocks between the start and the end tag of an HTML element into one block of type `html-run`. Blank lines end
 * an HTML block, but not its elements.
 */
export function joinRuns(nodes: Block[]): Block[] {
  const ends = new Map<number, number>();
  const open: { name: string; index: number; isJoined: boolean }[] = [];
  for (const [index, node] of nodes.entries())
    for (const { name, closes, isJoined } of findTags(node)) {
      if (!closes) open.push({ name, index, isJoined });
      else {
        const at = open.slice(-MAX_OPEN).findLastIndex((each) => each.name === name);
        const place = at < 0 ? -1 : Math.max(0, open.length - MAX_OPEN) + at;
        const [first] = place < 0 ? [] : open.splice(place);
        if (first?.isJoined === true && first.index < index) ends.set(first.index, index);
      }
    }
  if (ends.size === 0) return nodes;
  const joined: Block[] = [];
  for (let index = 0; index < nodes.length; index += 1) {
    let end = index;
    for (let inside = index; inside <= end; inside += 1) end = Math.max(end, ends.get(inside) ?? end);
    const run = nodes.slice(index, end + 1);
    joined.push(...(run.length === 1 ? run : [getRun(run)]));
    index = end;
  }
  return joined;
}

/** Maximum number of open elements that are searched for the start tag of an end tag. */
const MAX_OPEN = 100;

function findTags({ type, data, nodes }: Block): { name: string; closes: boolean; isJoined: boolean }[] {
  if (type !== 'html' && (type !== 'paragraph' || !hasBlockTags(nodes))) return [];
  const html = type === 'html' ? getTextAt(data, 'html') : nodes.map((node) => getBlockTag(node)?.[0] ?? '').join('');
  return [...(html ?? '').replace(SILENT, '').matchAll(TAG)].flatMap(([, slash, written = '', attributes = '']) => {
    const name = written.toLowerCase();
    const isMade = Object.hasOwn(CONVERTERS, name);
    const isJoined = isMade || getAlignment(name, attributes) !== undefined;
    return isMade || ALIGNING.test(name) ? [{ name, closes: slash === '/', isJoined }] : [];
  });
}

/** Returns one block for the blocks of a run, with their whole source. */
function getRun(run: Block[]): Block {
  const [first] = run;
  const sources = run.map((node, index) => {
    const before = index === 0 ? '' : (getTextAt(node.data.markup, 'before') ?? '\n\n');
    return before + (getTextAt(node.data.markup, 'source') ?? '');
  });
  const [before, source] = [getTextAt(first?.data.markup, 'before'), sources.join('')];
  const markup = { ...(before !== undefined && { before }), ...(source.trim() !== '' && { source }) };
  return { ...createBlock('html-run', { markup }, run), ...(first?.key !== undefined && { key: first.key }) };
}

/** Elements that can align the texts in them. */
const ALIGNING = /^(?:div|p|center|h[1-6])$/;

const getAlignment = (name: string, attributes: string): ReturnType<typeof readAlignment> =>
  name === 'center' ? 'center' : ALIGNING.test(name) ? readAlignment(attributes) : undefined;

/** An open element with its content so far. */
interface OpenElement {
  name: string;
  nodes: Block[];
  /** The alignment of the texts in the element. */
  align?: ReturnType<typeof readAlignment>;
}

/** Wraps content in a block with the alignment of its element, if it has one. */
const alignBlocks = (nodes: Block[], align: OpenElement['align']): Block[] =>
  align === undefined || nodes.length === 0 ? nodes : [createBlock('aligned', { align }, nodes)];

class Reader {
  readonly #frames: OpenElement[] = [{ name: '', nodes: [] }];
  readonly #mapped: ConvertBlocks;
  #line = '';
  #inlines: Block['nodes'] = [];

  constructor(mapped: ConvertBlocks = (blocks) => blocks) {
    this.#mapped = mapped;
  }

  readHtml(written: string): this {
    const html = isAttributeList(written.trim()) ? '' : written.replace(SILENT, '');
    let position = 0;
    TAG.lastIndex = 0;
    for (let match = TAG.exec(html); match !== null; match = TAG.exec(html)) {
      const [whole, slash, tag = '', attributes = ''] = match;
      const name = tag.toLowerCase();
      this.#line += html.slice(position, match.index);
      position = TAG.lastIndex;
      if (!isBlockElement(name)) this.#line += whole;
      else if (slash === '/') this.#close(name);
      else if (name === 'pre') {
        const end = html.indexOf('</pre', position);
        this.addBlocks(...getCode(html.slice(position, end < 0 ? html.length : end), attributes));
        position = end < 0 ? html.length : end;
        TAG.lastIndex = position;
      } else this.#open(name, whole);
    }
    this.#line += html.slice(position);
    this.flush();
    return this;
  }

  addBlocks(...blocks: Block[]): void {
    this.flush();
    this.#frames.at(-1)?.nodes.push(...blocks);
  }

  addInlines(nodes: Block['nodes']): this {
    for (const node of nodes) {
      const tag = getBlockTag(node);
      const [whole = '', slash, name = ''] = tag ?? [];
      if (tag === undefined) this.#inlines.push(node);
      else if (slash === '/') this.#close(name.toLowerCase());
      else this.#open(name.toLowerCase(), whole);
    }
    return this;
  }

  end(): Block[] {
    while (this.#frames.length > 1) this.#pop();
    this.flush();
    return wrapParts(this.#frames[0]?.nodes ?? []);
  }

  flush(): void {
    const read = readInlines(this.#line);
    const [inlineNodes, blocks] = [
      trimNodes(this.#inlines),
      read.length === 0 ? [] : this.#mapped([createBlock('paragraph', {}, read)]),
    ];
    this.#line = '';
    this.#inlines = [];
    if (inlineNodes.some(isSeen)) this.#frames.at(-1)?.nodes.push(createBlock('paragraph', {}, inlineNodes));
    this.#frames.at(-1)?.nodes.push(...blocks);
  }

  #open(name: string, tag: string): void {
    if (name === 'hr') this.addBlocks(createBlock('divider'));
    else if (/^(?:iframe|video|audio|embed)$/.test(name)) this.addBlocks(...this.#mapped(getPlayer(tag)));
    else {
      this.flush();
      while (ENDS[name]?.includes(this.#frames.at(-1)?.name ?? '-')) this.#pop();
      const align = getAlignment(name, tag);
      const isHeld = Object.hasOwn(CONVERTERS, name) || name === 'div' || align !== undefined;
      if (isHeld && this.#frames.length <= MAX_DEPTH) this.#frames.push({ name, nodes: [], align });
    }
  }

  #close(name: string): void {
    this.flush();
    if (!this.#frames.some((frame) => frame.name === name)) return;
    while (this.#frames.length > 1 && this.#frames.at(-1)?.name !== name) this.#pop();
    this.#pop();
  }

  #pop(): void {
    this.flush();
    if (this.#frames.length < 2) return;
    const { name, nodes, align } = this.#frames.pop() ?? { name: '', nodes: [] };
    const makeBlock = CONVERTERS[name];
    const blocks = name === 'table' || name === 'tr' ? nodes : wrapParts(nodes, PARTS[name]);
    this.#frames.at(-1)?.nodes.push(...alignBlocks(makeBlock === undefined ? nodes : makeBlock(blocks), align));
  }
}

/** The type of the parts that an element contains. */
const PARTS: Record<string, string | undefined> = { ul: 'list-item', ol: 'list-item', details: 'summary' };

/** Wraps parts that have no parent element: cells and rows in a table, items in a list. */
function wrapParts(nodes: Block[], part = ''): Block[] {
  const kinds = nodes.map(({ type }) => (type === part ? '' : type.replace('table-cell', 'table-row')));
  if (!kinds.some((kind) => Object.hasOwn(WHOLE, kind))) return nodes;
  const blocks: Block[] = [];
  for (let start = 0; start < nodes.length; ) {
    const kind = kinds[start] ?? '';
    let end = start + 1;
    while (end < nodes.length && Object.hasOwn(WHOLE, kind) && kinds[end] === kind) end += 1;
    const group = nodes.slice(start, end);
    blocks.push(...(Object.hasOwn(WHOLE, kind) ? (WHOLE[kind]?.(group) ?? group) : group));
    start = end;
  }
  return blocks;
}

const WHOLE: Record<string, ConvertElement | undefined> = {
  'table-row': (nodes) => getTable(nodes),
  'list-item': (nodes) => getList('list-unordered', nodes),
  summary: (nodes) => nodes.map((node) => createBlock('paragraph', {}, lineOf(node))),
};

/** Removes the space at both ends of a line. */
function trimNodes(nodes: Block['nodes']): Block['nodes'] {
  const [first, last] = [nodes[0], nodes.at(-1)];
  return nodes.map((node) => {
    if (node.object !== 'text' || (node !== first && node !== last)) return node;
    const leaves = node.leaves.map((leaf, index) => {
      const start = node === first && index === 0 ? leaf.text.trimStart() : leaf.text;
      return { ...leaf, text: node === last && index === node.leaves.length - 1 ? start.trimEnd() : start };
    });
    return { ...node, leaves: leaves.filter(({ text }) => text !== '') };
  });
}

/** The open elements that the start tag of an element closes, by element name, because their end tags are optional. */
const ENDS: Record<string, string[] | undefined> = {
  p: ['p'],
  li: ['li'],
  tr: ['td', 'th', 'tr'],
  td: ['td', 'th'],
  th: ['td', 'th'],
  dt: ['dt', 'dd'],
  dd: ['dt', 'dd'],
};

type ConvertElement = (nodes: Block[]) => Block[];

/** The functions that convert elements, by element name. */
const CONVERTERS: Record<string, ConvertElement | undefined> = {
  ul: (nodes) => getList('list-unordered', nodes),
  ol: (nodes) => getList('list-ordered', nodes),
  li: (nodes) => (nodes.length === 0 ? [] : [createBlock('list-item', {}, nodes)]),
  blockquote: (nodes) => (nodes.length === 0 ? [] : [createBlock('blockquote', {}, nodes)]),
  table: (nodes) => getTable(nodes),
  tr: (nodes) => [getRow(nodes)],
  td: (nodes) => [getCell(nodes, {})],
  th: (nodes) => [getCell(nodes, { header: true })],
  details: (nodes) => {
    const title = nodes.find(({ type }) => type === 'summary');
    const body = nodes.filter((block) => block !== title);
    return [createBlock('expandable', { title: escapeText(title === undefined ? 'Details' : getWords(title)) }, body)];
  },
  summary: (nodes) => [createBlock('summary', {}, nodes)],
  dt: (nodes) => nodes.map((node) => ({ ...node, nodes: node.nodes.map(toBold) })),
  dd: (nodes) => nodes,
  ...Object.fromEntries([1, 2, 3, 4, 5, 6].map((level) => [`h${level}`, (nodes: Block[]) => getHeading(level, nodes)])),
};

const getHeading = (level: number, nodes: Block[]): Block[] =>
  nodes.length === 0 ? [] : [createBlock(`heading-${level}`, {}, nodes.flatMap(lineOf))];

function toBold(node: Block['nodes'][number]): Block['nodes'][number] {
  if (node.object !== 'text') return node;
  return { ...node, leaves: node.leaves.map((leaf) => ({ ...leaf, marks: addMark(leaf.marks, mark('bold')) })) };
}

const getWords = (node: Block): string =>
  lineOf(node)
    .map((each) =>
      each.object === 'text' ? each.leaves.map(({ text }) => text).join('') : getWords({ ...node, nodes: each.nodes }),
    )
    .join('');

function getList(type: string, nodes: Block[]): Block[] {
  const items = nodes.map((node) => (node.type === 'list-item' ? node : createBlock('list-item', {}, [node])));
  return items.length === 0 ? [] : [createBlock(type, {}, items)];
}

/** Creates a cell. Paragraphs are joined into one text. If there are other blocks, such as lists, all stay blocks. */
function getCell(nodes: Block[], data: Block['data']): Block {
  return createBlock(
    'table-cell',
    data,
    nodes.every(({ type }) => type === 'paragraph') ? joinParagraphs(nodes) : nodes,
  );
}

const joinParagraphs = (nodes: Block[]): Block['nodes'] =>
  nodes.map(lineOf).flatMap((line, index) => (index === 0 ? line : [inline('hard-break', {}), ...line]));

/** Returns the content of a table cell whose HTML contains block elements. */
export const readCellContent = (nodes: Block['nodes']): Block['nodes'] => getCell(readInlineBlocks(nodes), {}).nodes;

/** Creates a table row. Content outside of its cells becomes a cell. */
const getRow = (nodes: Block[]): Block =>
  createBlock(
    'table-row',
    {},
    nodes.map((node) => (node.type === 'table-cell' ? node : getCell([node], {}))),
  );

/** The first row is the header if it is marked as one and has only texts. Content outside rows precedes the table. */
function getTable(parts: Block[]): Block[] {
  const nodes = parts.map((node) => (node.type === 'table-cell' ? getRow([node]) : node));
  const rows = nodes.filter(({ type, nodes: cells }) => type === 'table-row' && cells.length > 0);
  const others = wrapParts(nodes.filter(({ type }) => type !== 'table-row'));
  const [first] = rows;
  if (first === undefined) return others;
  const isHeader = first.nodes.every((cell) => isBlock(cell) && cell.data.header === true && !cell.nodes.some(isBlock));
  if (isHeader) first.data.header = true;
  for (const cell of rows.flatMap((row) => row.nodes)) if (cell.object === 'block') cell.data = {};
  return [...others, createBlock('table', { view: 'grid' }, rows)];
}

/** Returns the code of a `<pre>` element, with the language that its classes name. */
function getCode(html: string, attributes: string): Block[] {
  const inner = /^\s*<code\b([^<>]*)>/.exec(html)?.[1] ?? '';
  const languageName = /\b(?:lang|language|highlight-source)-([\w+#.-]{1,50})/.exec(`${inner} ${attributes}`)?.[1];
  const title = /\sdata-title="([^"]{1,200})"/.exec(attributes)?.[1];
  const text = decodeEntities(html.replace(/<br\s*\/?>/gi, '\n').replace(/<\/?[a-zA-Z][^<>]*>/g, ''))
    .replace(/^\n/, '')
    .trimEnd();
  const lines = text.split('\n').map((line) => createBlock('code-line', {}, line === '' ? [] : [getText(line)]));
  const data = { ...(languageName && { syntax: languageName }), ...(title && { title: decodeEntities(title) }) };
  return text === '' ? [] : [createBlock('code', data, lines)];
}

function getPlayer(tag: string): Block[] {
  const url = matchHtmlTag(tag, 0)?.occurrence?.target ?? '';
  if (url === '' || mayRunCode(url)) return [];
  return [createBlock(/^https?:/i.test(url) ? 'embed' : 'file', { ref: createUrlReference(url) })];
}

function readInlines(part: string): Block['nodes'] {
  const nodes: Block['nodes'] = [];
  let position = 0;
  for (const { 0: imageTag, 1: attributes = '', index } of part.matchAll(IMAGE)) {
    nodes.push(...readText(part.slice(position, index)), ...getImage(attributes));
    position = index + imageTag.length;
  }
  const all = [...nodes, ...readText(part.slice(position))];
  return all.some(isSeen) ? all : [];
}

const isSeen = (node: Inline | TextNode | Block): boolean => {
  if (node.object === 'text') return node.leaves.some(({ text }) => text.trim() !== '');
  if (node.type === 'html')
    return (
      String(node.data.html)
        .replace(/<[^<>]*>/g, '')
        .trim() !== ''
    );
  return node.nodes.length === 0 || node.nodes.some(isSeen);
};

const readText = (html: string): Block['nodes'] => getHtmlInlines(html.replace(/\s+/g, ' ').trim(), {});

function getImage(source: string): Block['nodes'] {
  const attributes = getAttributes(source.trimEnd());
  const url = attributes?.get('src') ?? matchHtmlTag(`<img${source}>`, 0)?.occurrence?.target ?? '';
  if (url === '' || mayRunCode(url)) return [];
  return [inline('inline-image', { ref: createUrlReference(url), alt: attributes?.get('alt') ?? '' })];
}
