import type { Json } from '@octavo/expression';
import type { Block, Inline, TextNode, TreeData } from './document-tree.ts';
import { charactersOf } from './emoji.ts';

/** A node in the official form, which `fragments` may belong to. */
export type PublishedNode = { [key: string]: Json };

export type PublishedDocument = { object: 'document'; data: TreeData; nodes: PublishedNode[] };

/** The version of the form, which tells a document of it from a tree of `parseTree`. */
export const PUBLISHED_VERSION = 10;

export const published = (object: 'block' | 'inline', type: string): PublishedNode => ({ object, type });

export const paragraph = (nodes: Json[]): PublishedNode => ({
  ...published('block', 'paragraph'),
  isVoid: false,
  data: {},
  nodes,
});

export const text = (value: string, ...marks: string[]): PublishedNode => ({
  object: 'text',
  leaves: [{ object: 'leaf', text: value, marks: marks.map((type) => ({ object: 'mark', type })) }],
});

export const fragment = (name: string, nodes: Json[]): PublishedNode => ({
  object: 'fragment',
  fragment: name,
  type: name,
  nodes,
});

/** What a node holds, in whatever form it is. */
export const nodesIn = (node: Json | Block | Inline | TextNode, key = 'nodes'): PublishedNode[] => {
  const nodes = (node as PublishedNode)[key];
  return Array.isArray(nodes) ? (nodes as PublishedNode[]) : [];
};

/** The fragment of a name. */
export const fragmentOf = (node: PublishedNode, name: string): PublishedNode[] => {
  const found = nodesIn(node, 'fragments').find((each) => each.fragment === name || each.type === name);
  return found === undefined ? [] : nodesIn(found);
};

/** The text of nodes in whatever form they are. */
export const plainText = (nodes: (Json | Block | Inline | TextNode)[]): string =>
  nodes
    .map((node): string => {
      const { object, type, data } = node as PublishedNode;
      if (object === 'text')
        return nodesIn(node, 'leaves')
          .map(({ text: each }) => String(each))
          .join('');
      const value = (data ?? {}) as PublishedNode;
      if (type === 'button' && typeof value.label === 'string') return value.label;
      if (type === 'inline-math' && typeof value.formula === 'string') return value.formula;
      if (type === 'emoji' && typeof value.code === 'string') return charactersOf(value.code);
      if (type === 'emoji' && typeof value.name === 'string') return `:${value.name}:`;
      return plainText(nodesIn(node));
    })
    .join('');

/** Whether nothing of a block is seen, as of an anchor that stands alone. */
export const isEmptyParagraph = (node: PublishedNode): boolean =>
  node.type === 'paragraph' && nodesIn(node).every((each) => each.object === 'text' && plainText([each]).trim() === '');

/** Whether anything of a part of a paragraph is seen. */
export const isShown = (node: Block | Inline | TextNode): boolean => {
  if (node.object === 'text') return plainText([node]).trim() !== '';
  return node.type !== 'html' || node.data.html !== '';
};

/** A block with the key of the block that it shows. */
export const withKey = ({ key }: { key?: string | undefined }, block: PublishedNode): PublishedNode => {
  const { object, type, ...more } = block;
  return key === undefined ? block : { object: object ?? 'block', type: type ?? '', key, ...more };
};

/** A block that refers to something and holds nothing. */
export const reference = (node: { key?: string | undefined }, type: string, ref: Json): PublishedNode =>
  withKey(node, { ...published('block', type), isVoid: true, data: { ref } });

export const imagesOf = (data: PublishedNode, nodes: PublishedNode[]): PublishedNode => ({
  ...published('block', 'images'),
  isVoid: false,
  data,
  nodes,
});
