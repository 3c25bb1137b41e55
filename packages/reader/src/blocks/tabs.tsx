import { dataOf, nodesOf, type ShownNode, textOf } from '../document.ts';
import type { NodeComponent } from '../drawing.ts';
import { Icon } from '../frame/icon.tsx';

const titleOf = (item: ShownNode, index: number): string => textOf(dataOf(item), 'title') ?? String(index + 1);

/** Parts of which one is read: one below the other under their titles, and as tabs where scripts run. */
export const Tabs: NodeComponent = ({ node, at }) => (
  <tab-set class="tabs">
    {nodesOf(node).map((item, index) => (
      <section data-title={titleOf(item, index)}>
        <p class="tab-title">
          <Icon at={at} name={textOf(dataOf(item), 'icon')} />
          {titleOf(item, index)}
        </p>
        {at.blocks(nodesOf(item))}
      </section>
    ))}
  </tab-set>
);

/** Steps in their order. */
export const Stepper: NodeComponent = ({ node, at }) => (
  <ol class="stepper">
    {nodesOf(node).map((step) => (
      <li>{at.blocks(nodesOf(step))}</li>
    ))}
  </ol>
);
