import { useEffect, useRef, useState } from 'preact/hooks';
import { type DropPart, findDropTarget, isGenerated, type MoveTarget } from './page-moves.ts';
import { rowHeight, type SpacePages, type TreeRow } from './tree-rows.ts';
import type { PageMoves } from './use-page-moves.ts';

/** A collapsed page is expanded after the pointer has rested on it while dragging. */
const expandMilliseconds = 700;

/** The row under the dragged page, with the position that the page would get. */
export interface TreeDrop {
  index: number;
  part: DropPart;
  target: MoveTarget;
}

interface DragOptions {
  tree: { current: HTMLElement | null };
  rows: TreeRow[];
  pages: SpacePages;
  move: PageMoves['move'];
  toggle: (id: string) => void;
}

/** Returns where a dragged page would be at a height below the top of the tree. */
function findDrop({ pages, rows }: DragOptions, dragged: TreeRow, y: number): TreeDrop | undefined {
  const index = Math.max(0, Math.min(Math.floor(y / rowHeight), rows.length - 1));
  const row = rows[index];
  if (row === undefined) return undefined;
  // Below the last row is the end of the top level.
  if (y >= rows.length * rowHeight) {
    const last = pages.roots.at(-1);
    const end = { into: null, after: last?.id };
    return last?.id === dragged.page.id ? undefined : { index, part: 'after', target: end };
  }
  const fraction = y / rowHeight - index;
  const edge: DropPart = fraction < 0.5 ? 'before' : 'after';
  const parts: DropPart[] = fraction > 0.25 && fraction < 0.75 ? ['inside', edge] : [edge];
  for (const part of parts) {
    const target = findDropTarget(pages, dragged.page, row, part);
    if (target !== undefined) return { index, part, target };
  }
  return undefined;
}

const isSameDrop = (one: TreeDrop | undefined, other: TreeDrop | undefined): boolean =>
  one?.index === other?.index && one?.part === other?.part;

/** Expands a collapsed page on which the pointer rests while dragging. */
function useExpandOnRest({ rows, toggle }: DragOptions, drop: TreeDrop | undefined): void {
  const row = drop?.part === 'inside' ? rows[drop.index] : undefined;
  const id = row?.isExpandable === true && !row.isExpanded ? row.page.id : undefined;
  useEffect(() => {
    if (id === undefined) return;
    const timer = setTimeout(() => toggle(id), expandMilliseconds);
    return () => clearTimeout(timer);
  }, [id]);
}

/** Moves pages by dragging their rows. `handlers` are the event handlers of the tree. */
export function useTreeDrag(options: DragOptions) {
  const { tree, rows, move } = options;
  const [dragged, setDragged] = useState<string>();
  const [drop, setDrop] = useState<TreeDrop>();
  const latest = useRef(drop);
  latest.current = drop;
  useExpandOnRest(options, drop);
  const draggedIndex = dragged === undefined ? -1 : rows.findIndex(({ page }) => page.id === dragged);
  const row = rows[draggedIndex];
  const end = (): void => {
    setDragged(undefined);
    setDrop(undefined);
  };
  const handlers = {
    onDragStart: (event: DragEvent): void => {
      const item = event.target instanceof Element ? event.target.closest<HTMLElement>('[data-index]') : null;
      const started = rows[Number(item?.dataset.index)];
      if (started === undefined || isGenerated(started.page)) {
        event.preventDefault();
        return;
      }
      if (event.dataTransfer !== null) event.dataTransfer.effectAllowed = 'move';
      event.dataTransfer?.setData('text/plain', started.page.title);
      setDragged(started.page.id);
    },
    onDragOver: (event: DragEvent): void => {
      if (row === undefined || tree.current === null) return;
      const next = findDrop(options, row, event.clientY - tree.current.getBoundingClientRect().top);
      if (!isSameDrop(next, latest.current)) setDrop(next);
      // Browsers allow a drop only if the event is canceled.
      if (next !== undefined) event.preventDefault();
    },
    onDragLeave: ({ relatedTarget }: DragEvent): void => {
      if (!(relatedTarget instanceof Node && tree.current?.contains(relatedTarget))) setDrop(undefined);
    },
    onDrop: (event: DragEvent): void => {
      event.preventDefault();
      if (row !== undefined && drop !== undefined) move(row.page, drop.target);
      end();
    },
    onDragEnd: end,
  };
  return { draggedIndex, drop, handlers };
}
