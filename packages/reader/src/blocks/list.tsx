import type { ComponentChildren } from 'preact';
import { classesOf, dataOf, nodesOf, type ShownNode } from '../document.ts';
import type { NodeComponent, PageDrawing } from '../drawing.ts';

export const UnorderedList: NodeComponent = ({ node, at }) => <ul>{at.blocks(nodesOf(node))}</ul>;

export const OrderedList: NodeComponent = ({ node, at }) => {
  const { start } = dataOf(node);
  return <ol {...(typeof start === 'number' ? { start } : {})}>{at.blocks(nodesOf(node))}</ol>;
};

export const TaskList: NodeComponent = ({ node, at }) => <ul class="tasks">{at.blocks(nodesOf(node))}</ul>;

/** Whether something is done, as a sign that is read out in the language of the site. */
export const Check = ({ at, isDone }: { at: PageDrawing; isDone: boolean }): ComponentChildren => (
  <span role="img" aria-label={isDone ? at.texts.done : at.texts.open} {...classesOf('check', isDone && 'done')} />
);

/** An item of one paragraph is as tight as it was written. */
const isLine = (nodes: ShownNode[]): boolean => nodes[0]?.type === 'paragraph';

export const ListItem: NodeComponent = ({ node, at }) => {
  const { checked } = dataOf(node);
  const nodes = nodesOf(node);
  const [first, ...rest] = nodes;
  const inside =
    first !== undefined && isLine(nodes) ? [at.inlines(nodesOf(first)), at.blocks(rest)] : at.blocks(nodes);
  if (typeof checked !== 'boolean') return <li>{inside}</li>;
  return (
    <li>
      <Check at={at} isDone={checked} />
      <div>{inside}</div>
    </li>
  );
};
