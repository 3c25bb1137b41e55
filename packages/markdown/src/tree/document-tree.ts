import type { Json } from '@octavo/expression';

/** What a block, inline or mark says of itself; how its source was written stands under `markup`. */
export type TreeData = { [key: string]: Json };

export type Mark = { object: 'mark'; type: string; data?: TreeData };
export type Leaf = { object: 'leaf'; text: string; marks: Mark[] };
export type TextNode = { object: 'text'; leaves: Leaf[] };
export type Inline = { object: 'inline'; type: string; data: TreeData; nodes: (Inline | TextNode)[]; isVoid: boolean };
export type Block = {
  object: 'block';
  type: string;
  /** Follows from the content, and from how many equal blocks stand before it. */
  key?: string;
  data: TreeData;
  nodes: (Block | Inline | TextNode)[];
  isVoid: boolean;
};

/** A page's content as a tree of blocks, inlines and texts. */
export type DocumentTree = { object: 'document'; data: TreeData; nodes: Block[] };

export const block = (type: string, data: TreeData = {}, nodes: Block['nodes'] = []): Block => ({
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

export const textOf = (text: string, marks: Mark[] = []): TextNode => ({
  object: 'text',
  leaves: [{ object: 'leaf', text, marks }],
});

/** An address as the family writes it. */
export const urlReference = (url: string): TreeData => ({ kind: 'url', url });

/** The text at a path of a value of unknown shape. */
export function textAt(value: Json | undefined, ...path: string[]): string | undefined {
  let found: Json | undefined = value;
  for (const key of path) {
    if (typeof found !== 'object' || found === null || Array.isArray(found) || !Object.hasOwn(found, key))
      return undefined;
    found = found[key];
  }
  return typeof found === 'string' ? found : undefined;
}

/** How the source wrote something, as far as it is kept. */
export const markupOf = (data: TreeData, key: string): Json | undefined => {
  const markup = data.markup;
  return typeof markup === 'object' && markup !== null && !Array.isArray(markup) && Object.hasOwn(markup, key)
    ? markup[key]
    : undefined;
};

export const isBlock = (node: Block | Inline | TextNode): node is Block => node.object === 'block';

const HOLDERS = new Set(['link', 'mention', 'button']);
const VOID = new Set(['divider', 'math', 'html', 'markdown', 'image', 'reusable-content', 'file', 'embed']);
