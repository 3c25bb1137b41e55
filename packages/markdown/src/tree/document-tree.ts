import type { Json } from '@octavo/expression';
import { getResult, type TreeSteps } from './steps.ts';

/** Sets the key of each block, which consists of a hash of its content and the number of equal blocks before it. */
export function* assignKeys(tree: DocumentTree): TreeSteps<void> {
  const counts = new Map<string, number>();
  for (const node of tree.nodes) {
    yield;
    getKey(node, counts);
  }
}

function getKey(node: Block, counts: Map<string, number>): string {
  const parts = node.nodes.map((child) => (isBlock(child) ? getKey(child, counts) : getContent(child)));
  const key = hashParts(node, parts);
  const count = (counts.get(key) ?? 0) + 1;
  counts.set(key, count);
  node.key = count === 1 ? key : `${key}-${count}`;
  return key;
}

/** Creates a tree from blocks without a source text. */
export function getTree(nodes: Block[]): DocumentTree {
  const tree: DocumentTree = { object: 'document', data: {}, nodes };
  getResult(assignKeys(tree));
  return tree;
}

/** Returns the content part of a block's key. */
export const hashContent = (node: Block): string =>
  hashParts(
    node,
    node.nodes.map((child) => (isBlock(child) ? hashContent(child) : getContent(child))),
  );

/** Whether a block is unchanged since its key was set. */
export const isUnchanged = (node: Block): boolean => node.key?.split('-')[0] === hashContent(node);

const hashParts = ({ type, data }: Block, parts: string[]): string =>
  hashText([type, serializeData(data), ...parts].join('\n'));

function getContent(node: Inline | TextNode): string {
  if (node.object === 'text')
    return `[${node.leaves.map(({ text, marks }) => `[${JSON.stringify(text)},${toCanonicalJson(marks as Json)}]`).join()}]`;
  return `[${JSON.stringify(node.type)},${serializeData(node.data)},[${node.nodes.map(getContent).join()}]]`;
}

/** Returns the text of the data, without its source markup. */
const serializeData = (data: TreeData): string => serializeEntries(data, (key) => key !== 'markup');

/** Serializes a value with sorted keys. */
function toCanonicalJson(value: Json | undefined): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null);
  return Array.isArray(value) ? `[${value.map(toCanonicalJson).join()}]` : serializeEntries(value, () => true);
}

function serializeEntries(data: TreeData, isIncluded: (key: string) => boolean): string {
  const keys = Object.keys(data).filter(isIncluded);
  if (keys.length > 1) keys.sort();
  return `[${keys.map((key) => `[${JSON.stringify(key)},${toCanonicalJson(data[key])}]`).join()}]`;
}

/**
 * Returns two 32-bit checksums of a text as 14 characters. They distinguish blocks or links of a space and are not
 * cryptographic.
 */
export function hashText(text: string): string {
  let [one, two] = [0x811c9dc5, 0x9e3779b9];
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    one = Math.imul(one ^ code, 0x01000193);
    two = Math.imul(two ^ code, 0x85ebca6b);
    two ^= two >>> 15;
  }
  return [one, two].map((sum) => (sum >>> 0).toString(36).padStart(7, '0')).join('');
}

/** Data of a block, inline or mark; its source syntax is stored in `markup`. */
export type TreeData = { [key: string]: Json };

export type Mark = { object: 'mark'; type: string; data?: TreeData };
export type Leaf = { object: 'leaf'; text: string; marks: Mark[] };
export type TextNode = { object: 'text'; leaves: Leaf[] };
export type Inline = { object: 'inline'; type: string; data: TreeData; nodes: (Inline | TextNode)[]; isVoid: boolean };
export type Block = {
  object: 'block';
  type: string;
  /** The key is derived from the content and the number of equal blocks before it. */
  key?: string;
  data: TreeData;
  nodes: (Block | Inline | TextNode)[];
  isVoid: boolean;
  /** `id` is the anchor of a block without a heading. */
  meta?: { id: string };
};

