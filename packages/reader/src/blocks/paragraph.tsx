import { classesOf, dataOf, nodesOf, type ShownNode } from '../document.ts';
import type { NodeComponent } from '../drawing.ts';

/** The class of the side that a text is set to, where that is not the usual one. */
export const alignmentOf = (node: ShownNode): { class?: string } => {
  const { align } = dataOf(node);
  return classesOf((align === 'center' || align === 'end') && `to-${align}`);
};

export const Paragraph: NodeComponent = ({ node, at }) => <p {...alignmentOf(node)}>{at.inlines(nodesOf(node))}</p>;
