import { slugify } from '@octavo/markdown';
import { classesOf, dataOf, nodesOf, type ShownNode, textOf } from '../document.ts';
import type { NodeComponent } from '../drawing.ts';
import { Icon } from '../frame/icon.tsx';

const titleOf = (item: ShownNode, index: number): string => textOf(dataOf(item), 'title') ?? String(index + 1);

/** What the address of a page names a part by, where that is to be seen. */
const nameOf = (item: ShownNode, index: number): string =>
  `tab-${slugify(textOf(dataOf(item), 'slug') ?? titleOf(item, index)) || index + 1}`;

/** Parts of which one is read: one below the other under their titles, and as tabs where scripts run. */
export const Tabs: NodeComponent = ({ node, at }) => (
  <tab-set {...classesOf('tabs', dataOf(node).fullWidth === true && 'full')}>
    {nodesOf(node).map((item, index) => (
      <section id={at.anchor(nameOf(item, index))} data-title={titleOf(item, index)}>
        <p class="tab-title">
          <Icon at={at} name={textOf(dataOf(item), 'icon')} />
          {titleOf(item, index)}
        </p>
        {at.blocks(nodesOf(item))}
      </section>
    ))}
  </tab-set>
);

/** Steps in their order, each with its number or a sign of its own. */
export const Stepper: NodeComponent = ({ node, at }) => (
  <ol class="stepper">
    {nodesOf(node).map((step) => {
      const icon = <Icon at={at} name={textOf(dataOf(step), 'icon')} />;
      return (
        <li {...classesOf(textOf(dataOf(step), 'icon') !== undefined && 'signed')}>
          {icon}
          {at.blocks(nodesOf(step))}
        </li>
      );
    })}
  </ol>
);
