import { isAttributeList } from '../headings.ts';
import { decodeEntities } from '../inline-syntax.ts';
import { htmlTag } from '../links/destinations.ts';
import { inlinesIn as lineOf } from './compose.ts';
import { type Block, block, getText, type Inline, inline, type TextNode, urlReference } from './document-tree.ts';
import { getHtmlInlines } from './inlines.ts';
import { addMark, escapeText, getAttributes, mark } from './markup.ts';
import { mayRunCode } from './references.ts';

/** An unclosed comment, script or style extends to the end. */
const SILENT = /<!--[\s\S]*?(?:-->|$)|<(script|style|head|template|svg)\b[\s\S]*?(?:<\/\1\s*>|$)/gi;
const BREAKS = new Set(
  'address article aside blockquote body br center dd details div dl dt embed fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr html iframe li main meta nav ol p pre section summary table tbody td tfoot th thead title tr ul video audio'.split(
    ' ',
  ),
);
const TAG = /<(\/?)([a-zA-Z][\w-]*)((?:\s[^<>]*)?)\/?>/g;
const IMAGE = /<img\b([^<>]*?)\/?>/gi;
/** Elements that are nested deeper are flattened. */
const MAX_DEPTH = 40;

/** Converts unknown HTML: lists, tables, code and the like to blocks, everything else to its images and texts. */
export function blocksOfHtml(html: string): Block[] {
  return isAttributeList(html.trim()) ? [] : new Reader().read(html.replace(SILENT, ''));
}

/** An open element with its content so far. */
interface Frame {
  name: string;
  nodes: Block[];
}

class Reader {
  readonly #frames: Frame[] = [{ name: '', nodes: [] }];
  #line = '';

  read(html: string): Block[] {
    let position = 0;
    TAG.lastIndex = 0;
    for (let found = TAG.exec(html); found !== null; found = TAG.exec(html)) {
      const [whole, slash, written = '', attributes = ''] = found;
      const name = written.toLowerCase();
      this.#line += html.slice(position, found.index);
      position = TAG.lastIndex;
      if (!BREAKS.has(name)) this.#line += whole;
      else if (slash === '/') this.#close(name);
      else if (name === 'pre') {
        const end = html.indexOf('</pre', position);
        this.#put(...getCode(html.slice(position, end < 0 ? html.length : end), attributes));
        position = end < 0 ? html.length : end;
        TAG.lastIndex = position;
      } else this.#open(name, whole);
    }
    this.#line += html.slice(position);
    while (this.#frames.length > 1) this.#pop();
    this.#flush();
    return this.#frames[0]?.nodes ?? [];
  }

  #put(...blocks: Block[]): void {
    this.#flush();
    this.#frames.at(-1)?.nodes.push(...blocks);
  }

  #flush(): void {
    const nodes = inlinesIn(this.#line);
    this.#line = '';
    if (nodes.length > 0) this.#frames.at(-1)?.nodes.push(block('paragraph', {}, nodes));
  }

