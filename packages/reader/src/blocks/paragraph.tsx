import { nodesOf } from '../document.ts';
import type { NodeComponent } from '../drawing.ts';

export const Paragraph: NodeComponent = ({ node, at }) => <p>{at.inlines(nodesOf(node))}</p>;
