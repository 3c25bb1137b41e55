import type { ComponentChildren } from 'preact';
import { headingsOf, updateIdsOf } from './anchors.ts';
import { blocks } from './blocks/index.tsx';
import { columnTypes } from './blocks/table-values.tsx';
import { nodesOf, type ShownNode } from './document.ts';
import type { NodeComponent, PageDrawing } from './drawing.ts';
import { inlines } from './inlines/index.tsx';
import { markTypes, Text } from './inlines/text.tsx';
import { pageReferencesOf } from './reference/page-references.ts';
import { textsOf } from './texts/index.ts';
import { Sheet } from './theme/sheet.ts';
import type { PageView } from './view.ts';

const of = (components: Record<string, NodeComponent>, type: string | undefined): NodeComponent | undefined =>
  type !== undefined && Object.hasOwn(components, type) ? components[type] : undefined;

/** Gives names that are not among these, and each once: the one that is wanted, else it with a number behind. */
function namesBeside(others: Iterable<string>): (wanted: string) => string {
  const taken = new Set(others);
  const counts = new Map<string, number>();
  return (wanted) => {
    let [name, count] = [wanted, counts.get(wanted) ?? 1];
    while (taken.has(name)) {
      count += 1;
      name = `${wanted}-${count}`;
    }
    counts.set(wanted, count);
    taken.add(name);
    return name;
  };
}

/** A drawing of one page. What is of no known kind is drawn by what it holds. */
export function drawingOf(view: PageView): PageDrawing {
  const references = pageReferencesOf(view);
  const headings = headingsOf(
    view,
    [...references.blocks.values()].map(({ id }) => id),
  );
  const updates = updateIdsOf(view);
  let named = 0;
  let images = 0;
  const { locale } = view.site.look.internationalization;
  const block = (node: ShownNode): ComponentChildren => {
    const Component = of(blocks, node.type);
    return Component === undefined ? at.blocks(nodesOf(node)) : <Component node={node} at={at} />;
  };
  const inline = (node: ShownNode): ComponentChildren => {
    if (node.object === 'text') return <Text node={node} />;
    const Component = of(inlines, node.type);
    return Component === undefined ? at.inlines(nodesOf(node)) : <Component node={node} at={at} />;
  };
  const at: PageDrawing = {
    view,
    sheet: new Sheet(),
    frames: new Set(),
    headings,
    updates,
    references,
    texts: textsOf(locale),
    locale: locale as PageDrawing['locale'],
    blocks: (nodes) => nodes.filter(({ object }) => object === 'block').map(block),
    inlines: (nodes) => nodes.filter(({ object }) => object !== 'block').map(inline),
    anchor: namesBeside([...headings.ids, ...updates.values()]),
    loading: () => {
      images += 1;
      return images === 1 ? 'eager' : 'lazy';
    },
    id: (prefix) => {
      named += 1;
      return `~${prefix}-${named}`;
    },
  };
  return at;
}

/** The types of what documents are made of that have a component. */
export const drawnTypes: Record<'block' | 'inline' | 'mark' | 'column', string[]> = {
  block: Object.keys(blocks),
  inline: Object.keys(inlines),
  mark: markTypes,
  column: columnTypes,
};
