import { classesOf, dataOf, type NodeData, textOf } from '../document.ts';
import type { NodeComponent, PageDrawing } from '../drawing.ts';
import { Anchor } from '../frame/anchor.tsx';
import { Icon } from '../frame/icon.tsx';
import type { ShownAddress } from '../references.ts';

/** Where a button leads: to what it names, or for what it asks of the reader's site, to the search with its words. */
function targetOf(data: NodeData, { view }: PageDrawing): ShownAddress | undefined {
  const { action } = data;
  if (typeof action !== 'object' || action === null) return view.resolve(data.ref)?.to;
  const { action: kind, query } = action as { action?: unknown; query?: unknown };
  if (kind !== 'search' && kind !== 'ask') return undefined;
  return `~/search${typeof query === 'string' && query !== '' ? `?q=${encodeURIComponent(query)}` : ''}`;
}

const sizes = new Set(['small', 'large']);

export const Button: NodeComponent = ({ node, at }) => {
  const data = dataOf(node);
  const size = sizes.has(String(data.size)) && String(data.size);
  const kind = data.kind === 'secondary' ? 'button-secondary' : 'button-primary';
  return (
    <Anchor at={at} to={targetOf(data, at)} {...classesOf(kind, size)}>
      <Icon at={at} name={textOf(data, 'icon')} />
      {textOf(data, 'label') ?? ''}
    </Anchor>
  );
};