/** The content of a page as a tree of blocks, inlines and texts. */
export type DocumentTree = { object: 'document'; data: TreeData; nodes: Block[] };

export const createBlock = (type: string, data: TreeData = {}, nodes: Block['nodes'] = []): Block => ({
  object: 'block',
  type,
  data,
  nodes,
  isVoid: VOID.has(type),
});

export const inline = (type: string, data: TreeData, nodes: Inline['nodes'] = []): Inline => ({
  object: 'inline',
  type,
  data,
  nodes,
  isVoid: !HOLDERS.has(type),
});

export const getText = (text: string, marks: Mark[] = []): TextNode => ({
  object: 'text',
  leaves: [{ object: 'leaf', text, marks }],
});

/** A reference to a URL. */
export const createUrlReference = (url: string): TreeData => ({ kind: 'url', url });

/** Returns the string at a path of an unknown value. */
export function getTextAt(value: Json | undefined, ...path: string[]): string | undefined {
  let current: Json | undefined = value;
  for (const key of path) {
    if (typeof current !== 'object' || current === null || Array.isArray(current) || !Object.hasOwn(current, key))
      return undefined;
    current = current[key];
  }
  return typeof current === 'string' ? current : undefined;
}

/** Returns a field of the stored source syntax, or undefined if it is not stored. */
export const getMarkup = (data: TreeData, key: string): Json | undefined => {
  const markup = data.markup;
  return typeof markup === 'object' && markup !== null && !Array.isArray(markup) && Object.hasOwn(markup, key)
    ? markup[key]
    : undefined;
};

/** Adds the ids of the tags that a block is written with to its data. The other data does not contain these ids. */
export const addTagIds = (data: TreeData, ids: readonly string[]): TreeData =>
  ids.length === 0 ? data : { ...data, markup: { ...(data.markup as TreeData | undefined), ids: [...new Set(ids)] } };

/** Returns the ids of the tags that a block is written with. */
export function getTagIds({ data }: Block | Inline): string[] {
  const ids = getMarkup(data, 'ids');
  return Array.isArray(ids) ? ids.filter((id) => typeof id === 'string') : [];
}

export const isBlock = (node: Block | Inline | TextNode): node is Block => node.object === 'block';

const HOLDERS = new Set(['link', 'mention', 'button']);
const VOID = new Set(['divider', 'math', 'html', 'markdown', 'image', 'reusable-content', 'file', 'embed']);

/** Types that only show their own content, and refer to nothing in the space. */
const plain = new Set([
  ...['paragraph', 'heading-1', 'heading-2', 'heading-3', 'heading-4', 'heading-5', 'heading-6', 'divider'],
  ...['list-ordered', 'list-unordered', 'list-tasks', 'list-item', 'blockquote', 'code', 'code-line', 'math'],
  ...['hint', 'expandable', 'tabs', 'tabs-item', 'columns', 'column', 'stepper', 'stepper-step', 'embed'],
  ...['table', 'table-row', 'table-cell', 'images', 'image'],
]);
const plainInlines = new Set(['link', 'inline-math', 'inline-image', 'emoji', 'icon', 'button']);

type Nodes = Block['nodes'];

/** Whether a node from another source is allowed. */
export const isPlain = (node: Nodes[number]): node is Exclude<Nodes[number], TextNode> =>
  (node.object === 'block' && plain.has(node.type)) || (node.object === 'inline' && plainInlines.has(node.type));

const stripNodes = (nodes: Nodes): Nodes =>
  nodes.flatMap((node): Nodes => {
    if (node.object === 'text') return [node];
    return isPlain(node) ? [{ ...node, nodes: stripNodes(node.nodes) } as Nodes[number]] : [];
  });

/** Filters blocks from other sources: removes includes, references, conditions and code. */
export const toPlainBlocks = (blocks: Block[]): Block[] =>
  stripNodes(blocks).filter((node): node is Block => node.object === 'block');
