import type { ResolveAddress } from './addresses.ts';
import type { Footnotes } from './footnotes.ts';
import type { HeadingIds } from './heading-anchors.ts';
import { createElement, createTextNode, type Element, type Parent } from './html-tree.ts';
import type { TabSets } from './tab-sets.ts';

export type Children = Element['children'];

/**
 * The context for simplifying a page's text. The result has no presentational attributes, and all its addresses are
 * absolute.
 */
export interface Simplifier {
  /** Simplifies the children of an element. */
  simplify(parent: Parent, context: Simplifier): Children;
  resolve: ResolveAddress;
  /** The heading that is the title. It is removed from the text. */
  heading: Element | undefined;
  /** The addresses of the images found so far. */
  images: Set<string>;
  /** The ancestors of the current element, nearest first. */
  holders: Element[];
  /** The number of nodes visited. */
  count: { nodes: number };
  tabs: TabSets;
  footnotes: Footnotes;
  ids: HeadingIds;
}

export const simplifyChildren = (node: Element, context: Simplifier): Children =>
  context.simplify(node, { ...context, holders: [node, ...context.holders] });

/** Moves the white space at the ends of emphasis or links outside of the element. */
export function createTrimmedElement(
  tagName: string,
  children: Children,
  properties: Element['properties'] = {},
): Children {
  const [first] = children;
  const last = children.at(-1);
  const before = first?.type === 'text' && /^\s/.test(first.value);
  const after = last?.type === 'text' && /\s$/.test(last.value);
  if (first?.type === 'text') first.value = first.value.trimStart();
  if (last?.type === 'text') last.value = last.value.trimEnd();
  const inside = children.filter((child) => child.type !== 'text' || child.value !== '');
  if (inside.length === 0) return before || after ? [createTextNode(' ')] : [];
  return [
    ...(before ? [createTextNode(' ')] : []),
    createElement(tagName, inside, properties),
    ...(after ? [createTextNode(' ')] : []),
  ];
}

/** Whether there is nothing visible. */
export const isBlank = (children: Children): boolean =>
  children.every((child) => child.type === 'text' && child.value.trim() === '');