  #open(name: string, tag: string): void {
    if (name === 'hr') this.#put(block('divider'));
    else if (/^(?:iframe|video|audio|embed)$/.test(name)) this.#put(...getPlayer(tag));
    else if (Object.hasOwn(MADE, name) && this.#frames.length <= MAX_DEPTH) {
      this.#flush();
      while (ENDS[name]?.includes(this.#frames.at(-1)?.name ?? '-')) this.#pop();
      this.#frames.push({ name, nodes: [] });
    } else this.#flush();
  }

  #close(name: string): void {
    this.#flush();
    if (!this.#frames.some((frame) => frame.name === name)) return;
    while (this.#frames.length > 1 && this.#frames.at(-1)?.name !== name) this.#pop();
    this.#pop();
  }

  #pop(): void {
    this.#flush();
    if (this.#frames.length < 2) return;
    const { name, nodes } = this.#frames.pop() ?? { name: '', nodes: [] };
    const make = MADE[name];
    this.#frames.at(-1)?.nodes.push(...(make === undefined ? nodes : make(nodes)));
  }
}

/** Elements with optional end tags, with the open elements that each closes. */
const ENDS: Record<string, string[] | undefined> = {
  li: ['li'],
  tr: ['td', 'th', 'tr'],
  td: ['td', 'th'],
  th: ['td', 'th'],
  dt: ['dt', 'dd'],
  dd: ['dt', 'dd'],
};

type Make = (nodes: Block[]) => Block[];

/** Converts elements by name. */
const MADE: Record<string, Make | undefined> = {
  ul: (nodes) => getList('list-unordered', nodes),
  ol: (nodes) => getList('list-ordered', nodes),
  li: (nodes) => (nodes.length === 0 ? [] : [block('list-item', {}, nodes)]),
  blockquote: (nodes) => (nodes.length === 0 ? [] : [block('blockquote', {}, nodes)]),
  table: (nodes) => getTable(nodes),
  tr: (nodes) => [block('table-row', {}, nodes)],
  td: (nodes) => [getCell(nodes, {})],
  th: (nodes) => [getCell(nodes, { header: true })],
  details: (nodes) => {
    const title = nodes.find(({ type }) => type === 'summary');
    const body = nodes.filter((each) => each !== title);
    return [block('expandable', { title: escapeText(title === undefined ? 'Details' : getWords(title)) }, body)];
  },
  summary: (nodes) => [block('summary', {}, nodes)],
  dt: (nodes) => nodes.map((node) => ({ ...node, nodes: node.nodes.map(inBold) })),
  dd: (nodes) => nodes,
  ...Object.fromEntries([1, 2, 3, 4, 5, 6].map((level) => [`h${level}`, (nodes: Block[]) => getHeading(level, nodes)])),
};

const getHeading = (level: number, nodes: Block[]): Block[] =>
  nodes.length === 0 ? [] : [block(`heading-${level}`, {}, nodes.flatMap(lineOf))];

function inBold(node: Block['nodes'][number]): Block['nodes'][number] {
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
  const items = nodes.map((node) => (node.type === 'list-item' ? node : block('list-item', {}, [node])));
  return items.length === 0 ? [] : [block(type, {}, items)];
}

function getCell(nodes: Block[], data: Block['data']): Block {
  const lines = nodes.map(lineOf).flatMap((line, index) => (index === 0 ? line : [inline('hard-break', {}), ...line]));
  return block('table-cell', data, lines);
}

/** The first row is the header if it is marked so. Other content of a table goes before it. */
function getTable(nodes: Block[]): Block[] {
  const rows = nodes.filter(({ type, nodes: cells }) => type === 'table-row' && cells.length > 0);
  const others = nodes.filter(({ type }) => type !== 'table-row');
  const [first] = rows;
  if (first === undefined) return others;
  const isHeader = first.nodes.every((cell) => cell.object === 'block' && cell.data.header === true);
  if (isHeader) first.data.header = true;
  for (const cell of rows.flatMap((row) => row.nodes)) if (cell.object === 'block') cell.data = {};
  return [...others, block('table', { view: 'grid' }, rows)];
}

/** The code of a `<pre>`, with the language of its classes. */
function getCode(html: string, attributes: string): Block[] {
  const inner = /^\s*<code\b([^<>]*)>/.exec(html)?.[1] ?? '';
  const named = /\b(?:lang|language|highlight-source)-([\w+#.-]{1,50})/.exec(`${inner} ${attributes}`)?.[1];
  const title = /\sdata-title="([^"]{1,200})"/.exec(attributes)?.[1];
  const text = decodeEntities(html.replace(/<br\s*\/?>/gi, '\n').replace(/<\/?[a-zA-Z][^<>]*>/g, ''))
    .replace(/^\n/, '')
    .trimEnd();
  const lines = text.split('\n').map((line) => block('code-line', {}, line === '' ? [] : [getText(line)]));
  const data = { ...(named && { syntax: named }), ...(title && { title: decodeEntities(title) }) };
  return text === '' ? [] : [block('code', data, lines)];
}

function getPlayer(tag: string): Block[] {
  const url = htmlTag(tag, 0)?.found?.target ?? '';
  if (url === '' || mayRunCode(url)) return [];
  return [block(/^https?:/i.test(url) ? 'embed' : 'file', { ref: urlReference(url) })];
}

function inlinesIn(part: string): Block['nodes'] {
  const nodes: Block['nodes'] = [];
  let position = 0;
  for (const { 0: whole, 1: attributes = '', index } of part.matchAll(IMAGE)) {
    nodes.push(...textIn(part.slice(position, index)), ...getImage(attributes));
    position = index + whole.length;
  }
  const all = [...nodes, ...textIn(part.slice(position))];
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

const textIn = (html: string): Block['nodes'] => getHtmlInlines(html.replace(/\s+/g, ' ').trim(), {});

function getImage(source: string): Block['nodes'] {
  const attributes = getAttributes(source.trimEnd());
  const url = attributes?.get('src') ?? htmlTag(`<img${source}>`, 0)?.found?.target ?? '';
  if (url === '' || mayRunCode(url)) return [];
  return [inline('inline-image', { ref: urlReference(url), alt: attributes?.get('alt') ?? '' })];
}
