import type { ComponentChildren } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { headingsOf, updateIdsOf } from './anchors.ts';
import { blocks } from './blocks/blocks.tsx';
import { columnTypes } from './blocks/table.tsx';
import type { ShownNode } from './document.ts';
import { dataOf, nodesOf, plainText, textOf } from './document.ts';
import type { NodeComponent, PageDrawing } from './drawing.ts';
import { inlines, markTypes, Text } from './inlines.tsx';
import { pageReferencesOf } from './reference/parts.ts';
import { textsOf } from './texts/index.ts';
import { Sheet } from './theme/styles.ts';
import type { PageView } from './view.ts';

const of = (components: Record<string, NodeComponent>, type: string | undefined): NodeComponent | undefined =>
  type !== undefined && Object.hasOwn(components, type) ? components[type] : undefined;

/** Returns a function that makes names unique: it adds a number to a name that is taken. */
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

/** Prepares the drawing of one page. For an unknown type only its content is drawn. */
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

/** The types of blocks, inlines, marks and columns that can be drawn. */
export const drawnTypes: Record<'block' | 'inline' | 'mark' | 'column', string[]> = {
  block: Object.keys(blocks),
  inline: Object.keys(inlines),
  mark: markTypes,
  column: columnTypes,
};

/** An entry of a page's changelog. */
interface ShownUpdate {
  /** Its anchor in the page. */
  id: string;
  title: string;
  /** As written in the document: a date or a date with time. */
  date: string;
  /** Content with absolute URLs. */
  html: string;
}

const titleOf = (nodes: ShownNode[]): string =>
  plainText(nodesOf(nodes.find(({ type }) => type?.startsWith('heading-')) ?? { object: 'block' })).trim();

/** Renders the updates of a page, in page order. */
export function renderUpdates(view: PageView): ShownUpdate[] {
  const at = drawingOf({ ...view, up: view.site.url });
  return [...at.updates].map(([node, id]) => {
    const date = textOf(dataOf(node), 'date') ?? '';
    const html = renderToString(<>{at.blocks(nodesOf(node))}</>);
    return { id, date, html, title: titleOf(nodesOf(node)) || date.replace(/T.*$/, '') };
  });
}
