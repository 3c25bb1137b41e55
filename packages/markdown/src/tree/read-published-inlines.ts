import {
  type Inline,
  inline,
  type Leaf,
  type Mark,
  type TextNode,
  type TreeData,
  textAt,
  textOf,
  urlReference,
} from './document-tree.ts';
import { charactersOf, nameOf } from './emoji.ts';
import { nodesIn, type PublishedNode } from './published-nodes.ts';
import { addressOf } from './published-references.ts';

type Nodes = (Inline | TextNode)[];

/** The inlines of the form of `parseTree` that published ones stand for; those of that form stay as they are. */
export const readInlines = (nodes: PublishedNode[]): Nodes => nodes.flatMap(readInline);

function readInline(node: PublishedNode): Nodes {
  if (node.object === 'text') return readText(node);
  const [type, data] = [String(node.type), withAddresses((node.data ?? {}) as TreeData)];
  const code = type === 'emoji' ? textAt(data, 'code') : undefined;
  if (code !== undefined) return [emojiOf(code)];
  const label = type === 'button' ? textAt(data, 'label') : undefined;
  if (label !== undefined) {
    const { label: _, ...rest } = data;
    return [inline('button', rest, [textOf(label)])];
  }
  if (type === 'annotation' && node.fragments !== undefined) return [inline('annotation', { label: labelOf(node) })];
  return [{ object: 'inline', type, data, nodes: readInlines(nodesIn(node)), isVoid: node.isVoid === true }];
}

/** A line that ends within a published text is a hard break, but where nothing stands before or after it. */
function readText(node: PublishedNode): Nodes {
  const result: Nodes = [];
  const leaves = nodesIn(node, 'leaves') as unknown as Leaf[];
  let open: Leaf[] = [];
  const put = () => {
    if (open.length > 0) result.push({ object: 'text', leaves: open });
    open = [];
  };
  for (const [index, leaf] of leaves.entries()) {
    const marks = leaf.marks.map(readMark);
    const isCode = marks.some(({ type }) => type === 'code');
    const lines = isCode ? [leaf.text] : leaf.text.split(/\n+/);
    const isOuter = (index === 0 && lines[0] === '') || (index === leaves.length - 1 && lines.at(-1) === '');
    for (const [line, words] of (isOuter ? [leaf.text] : lines).entries()) {
      if (line > 0) put();
      if (line > 0) result.push(inline('hard-break', {}));
      if (words !== '') open.push({ ...leaf, text: words, marks });
    }
  }
  put();
  return result;
}

function readMark(mark: Mark): Mark {
  if (mark.type !== 'color' || mark.data === undefined) return mark;
  const data = Object.entries(mark.data).flatMap(([key, value]) =>
    value === 'default' ? [] : [[key, typeof value === 'string' ? value.replace(/^\$/, '') : value]],
  );
  return { ...mark, data: Object.fromEntries(data) as TreeData };
}

/** References to what has an address are written as that. */
export function withAddresses(data: TreeData): TreeData {
  const changed = ['ref', 'refDark'].filter((key) => {
    const kind = textAt(data[key], 'kind');
    return kind !== undefined && !['url', 'user', 'openapi'].includes(kind);
  });
  const addresses = changed.map((key) => [key, urlReference(addressOf(data[key]))]);
  return changed.length === 0 ? data : { ...data, ...(Object.fromEntries(addresses) as TreeData) };
}

function emojiOf(code: string): Inline | TextNode {
  const name = nameOf(code);
  return name === undefined ? textOf(charactersOf(code)) : inline('emoji', { name });
}

/** What marks the place of a note. */
export const labelOf = (annotation: PublishedNode): string => {
  const said = nodesIn(annotation)
    .flatMap((node) => nodesIn(node, 'leaves'))
    .map(({ text }) => String(text))
    .join('');
  return said.replace(/[^\w.+-]/g, '').slice(0, 100) || 'note';
};
