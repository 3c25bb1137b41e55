import {
  type Block,
  copyMarkerFromSource,
  type DocumentTree,
  getTextAt,
  parseTree,
  renderBlocks,
  type TreeData,
} from '@octavo/markdown/editing';
import { mergeWords } from '@octavo/merge';
import { Fragment, type Node } from 'prosemirror-model';
import { type FindDefinitions, findUsedDefinitions, hasDefinitions, indexDefinitions } from './definitions.ts';
import { createSource, toNode } from './from-tree.ts';
import { schema } from './schema.ts';
import { detectStyle, type WritingStyle } from './style.ts';
import { toBlock } from './to-tree.ts';

/**
 * A top-level block with its source. `before` is the text between it and the previous block, and `previous` the origin of
 * that block.
 */
export interface OpenedBlock {
  before: string;
  previous: number | undefined;
  source: string;
  node: Node;
}

/** A page as it was opened. Joining its parts gives the exact Markdown, apart from the kind of its line ends. */
export interface OpenedPage {
  markdown: string;
  /** The document that the editor shows. */
  doc: Node;
  /** The blocks by their origins, with those of earlier versions that undo can restore. */
  blocks: ReadonlyMap<number, OpenedBlock>;
  /** The origin of the first block of this version. */
  first: number;
  /** The first origin that no block of this or an earlier version has. */
  nextOrigin: number;
  frontmatter: string;
  after: string;
  /** The line ends of the body. A body with several kinds keeps them in its sources. */
  lineEnd: '\n' | '\r\n';
  /** Finds the lines that a block refers to, such as link definitions. */
  findDefinitions: FindDefinitions;
  style: WritingStyle;
}

const parse = (markdown: string): DocumentTree => parseTree(markdown, { sources: 'all' });

const getMarkup = (data: TreeData, key: string): string | undefined => getTextAt(data.markup, key);

/** Splits the Markdown of a page into blocks. Their origins are the numbers from `first`. */
export function openPage(markdown: string, first = 0): OpenedPage {
  const { data, nodes } = parse(markdown);
  const written = nodes.filter((node) => getMarkup(node.data, 'source') !== undefined);
  const findDefinitions = indexDefinitions(listSourcesWithDefinitions(markdown, written));
  const style = detectStyle(markdown);
  const blocks = written.map((block, index): OpenedBlock => {
    const source = getMarkup(block.data, 'source') ?? '';
    return {
      before: getMarkup(block.data, 'before') ?? (index === 0 ? '' : '\n\n'),
      previous: index === 0 ? undefined : first + index - 1,
      source,
      node: toNodeOrSource(block, { source, findDefinitions, style, origin: first + index }),
    };
  });
  return {
    ...{ markdown, first, findDefinitions, style },
    blocks: new Map(blocks.map((block, index) => [first + index, block])),
    nextOrigin: first + blocks.length,
    doc: schema.node('doc', null, blocks.length === 0 ? [schema.node('paragraph')] : blocks.map(({ node }) => node)),
    frontmatter: getTextAt(data, 'frontmatter') ?? '',
    after: getMarkup(data, 'after') ?? (blocks.length === 0 ? '' : '\n'),
    lineEnd: getMarkup(data, 'lineEnd') === '\r\n' ? '\r\n' : '\n',
  };
}

/** Returns the ranges of the blocks in the Markdown of a page whose line ends are all line feeds. */
export function findBlockRanges(markdown: string): { from: number; to: number }[] {
  const { data, nodes } = parse(markdown);
  let end = (getTextAt(data, 'frontmatter') ?? '').length;
  return nodes.flatMap((node, index) => {
    const source = getMarkup(node.data, 'source');
    if (source === undefined) return [];
    const from = end + (getMarkup(node.data, 'before') ?? (index === 0 ? '' : '\n\n')).length;
    end = from + source.length;
    return [{ from, to: end }];
  });
}

/** Returns the sources of the blocks that define targets of links, footnotes or imports. */
function listSourcesWithDefinitions(markdown: string, blocks: Block[]): string[] {
  if (!hasDefinitions(markdown)) return [];
  return blocks.map(({ data }) => getMarkup(data, 'source') ?? '').filter(hasDefinitions);
}

interface SafetyContext {
  source: string;
  findDefinitions: FindDefinitions;
  style: WritingStyle;
  origin: number;
}

