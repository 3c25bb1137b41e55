import { dataOf, fragmentOf, nodesOf, plainText } from '../document.ts';
import type { NodeComponent } from '../drawing.ts';

/** What opens when its title is chosen. */
export const Expandable: NodeComponent = ({ node, at }) => {
  const title = fragmentOf(node, 'expandable-title').flatMap(nodesOf);
  return (
    <details class="expandable" open={dataOf(node).defaultExpanded === true}>
      <summary>{plainText(title).trim() === '' ? '…' : at.inlines(title)}</summary>
      <div>{at.blocks(fragmentOf(node, 'expandable-body'))}</div>
    </details>
  );
};
