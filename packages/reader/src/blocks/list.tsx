import { dataOf, nodesOf } from '../document.ts';
import type { NodeComponent } from '../drawing.ts';

export const UnorderedList: NodeComponent = ({ node, at }) => <ul>{at.blocks(nodesOf(node))}</ul>;

export const OrderedList: NodeComponent = ({ node, at }) => {
  const { start } = dataOf(node);
  return <ol {...(typeof start === 'number' ? { start } : {})}>{at.blocks(nodesOf(node))}</ol>;
};

export const ListItem: NodeComponent = ({ node, at }) => <li>{at.blocks(nodesOf(node))}</li>;