/** Converts a block to rich text if writing the node gives the same node again, otherwise to its source. */
function toNodeOrSource(block: Block, { source, findDefinitions, style, origin }: SafetyContext): Node {
  try {
    const node = toNode(block, origin);
    if (node.type.name === 'source') return createSource(source, origin);
    const written = renderBlocks([toBlock(node, style)]);
    if (isReadAs(written, node, findDefinitions)) return node;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  return createSource(source, origin);
}

/** Whether a Markdown text is parsed as this node. */
function isReadAs(markdown: string, node: Node, findDefinitions: FindDefinitions): boolean {
  const definitions = findDefinitions(markdown);
  const { nodes } = parse([markdown, ...definitions].join('\n\n'));
  const [block, next] = nodes;
  if (block === undefined || (definitions.length === 0 && next !== undefined)) return false;
  return getMarkup(block.data, 'source') === markdown.trimEnd() && toNode(block, node.attrs.origin).eq(node);
}

/** Returns the Markdown of a page after the document was edited. Blocks that were not changed keep their bytes. */
export function writePage(page: OpenedPage, doc: Node): string {
  if (doc.eq(page.doc)) return page.markdown;
  const body = new PageWriter(page).write(doc);
  return page.frontmatter + (page.lineEnd === '\n' ? body : body.replaceAll('\n', page.lineEnd));
}

/** Returns the Markdown of blocks of a page, with the definitions that they refer to. */
export function writeBlocks(page: OpenedPage, blocks: readonly Node[]): string {
  const body = new PageWriter(page).write(page.doc.copy(Fragment.from(blocks))).replace(/^\n+|\n+$/g, '');
  const written = new Set(blocks.map(({ attrs }) => attrs.origin as number | null));
  const others = page.doc.children.flatMap(({ attrs: { origin } }) =>
    origin === null || written.has(origin) ? [] : (page.blocks.get(origin)?.source ?? []),
  );
  return `${[body, ...findUsedDefinitions(body, others)].join('\n\n')}\n`;
}

/** Returns a node in which a function has replaced the addresses of links, images and files. */
export function mapTargets(node: Node, map: (target: string) => string): Node {
  const isAddress = (value: unknown): value is { kind: 'url'; url: string } =>
    typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'url' && 'url' in value;
  const json = JSON.stringify(node, (_key, value: unknown) =>
    isAddress(value) ? { ...value, url: map(value.url) } : value,
  );
  return schema.nodeFromJSON(JSON.parse(json));
}

/** Removes the spaces at the ends of texts, which Markdown can only express as entities. */
export function trimTexts(node: Node): Node {
  const children: Node[] = [];
  node.forEach((child, _offset, index) => {
    const text = child.text ?? '';
    const start = index === 0 ? text.trimStart() : text;
    const trimmed = index === node.childCount - 1 ? start.trimEnd() : start;
    if (!child.isText) children.push(trimTexts(child));
    else if (trimmed !== '') children.push(schema.text(trimmed, child.marks));
  });
  return node.type.spec.code === true || node.isLeaf ? node : node.copy(Fragment.from(children));
}

/** Whether a block is an empty paragraph, which Markdown does not contain. */
export const isEmptyBlock = (node: Node): boolean => node.type.name === 'paragraph' && node.content.size === 0;

/** A block as it is written. `opened` is the same block of the opened page; undefined if the block was changed. */
interface WrittenBlock {
  node: Node;
  block: Block;
  text: string;
  origin: number | null;
  opened: OpenedBlock | undefined;
}

/** The blocks of the last written text, because a text is written after each change but most of its nodes stay. */
const writtenNodes = new WeakMap<Node, { page: OpenedPage; key: string; written: WrittenBlock }>();

/** Returns the marker of a list, on which the marker of a list below it depends. */
const describeMarker = (block: Block | undefined): string =>
  block?.type.startsWith('list-') === true ? `${block.type} ${JSON.stringify(block.data.markup)}` : '';

class PageWriter {
  readonly #page: OpenedPage;
  readonly #used = new Set<number>();
  readonly #parts: string[] = [];
  #previous: WrittenBlock | undefined;

  constructor(page: OpenedPage) {
    this.#page = page;
  }

  write(doc: Node): string {
    doc.forEach((node) => {
      if (!isEmptyBlock(node)) this.#add(this.#writeNode(node));
    });
    const { after, blocks, first } = this.#page;
    return this.#parts.join('') + (!blocks.has(first) && this.#parts.length > 0 ? '\n' : after);
  }

  #writeNode(edited: Node): WrittenBlock {
    const origin = edited.attrs.origin as number | null;
    const isFirstUse = origin !== null && !this.#used.has(origin);
    const key = `${isFirstUse} ${describeMarker(this.#getPreviousBlock())}`;
    const former = writtenNodes.get(edited);
    if (former?.page === this.#page && former.key === key) return { ...former.written };
    const written = this.#createWritten(edited, isFirstUse);
    writtenNodes.set(edited, { page: this.#page, key, written: { ...written } });
    return written;
  }

  #createWritten(edited: Node, isFirstUse: boolean): WrittenBlock {
    const origin = edited.attrs.origin as number | null;
    const opened = origin === null ? undefined : this.#page.blocks.get(origin);
    const node = opened?.node.eq(edited) ? edited : trimTexts(edited);
    const block = toBlock(node, this.#page.style);
    if (node === edited && opened?.node.eq(edited)) return { node, block, origin, opened, text: opened.source };
    const text = this.#render(node, block);
    const kept = isFirstUse && opened !== undefined ? this.#keepSyntax(node, opened, text) : undefined;
    return { node, block, origin, opened: undefined, text: kept ?? text };
  }

  /** Appends a block. Two blocks that were not adjacent before are written so that they are not parsed as one. */
  #add(written: WrittenBlock): void {
    const { origin } = written;
    const { blocks, first, after } = this.#page;
    const previous = this.#previous;
    const opened = origin === null ? undefined : blocks.get(origin);
    if (previous === undefined) this.#parts.push(blocks.get(first)?.before ?? after);
    else if (opened?.previous !== undefined && previous.origin === opened.previous) this.#parts.push(opened.before);
    else this.#separate(previous, written);
    this.#parts.push(written.text);
    if (origin !== null) this.#used.add(origin);
    this.#previous = written;
  }

  #separate(previous: WrittenBlock, written: WrittenBlock): void {
    if (written.opened !== undefined && !areSeparate(previous.text, written.text)) {
      written.text = this.#render(written.node, written.block);
      // The list may now have another marker, so the next block must be separated from it again.
      written.origin = null;
    }
    if (previous.opened !== undefined && !areSeparate(previous.text, written.text))
      this.#parts[this.#parts.length - 1] = previous.text = this.#render(previous.node, previous.block);
    this.#parts.push('\n\n');
  }

  #render(node: Node, block: Block): string {
    return applyStyle(renderBlocks([block], this.#getPreviousBlock()), node, this.#page.style);
  }

  #getPreviousBlock(): Block | undefined {
    return this.#previous && copyMarkerFromSource(this.#previous.block, this.#previous.text);
  }

  /** Writes only the words that were changed, and keeps the rest of the source. */
  #keepSyntax(node: Node, opened: OpenedBlock, incoming: string): string | undefined {
    const { style, findDefinitions } = this.#page;
    if (node.type.name === 'source' || opened.node.type !== node.type) return undefined;
    const base = this.#render(opened.node, toBlock(opened.node, style));
    const merged = mergeWords({ base, main: opened.source, incoming });
    return merged !== undefined && isReadAs(merged, node, findDefinitions) ? merged : undefined;
  }
}

