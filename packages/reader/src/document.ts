/** Data of a node. Its fields depend on the node's type. */
export type NodeData = Record<string, unknown>;

/** A node of a published document: a block, inline, fragment or text. */
export interface PageNode {
  object: 'block' | 'inline' | 'fragment' | 'text';
  type?: string;
  key?: string;
  data?: NodeData;
  nodes?: PageNode[];
  fragments?: PageNode[];
  leaves?: PageLeaf[];
  /**
   * `code` is the data of a code block that was replaced by this paragraph, because its parent allows only paragraphs.
   */
  meta?: { id?: string; aliases?: string[]; code?: NodeData };
}

export interface PageMark {
  object: 'mark';
  type: string;
  data?: NodeData;
}

export interface PageLeaf {
  object: 'leaf';
  text: string;
  marks: PageMark[];
}

/** A document from the publishing API, evaluated for one visitor, with reusable content inserted. */
export interface ShownDocument {
  object: 'document';
  data: NodeData;
  nodes: PageNode[];
}

export const getData = (node: PageNode): NodeData => node.data ?? {};

export const getNodes = (node: PageNode): PageNode[] => node.nodes ?? [];

/** Returns a text field of data; undefined if it is not a string or is empty. */
export function getText(data: NodeData, name: string): string | undefined {
  const value = data[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Returns the nodes of the fragment with this name. */
export const getFragment = (node: PageNode, name: string): PageNode[] =>
  node.fragments?.find((node) => node.type === name || (node as { fragment?: string }).fragment === name)?.nodes ?? [];

/** Returns the text of nodes without marks. */
export const toPlainText = (nodes: PageNode[]): string =>
  nodes
    .map((node): string => {
      if (node.object === 'text') return (node.leaves ?? []).map(({ text }) => text).join('');
      const data = getData(node);
      if (node.type === 'button') return getText(data, 'label') ?? '';
      if (node.type === 'inline-math') return getText(data, 'formula') ?? '';
      if (node.type === 'emoji') return toEmoji(getText(data, 'code') ?? '');
      return toPlainText(getNodes(node));
    })
    .join('');

/** Returns an emoji's characters. The API returns either these or their code points in hexadecimal, such as `1f4d6`. */
export function toEmoji(emoji: string): string {
  if (!/^[\da-f]{2,6}(?:-[\da-f]{2,6})*$/i.test(emoji)) return emoji;
  const points = emoji.split('-').map((point) => Number.parseInt(point, 16));
  return points.some((point) => point > 0x10ffff) ? emoji : String.fromCodePoint(...points);
}

/** Returns a `class` attribute from the names that are set, or no attribute. */
export function toClass(...names: (string | false | undefined)[]): { class?: string } {
  const classNames = names.filter((name) => name !== undefined && name !== false && name !== '');
  return classNames.length === 0 ? {} : { class: classNames.join(' ') };
}
