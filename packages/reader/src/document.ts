/** NodeData of a node: what a block holds follows from its type. */
export type NodeData = Record<string, unknown>;

/** A node of a published document, of any of its kinds: a block, an inline, a fragment or a text. */
export interface ShownNode {
  object: 'block' | 'inline' | 'fragment' | 'text';
  type?: string;
  key?: string;
  data?: NodeData;
  nodes?: ShownNode[];
  fragments?: ShownNode[];
  leaves?: ShownLeaf[];
  meta?: { id?: string };
}

export interface ShownMark {
  object: 'mark';
  type: string;
  data?: NodeData;
}

export interface ShownLeaf {
  object: 'leaf';
  text: string;
  marks: ShownMark[];
}

/** A document as the publishing API gives it, evaluated for one visitor, with reusable contents in their places. */
export interface ShownDocument {
  object: 'document';
  data: NodeData;
  nodes: ShownNode[];
}

export const dataOf = (node: ShownNode): NodeData => node.data ?? {};

export const nodesOf = (node: ShownNode): ShownNode[] => node.nodes ?? [];

/** The text of a field of data; undefined where it is none, or empty. */
export function textOf(data: NodeData, name: string): string | undefined {
  const value = data[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** What the fragment of a name holds. */
export const fragmentOf = (node: ShownNode, name: string): ShownNode[] =>
  node.fragments?.find((each) => each.type === name || (each as { fragment?: string }).fragment === name)?.nodes ?? [];

/** What is read of nodes, without marks. */
export const plainText = (nodes: ShownNode[]): string =>
  nodes
    .map((node): string => {
      if (node.object === 'text') return (node.leaves ?? []).map(({ text }) => text).join('');
      const data = dataOf(node);
      if (node.type === 'button') return textOf(data, 'label') ?? '';
      if (node.type === 'inline-math') return textOf(data, 'formula') ?? '';
      if (node.type === 'emoji') return emojiOf(textOf(data, 'code') ?? '');
      return plainText(nodesOf(node));
    })
    .join('');

/** The characters of an emoji, of which the API gives these or their code points in hexadecimal, such as `1f4d6`. */
export function emojiOf(emoji: string): string {
  if (!/^[\da-f]{2,6}(?:-[\da-f]{2,6})*$/i.test(emoji)) return emoji;
  const points = emoji.split('-').map((point) => Number.parseInt(point, 16));
  return points.some((point) => point > 0x10ffff) ? emoji : String.fromCodePoint(...points);
}

/** The names of elements of a class attribute, of which some may be missing; nothing where all are. */
export function classesOf(...names: (string | false | undefined)[]): { class?: string } {
  const given = names.filter((name) => name !== undefined && name !== false && name !== '');
  return given.length === 0 ? {} : { class: given.join(' ') };
}
