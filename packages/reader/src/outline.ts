import type { OutlineHeading } from './anchors.ts';
import { getAnchor } from './anchors.ts';
import type { RenderContext } from './context.ts';
import type { PageNode } from './document.ts';
import { getNodes, toPlainText } from './document.ts';

/** Returns the headings of blocks for the outline of the page. */
export function findOutlineEntries(nodes: PageNode[], context: RenderContext): OutlineHeading[] {
  return nodes.flatMap((node): OutlineHeading[] => {
    const [id, level] = [getAnchor(node), /^heading-([123])$/.exec(node.type ?? '')?.[1]];
    if (level !== undefined)
      return id === undefined ? [] : [{ id, level: Number(level), text: toPlainText(getNodes(node)) }];
    if (context.references.blocks.has(node)) return context.libraries.getPartHeadings(node, context);
    return ['stepper', 'stepper-step', 'columns', 'column'].includes(node.type ?? '')
      ? findOutlineEntries(getNodes(node), context)
      : [];
  });
}
