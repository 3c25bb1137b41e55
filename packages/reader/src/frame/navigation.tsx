import type { ComponentChildren } from 'preact';
import type { PageDrawing } from '../drawing.ts';
import type { NavigationNode } from '../view.ts';
import { Anchor } from './anchor.tsx';
import { Sign } from './icon.tsx';

interface Props {
  at: PageDrawing;
  nodes: NavigationNode[];
}

function Entry({ node, at }: { node: NavigationNode; at: PageDrawing }): ComponentChildren {
  const label = (
    <Anchor at={at} to={node.to} isCurrent={node.isCurrent}>
      <Sign at={at} of={node} />
      <span>{node.title}</span>
      {node.method !== undefined && <small class={`method ${node.method}`}>{node.method}</small>}
    </Anchor>
  );
  if (node.kind === 'group')
    return (
      <li class="group">
        <p>{label}</p>
        {node.children.length > 0 && <Tree nodes={node.children} at={at} />}
      </li>
    );
  if (node.children.length === 0) return <li>{label}</li>;
  return (
    <li class="branch">
      {label}
      <details open={node.isOpen === true}>
        <summary>
          <span class="hidden">{`${at.texts.below} ${node.title}`}</span>
        </summary>
        <Tree nodes={node.children} at={at} />
      </details>
    </li>
  );
}

const Tree = ({ nodes, at }: Props): ComponentChildren => (
  <ul>
    {nodes.map((node) => (
      <Entry node={node} at={at} />
    ))}
  </ul>
);

/** The pages of the space as a tree. */
export const Navigation = ({ at }: { at: PageDrawing }): ComponentChildren => (
  <nav class="pages" aria-label={at.texts.pages}>
    <Tree nodes={at.view.navigation} at={at} />
  </nav>
);
