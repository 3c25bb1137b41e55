import { renderToString } from 'preact-render-to-string';
import { dataOf, nodesOf, plainText, type ShownNode, textOf } from './document.ts';
import { drawingOf } from './draw.tsx';
import type { PageView } from './view.ts';

/** A change that a page tells of. */
export interface ShownUpdate {
  /** Its place in the page. */
  id: string;
  title: string;
  /** As it was written: a day, or a moment. */
  date: string;
  /** What it says, with whole addresses. */
  html: string;
}

const titleOf = (nodes: ShownNode[]): string =>
  plainText(nodesOf(nodes.find(({ type }) => type?.startsWith('heading-')) ?? { object: 'block' })).trim();

/** The updates of a page, in its order. */
export function renderUpdates(view: PageView): ShownUpdate[] {
  const at = drawingOf({ ...view, up: view.site.url });
  return [...at.updates].map(([node, id]) => {
    const date = textOf(dataOf(node), 'date') ?? '';
    const html = renderToString(<>{at.blocks(nodesOf(node))}</>);
    return { id, date, html, title: titleOf(nodesOf(node)) || date.replace(/T.*$/, '') };
  });
}
