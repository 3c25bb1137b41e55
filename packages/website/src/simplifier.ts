import type { ResolveAddress } from './addresses.ts';
import type { Footnotes } from './footnotes.ts';
import type { HeadingIds } from './heading-anchors.ts';
import { type Element, element, type Parent, textNode } from './html-tree.ts';
import type { TabSets } from './tab-sets.ts';

export type Children = Element['children'];

/** What the text of a page becomes: elements without attributes that say how it looks, all addresses absolute. */
export interface Simplifier {
  /** The children of an element, simplified. */
  simplify(parent: Parent, context: Simplifier): Children;
  resolve: ResolveAddress;
  /** The heading that is the title, left out of the text. */
  heading: Element | undefined;
  /** The addresses of the images that were seen. */
  images: Set<string>;
  /** The elements that hold the one that is looked at, the nearest first. */
  holders: Element[];
  /** How much of the text was looked at. */
  count: { nodes: number };
  tabs: TabSets;
  footnotes: Footnotes;
  ids: HeadingIds;
}

export const within = (node: Element, context: Simplifier): Children =>
  context.simplify(node, { ...context, holders: [node, ...context.holders] });

/** Emphasis and links without the white space at their ends, which stands beside them. */
export function trimmed(tagName: string, children: Children, properties: Element['properties'] = {}): Children {
  const [first] = children;
  const last = children.at(-1);
  const before = first?.type === 'text' && /^\s/.test(first.value);
  const after = last?.type === 'text' && /\s$/.test(last.value);
  if (first?.type === 'text') first.value = first.value.trimStart();
  if (last?.type === 'text') last.value = last.value.trimEnd();
  const inside = children.filter((child) => child.type !== 'text' || child.value !== '');
  if (inside.length === 0) return before || after ? [textNode(' ')] : [];
  return [...(before ? [textNode(' ')] : []), element(tagName, inside, properties), ...(after ? [textNode(' ')] : [])];
}

/** Whether there is nothing to see. */
export const isBlank = (children: Children): boolean =>
  children.every((child) => child.type === 'text' && child.value.trim() === '');
