import { fromHtml } from 'hast-util-from-html';

type Root = ReturnType<typeof fromHtml>;
type Node = Root | Root['children'][number];
export type Element = Extract<Node, { type: 'element' }>;

/** Parses a page like browsers do. */
export const parse = (html: string): Root => fromHtml(html);

/** Returns all elements below a node, in document order. */
export function getElements(node: Node): Element[] {
  const inside = 'children' in node ? node.children.flatMap(getElements) : [];
  return node.type === 'element' ? [node, ...inside] : inside;
}

export function getText(node: Node): string {
  if (node.type === 'text') return node.value;
  return 'children' in node ? node.children.map(getText).join('') : '';
}
