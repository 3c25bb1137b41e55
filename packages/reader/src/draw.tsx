import type { ComponentChildren } from 'preact';
import { headingsOf, updateIdsOf } from './anchors.ts';
import { blocks } from './blocks/index.tsx';
import { nodesOf, type ShownNode } from './document.ts';
import type { NodeComponent, PageDrawing } from './drawing.ts';
import { inlines } from './inlines/index.tsx';
import { Text } from './inlines/text.tsx';
import { pageReferencesOf } from './reference/page-references.ts';
import { textsOf } from './texts/index.ts';
import { Sheet } from './theme/sheet.ts';
import type { PageView } from './view.ts';

const of = (components: Record<string, NodeComponent>, type: string | undefined): NodeComponent | undefined =>
  type !== undefined && Object.hasOwn(components, type) ? components[type] : undefined;

/** A drawing of one page. What is of no known kind is drawn by what it holds. */
export function drawingOf(view: PageView): PageDrawing {
  let named = 0;
  const references = pageReferencesOf(view);
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
    headings: headingsOf(
      view,
      [...references.blocks.values()].map(({ id }) => id),
    ),
    updates: updateIdsOf(view),
    references,
    texts: textsOf(locale),
    locale: locale as PageDrawing['locale'],
    blocks: (nodes) => nodes.filter(({ object }) => object === 'block').map(block),
    inlines: (nodes) => nodes.filter(({ object }) => object !== 'block').map(inline),
    id: (prefix) => {
      named += 1;
      return `~${prefix}-${named}`;
    },
  };
  return at;
}
