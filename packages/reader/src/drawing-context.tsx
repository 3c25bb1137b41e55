import type { ComponentChildren } from 'preact';
import { collectHeadings, getUpdateIds, type PageHeadings } from './anchors.ts';
import { blocks } from './blocks/blocks.tsx';
import type { DrawingLibraries, NodeComponent, RenderContext, RenderedDocument } from './context.ts';
import type { PageNode } from './document.ts';
import { getNodes } from './document.ts';
import { Anchors } from './elements.tsx';
import { inlines, Text } from './inlines.tsx';
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

const emptyDocument: RenderedDocument = {
  ...{ html: '', summary: '', outline: [], titleIds: [], styles: [], frames: [] },
  ...{ hasUpdates: false, hasReference: false },
};

/** The frame needs no headings: its document contains their ids. */
const noHeadings: PageHeadings = { title: [], aliases: new Map(), ids: new Set(), first: 1 };

/**
 * Creates the context for drawing one page, or only the frame around a rendered document. For a node of an unknown
 * type, only its content is drawn.
 */
export function createDrawingContext(
  view: PageView,
  libraries: DrawingLibraries,
  rendered?: RenderedDocument,
): RenderContext {
  const document = rendered ?? emptyDocument;
  const references = libraries.readReferences(view);
  const ids = [...references.blocks.values()].map(({ id }) => id);
  const headings = rendered === undefined ? collectHeadings(view, ids) : noHeadings;
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
    ...{ view, libraries },
    sheet: new StyleSheetBuilder(document.styles),
    frames: new Set(document.frames),
    document,
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
