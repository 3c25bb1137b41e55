import type { ComponentChildren } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { collectHeadings, getUpdateIds } from './anchors.ts';
import { blocks } from './blocks/blocks.tsx';
import { columnTypes } from './blocks/table.tsx';
import type { NodeComponent, RenderContext } from './context.ts';
import type { PageNode } from './document.ts';
import { getData, getNodes, getText, toPlainText } from './document.ts';
import { Anchors } from './elements.tsx';
import { inlines, markTypes, Text } from './inlines.tsx';
import { readPageReferences } from './reference/parts.ts';
import { getInterfaceTexts } from './texts/index.ts';
import { StyleSheetBuilder } from './theme/styles.ts';
import type { PageView } from './view.ts';

const getTypes = (components: Record<string, NodeComponent>, type: string | undefined): NodeComponent | undefined =>
  type !== undefined && Object.hasOwn(components, type) ? components[type] : undefined;

/** Returns a function that makes names unique: it adds a number to a name that is taken. */
function createUniqueNames(others: Iterable<string>): (name: string) => string {
  const takenNames = new Set(others);
  const counts = new Map<string, number>();
  return (baseName) => {
    let [name, count] = [baseName, counts.get(baseName) ?? 1];
    while (takenNames.has(name)) {
      count += 1;
      name = `${baseName}-${count}`;
    }
    counts.set(baseName, count);
    takenNames.add(name);
    return name;
  };
}

/** Whether the component of a block draws its additional anchors, which are otherwise drawn before the block. */
const drawsOwnAnchors = ({ type = '' }: PageNode): boolean => type === 'expandable' || type.startsWith('heading-');

/** Creates the context for rendering one page. For a node of an unknown type, only its content is rendered. */
export function createRenderContext(view: PageView): RenderContext {
  const references = readPageReferences(view);
  const headings = collectHeadings(
    view,
    [...references.blocks.values()].map(({ id }) => id),
  );
  const updates = getUpdateIds(view);
  let nameCount = 0;
  let images = 0;
  const { locale } = view.site.customization.internationalization;
  const renderBlock = (node: PageNode): ComponentChildren => {
    const Component = getTypes(blocks, node.type);
    const drawn =
      Component === undefined ? context.blocks(getNodes(node)) : <Component node={node} context={context} />;
    const ids = drawsOwnAnchors(node) ? [] : (headings.aliases.get(node) ?? []);
    return ids.length === 0 ? drawn : [<Anchors ids={ids} />, drawn];
  };
  const inline = (node: PageNode): ComponentChildren => {
    if (node.object === 'text') return <Text node={node} />;
    const Component = getTypes(inlines, node.type);
    return Component === undefined ? context.inlines(getNodes(node)) : <Component node={node} context={context} />;
  };
  const context: RenderContext = {
    view,
    sheet: new StyleSheetBuilder(),
    frames: new Set(),
    headings,
    updates,
    references,
    texts: getInterfaceTexts(locale),
    locale: locale as RenderContext['locale'],
    blocks: (nodes) => nodes.filter(({ object }) => object === 'block').map(renderBlock),
    inlines: (nodes) => nodes.filter(({ object }) => object !== 'block').map(inline),
    anchor: createUniqueNames([...headings.ids, ...updates.values()]),
    loading: () => {
      images += 1;
      return images === 1 ? 'eager' : 'lazy';
    },
    id: (prefix) => {
      nameCount += 1;
      return `~${prefix}-${nameCount}`;
    },
  };
  return context;
}

/** The types of blocks, inlines, marks and columns that can be drawn. */
export const renderedTypes: Record<'block' | 'inline' | 'mark' | 'column', string[]> = {
  block: Object.keys(blocks),
  inline: Object.keys(inlines),
  mark: markTypes,
  column: columnTypes,
};

/** An entry of a page's changelog. */
interface PageUpdate {
  /** Its anchor in the page. */
  id: string;
  title: string;
  /** A date with or without a time, as it is written in the document. */
  date: string;
  /** Content with absolute URLs. */
  html: string;
}

const getUpdateTitle = (nodes: PageNode[]): string =>
  toPlainText(getNodes(nodes.find(({ type }) => type?.startsWith('heading-')) ?? { object: 'block' })).trim();

/** Renders the updates of a page, in page order. */
export function renderUpdates(view: PageView): PageUpdate[] {
  const context = createRenderContext({ ...view, relativeRoot: view.site.url });
  return [...context.updates].map(([node, id]) => {
    const date = getText(getData(node), 'date') ?? '';
    const html = renderToString(<>{context.blocks(getNodes(node))}</>);
    return { id, date, html, title: getUpdateTitle(getNodes(node)) || date.replace(/T.*$/, '') };
  });
}
