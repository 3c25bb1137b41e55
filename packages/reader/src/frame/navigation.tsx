import type { VNode } from 'preact';
import type { PageDrawing } from '../drawing.ts';
import type { NavigationNode } from '../view.ts';
import { Anchor } from './anchor.tsx';

const Entry = ({ node, at }: { node: NavigationNode; at: PageDrawing }): VNode => (
  <li>
    <Anchor at={at} to={node.to} isCurrent={node.isCurrent}>
      {node.title}
    </Anchor>
    {node.children.length > 0 && <Tree nodes={node.children} at={at} />}
  </li>
);

const Tree = ({ nodes, at }: { nodes: NavigationNode[]; at: PageDrawing }): VNode => (
  <ul>
    {nodes.map((node) => (
      <Entry node={node} at={at} />
    ))}
  </ul>
);

/** The pages of the space as a tree, in which the one that is read is marked. */
export const Navigation = ({ at }: { at: PageDrawing }): VNode => (
  <nav aria-label="Pages">
    <Tree nodes={at.view.navigation} at={at} />
  </nav>
);
