import type { Json } from '@octavo/expression';
import type { Block, DocumentTree, Inline, TextNode } from './document-tree.ts';
import { isBlock } from './document-tree.ts';

/** Gives every block its key: what it holds, and how many equal blocks stand before it. */
export function assignKeys(tree: DocumentTree): void {
  const counts = new Map<string, number>();
  for (const node of tree.nodes) keyOf(node, counts);
}

function keyOf(node: Block, counts: Map<string, number>): string {
  const parts = node.nodes.map((child) => (isBlock(child) ? keyOf(child, counts) : JSON.stringify(content(child))));
  const key = hashParts(node, parts);
  const count = (counts.get(key) ?? 0) + 1;
  counts.set(key, count);
  node.key = count === 1 ? key : `${key}-${count}`;
  return key;
}

/** What the key of a block says of its content. */
const contentHash = (node: Block): string =>
  hashParts(
    node,
    node.nodes.map((child) => (isBlock(child) ? contentHash(child) : JSON.stringify(content(child)))),
  );

/** Whether a block still is what its key was made for. */
export const isUnchanged = (node: Block): boolean => node.key?.split('-')[0] === contentHash(node);

const hashParts = ({ type, data }: Block, parts: string[]): string =>
  textKey([type, JSON.stringify(sorted(withoutMarkup(data))), ...parts].join('\n'));

const withoutMarkup = ({ markup: _, ...data }: Block['data']): Json => data;

function content(node: Inline | TextNode): Json {
  if (node.object === 'text') return node.leaves.map(({ text, marks }) => [text, sorted(marks as Json)]);
  return [node.type, sorted(withoutMarkup(node.data)), node.nodes.map(content)];
}

/** The order of keys does not count. */
function sorted(value: Json): Json {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(sorted);
  return Object.entries(value)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([key, each]) => [key, sorted(each)]);
}

/** Two 32-bit sums of a text as 14 characters: enough to tell blocks or links of one space apart, nothing secret. */
export function textKey(text: string): string {
  let [one, two] = [0x811c9dc5, 0x9e3779b9];
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    one = Math.imul(one ^ code, 0x01000193);
    two = Math.imul(two ^ code, 0x85ebca6b);
    two ^= two >>> 15;
  }
  return [one, two].map((sum) => (sum >>> 0).toString(36).padStart(7, '0')).join('');
}