/** Whether the second of two texts starts a block of its own after a blank line. */
function areSeparate(first: string, second: string): boolean {
  let position = 0;
  for (const { data } of parse(`${first}\n\n${second}`).nodes) {
    position += (getMarkup(data, 'before') ?? (position === 0 ? '' : '\n\n')).length;
    if (position === first.length + 2) return true;
    position += getMarkup(data, 'source')?.length ?? 0;
  }
  return false;
}

/** Writes the heading or the fence of a code block as the page does elsewhere. */
function applyStyle(markdown: string, node: Node, style: WritingStyle): string {
  if (node.type.name === 'heading' && style.underlined && node.attrs.level <= 2 && !markdown.includes('\n')) {
    const text = markdown.replace(/^#+ /, '');
    return text.startsWith('#')
      ? markdown
      : `${text}\n${(node.attrs.level === 1 ? '=' : '-').repeat(Math.max(3, text.length))}`;
  }
  if (
    node.type.name === 'code_block' &&
    style.fence === '~~~' &&
    /^```[^`]*\n/.test(markdown) &&
    !markdown.includes('~~~')
  )
    return markdown.replace(/^```|```$/g, '~~~');
  return markdown;
}

/** Writes nodes as Markdown, for example of a selection. Inline nodes are one paragraph. */
export function writeNodes(nodes: Node[], style: WritingStyle): string {
  const isInline = nodes.some((node) => node.isInline);
  const blocks = isInline ? [schema.node('paragraph', null, nodes)] : nodes;
  return renderBlocks(blocks.map((node) => toBlock(node, style)));
}

/** Parses Markdown into nodes for inserting. */
export function readNodes(markdown: string): Node[] {
  const nodes: Node[] = [];
  openPage(markdown).doc.forEach((node) => {
    nodes.push(node.type.create({ ...node.attrs, origin: null }, node.content, node.marks));
  });
  return nodes;
}
