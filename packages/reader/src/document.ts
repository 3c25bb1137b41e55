/** Data of a node. Its fields depend on the node's type. */
export type NodeData = Record<string, unknown>;

/** A node of a published document: a block, inline, fragment or text. */
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

/** A document from the publishing API, evaluated for one visitor, with reusable content inserted. */
export interface ShownDocument {
  object: 'document';
  data: NodeData;
  nodes: ShownNode[];
}

export const dataOf = (node: ShownNode): NodeData => node.data ?? {};

export const nodesOf = (node: ShownNode): ShownNode[] => node.nodes ?? [];

/** Returns a text field of data; undefined if it is not a string or is empty. */
export function textOf(data: NodeData, name: string): string | undefined {
  const value = data[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Returns the nodes of the fragment with this name. */
export const fragmentOf = (node: ShownNode, name: string): ShownNode[] =>
  node.fragments?.find((each) => each.type === name || (each as { fragment?: string }).fragment === name)?.nodes ?? [];

/** Returns the text of nodes without marks. */
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

/** Returns an emoji's characters. The API returns either these or their code points in hexadecimal, such as `1f4d6`. */
export function emojiOf(emoji: string): string {
  if (!/^[\da-f]{2,6}(?:-[\da-f]{2,6})*$/i.test(emoji)) return emoji;
  const points = emoji.split('-').map((point) => Number.parseInt(point, 16));
  return points.some((point) => point > 0x10ffff) ? emoji : String.fromCodePoint(...points);
}

/** Returns a `class` attribute from the names that are set, or no attribute. */
export function classesOf(...names: (string | false | undefined)[]): { class?: string } {
  const given = names.filter((name) => name !== undefined && name !== false && name !== '');
  return given.length === 0 ? {} : { class: given.join(' ') };
}
