import { getTokens } from '@octavo/highlight';
import { renderToString } from 'preact-render-to-string';
import { blocks } from './blocks/blocks.tsx';
import { columnTypes } from './blocks/table.tsx';
import type { DrawingLibraries, RenderContext, RenderedDocument } from './context.ts';
import type { PageNode } from './document.ts';
import { getData, getNodes, getText, toPlainText } from './document.ts';
import { createDrawingContext } from './drawing-context.tsx';
import { inlines, markTypes } from './inlines.tsx';
import { toMathMl } from './math.ts';
import { readPageReferences } from './reference/parts.ts';
import { getPartHeadings, Reference } from './reference/reference.tsx';
import type { PageView } from './view.ts';

const libraries: DrawingLibraries = {
  highlight: getTokens,
  toMathMl,
  Reference,
  readReferences: readPageReferences,
  getPartHeadings,
};

/** Creates the context for rendering one page with all libraries. */
export const createRenderContext = (view: PageView, document?: RenderedDocument): RenderContext =>
  createDrawingContext(view, libraries, document);

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
