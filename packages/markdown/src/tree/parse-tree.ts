import { findFrontmatterBlock } from '../frontmatter-block.ts';
import { heroOf } from '../hero.ts';
import { TooLarge } from './block-rules.ts';
import { blocksOfText, type PlacedBlock } from './blocks-of.ts';
import {
  assignKeys,
  type Block,
  block,
  type DocumentTree,
  isBlock,
  isUnchanged,
  markupOf,
  type TreeData,
  textAt,
} from './document-tree.ts';
import { heroBlocks } from './hero-blocks.ts';
import { asWritten } from './markup.ts';
import { renderBlocks } from './render-blocks.ts';

const MAX_DEPTH = 250;

/**
 * The markdown of a tree: a block of the top level that is as it was read gives its source, every other its plain form.
 * Throws when the tree nests deeper than any text can say.
 */
export function renderTree(tree: DocumentTree): string {
  checkDepth(tree.nodes);
  const frontmatter = textAt(tree.data, 'frontmatter') ?? '';
  let text = '';
  let previous: Block | undefined;
  for (const node of tree.nodes) {
    const source = markupOf(node.data, 'source');
    const rendered = typeof source === 'string' && isUnchanged(node) ? source : renderBlocks([node], previous);
    const before = markupOf(node.data, 'before');
    if (rendered === '' && before === undefined && source === undefined) continue;
    text += `${typeof before === 'string' ? before : previous === undefined ? '' : '\n\n'}${rendered}`;
    previous = asWritten(node, rendered);
  }
  const after = markupOf(tree.data, 'after');
  const whole = text + (typeof after === 'string' ? after : previous === undefined ? '' : '\n');
  return frontmatter + (markupOf(tree.data, 'lineEnd') === '\r\n' ? whole.replaceAll('\n', '\r\n') : whole);
}

/** Without recursion: a tree may come from anywhere. */
function checkDepth(nodes: DocumentTree['nodes']): void {
  let level: DocumentTree['nodes'][number]['nodes'] = nodes;
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > MAX_DEPTH) throw new RangeError(`A document nests at most ${MAX_DEPTH} deep.`);
    level = level.flatMap((node) => (isBlock(node) || node.object === 'inline' ? node.nodes : []));
  }
}

/** The version of the form, which tells a tree of it from a published one. */
export const SCHEMA_VERSION = 9;

/**
 * A document as a tree of blocks. `renderTree` gives exactly the text back: what the plain form of a block does not
 * say, its `data.markup` keeps; with the sources of `all` the whole source of each block of the top level. A tree without
 * any, for who reads alone, is made in half the time. A document of too many blocks for a worker's memory is one block of
 * type `markdown`.
 */
export function parseTree(markdown: string, { sources = 'needed', hasKeys = true }: ParseOptions = {}): DocumentTree {
  const offset = findFrontmatterBlock(markdown)?.bodyOffset ?? 0;
  const data: TreeData = { schemaVersion: SCHEMA_VERSION };
  if (offset > 0) data.frontmatter = markdown.slice(0, offset);
  const tree: DocumentTree = { object: 'document', data, nodes: [] };
  const markup: TreeData = {};
  const hero = heroOf(markdown);
  if (hero !== undefined) tree.nodes = heroBlocks(hero);
  readInto(tree, { text: unify(markdown.slice(offset), markup), markup, sources });
  if (Object.keys(markup).length > 0) data.markup = markup;
  if (hasKeys) assignKeys(tree);
  return tree;
}

/** A text whose line breaks are all of the two-character kind is read with the other kind. */
function unify(text: string, markup: TreeData): string {
  if (!text.includes('\r\n') || /\r(?!\n)|(?<!\r)\n/.test(text)) return text;
  markup.lineEnd = '\r\n';
  return text.replaceAll('\r\n', '\n');
}

export interface ParseOptions {
  /** Whose source is kept: of blocks that their plain form does not give, of all, or of none. */
  sources?: 'needed' | 'all' | 'none';
  /** Whether blocks have their keys; a tree of needed sources has to, since these tell whether a block changed. */
  hasKeys?: boolean;
}

type Reading = { text: string; markup: TreeData } & Required<Pick<ParseOptions, 'sources'>>;

function readInto(tree: DocumentTree, { text, markup, sources }: Reading): void {
  const lines = new Lines(text);
  let [position, previous]: [number, Block | undefined] = [0, tree.nodes.at(-1)];
  const put = (node: Block, start: number, end: number, isRaw = false) => {
    const before = text.slice(position, start);
    const source = text.slice(start, end);
    const kept: TreeData = {};
    if (before !== (previous === undefined ? '' : '\n\n')) kept.before = before;
    const isKept = sources === 'needed' ? !isRaw && renderBlocks([node], previous) !== source : sources === 'all';
    if (isKept) kept.source = source;
    if (Object.keys(kept).length > 0) node.data = { ...node.data, markup: { ...markupIn(node), ...kept } };
    tree.nodes.push(node);
    [position, previous] = [end, node];
  };
  const putRaw = (end: number) => {
    let start = position;
    while (start < end && isBlank(text, start)) start += 1;
    if (start < end) {
      const stop = endOf(text, start, end);
      put(block('markdown', { markdown: text.slice(start, stop) }), start, stop, true);
    }
  };
  for (const placed of read(lines.normalized)) {
    const start = lines.start(placed.start);
    putRaw(start);
    put(placed.block, start, endOf(text, start, lines.start(placed.end)));
  }
  putRaw(text.length);
  const after = text.slice(position);
  if (after !== (previous === undefined ? '' : '\n')) markup.after = after;
}

const isBlank = (text: string, index: number): boolean => ' \t\r\n'.includes(text.charAt(index));

/** Where a piece of text ends without the blanks after it. */
function endOf(text: string, start: number, end: number): number {
  let stop = end;
  while (stop > start && isBlank(text, stop - 1)) stop -= 1;
  return stop;
}

const markupIn = (node: Block): TreeData => (node.data.markup ?? {}) as TreeData;

function read(text: string): PlacedBlock[] {
  try {
    return blocksOfText(text);
  } catch (error) {
    if (error instanceof TooLarge) return [];
    throw error;
  }
}

/** Where the lines of a text begin, as markdown counts them. */
class Lines {
  readonly normalized: string;
  readonly #text: string;
  readonly #starts: number[] = [0];

  constructor(text: string) {
    this.#text = text;
    this.normalized = text.replace(/^\ufeff/, ' ').replace(/\r\n?/g, '\n');
    for (const found of text.matchAll(/\r\n?|\n/g)) this.#starts.push(found.index + found[0].length);
  }

  start = (line: number): number => this.#starts[line] ?? this.#text.length;
}
