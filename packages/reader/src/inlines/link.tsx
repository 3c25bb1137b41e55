import { dataOf, nodesOf } from '../document.ts';
import { hrefOf, type NodeComponent, targetOf } from '../drawing.ts';

/** What leads nowhere for this visitor keeps its words. */
export const Link: NodeComponent = ({ node, at }) => {
  const inside = at.inlines(nodesOf(node));
  const href = hrefOf(at.view, at.view.resolve(dataOf(node).ref)?.to);
  if (href === undefined) return inside;
  return (
    <a href={href} {...targetOf(at.view, href)}>
      {inside}
    </a>
  );
};
