import { toEmoji, toSafeAddress } from '@octavo/reader/drawing';
import type { Page } from '@octavo/schema';
import type { VNode } from 'preact';
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { navigate } from '../router.ts';
import { UiIcon } from '../ui/icon.tsx';
import { findStepTarget, isGenerated, type MoveTarget } from './page-moves.ts';
import { type TreeDrop, useTreeDrag } from './tree-drag.ts';
import { getMoveStep, type OpenedTreeMenu, TreeMenu } from './tree-menu.tsx';
import { handleTreeKey, listRows, rowHeight, type SpacePages, type TreeRow } from './tree-rows.ts';
import type { PageMoves } from './use-page-moves.ts';
import { getAncestors } from './use-pages.ts';

interface PageTreeProps {
  pages: SpacePages;
  /** The id of the shown page. */
  current: string | undefined;
  /** Returns the address of a page in the app. */
  getAddress: (page: string) => string;
  space: string;
  /** The change request that the tree shows; undefined for the live content. */
  changeRequest: string | undefined;
  /** Moves a page. It is undefined for users who cannot edit the space. */
  move: PageMoves['move'] | undefined;
}

/** The number of rows that are drawn above and below the visible ones. */
const margin = 15;

/** Returns the range of rows in or near the visible part of a scrolled element. */
function useVisibleRange(element: { current: HTMLElement | null }, count: number): [first: number, end: number] {
  const [range, setRange] = useState<[number, number]>([0, 80]);
  useLayoutEffect(() => {
    const { current } = element;
    const parent = current?.parentElement;
    if (current == null || parent == null) return;
    const update = (): void => {
      const top = parent.scrollTop - current.offsetTop;
      const first = Math.max(0, Math.floor(top / rowHeight) - margin);
      const end = Math.ceil((top + parent.clientHeight) / rowHeight) + margin;
      setRange((former) => (former[0] === first && former[1] === end ? former : [first, end]));
    };
    update();
    parent.addEventListener('scroll', update, { passive: true });
    const observer = new ResizeObserver(update);
    observer.observe(parent);
    return () => {
      parent.removeEventListener('scroll', update);
      observer.disconnect();
    };
  }, [element]);
  return [Math.min(range[0], count), Math.min(range[1], count)];
}

/** The expanded pages. The ancestors of the shown page are expanded when another page is shown. */
function useExpanded(pages: SpacePages, current: string | undefined) {
  const [expanded, setExpanded] = useState<ReadonlySet<string>>(new Set());
  const isListed = current !== undefined && pages.byId.has(current);
  useEffect(() => {
    if (!isListed) return;
    const ids = [current, ...getAncestors(pages, current).map(({ id }) => id)];
    setExpanded((former) => new Set([...former, ...ids]));
  }, [current, isListed]);
  const expand = (id: string | null): void => {
    if (id !== null) setExpanded((former) => (former.has(id) ? former : new Set([...former, id])));
  };
  const toggle = useCallback(
    (id: string) =>
      setExpanded((former) => {
        const next = new Set(former);
        if (!next.delete(id)) next.add(id);
        return next;
      }),
    [],
  );
  return { expanded, expand, toggle };
}

/** Scrolls a row into the visible part of the tree. */
function showRow(tree: HTMLElement | null, index: number): void {
  const parent = tree?.parentElement;
  if (tree == null || parent == null) return;
  const top = tree.offsetTop + index * rowHeight;
  if (top < parent.scrollTop) parent.scrollTop = top - rowHeight;
  else if (top + rowHeight > parent.scrollTop + parent.clientHeight)
    parent.scrollTop = top + 2 * rowHeight - parent.clientHeight;
}

interface ActiveRowOptions {
  tree: { current: HTMLElement | null };
  rows: TreeRow[];
  current: string | undefined;
  toggle: (id: string) => void;
  /** Handles a key that is pressed together with Alt. Returns whether it moves the page. */
  moveByKey: (page: Page, key: string) => boolean;
}

/** The row that the tab key reaches, and the keys that move it. */
function useActiveRow({ tree, rows, current, toggle, moveByKey }: ActiveRowOptions) {
  const [active, setActive] = useState<string>();
  const activeIndex = Math.max(
    0,
    rows.findIndex(({ page }) => page.id === (active ?? current)),
  );
  const currentIndex = rows.findIndex(({ page }) => page.id === current);
  const isShown = currentIndex >= 0;
  useEffect(() => {
    if (isShown) showRow(tree.current, currentIndex);
  }, [current, isShown]);
  const isFocusMoved = useRef(false);
  // Focus the row before the browser paints: the row that had the focus may have been removed.
  useLayoutEffect(() => {
    if (!isFocusMoved.current) return;
    isFocusMoved.current = false;
    tree.current?.querySelector<HTMLElement>(`[data-index="${activeIndex}"]`)?.focus({ preventScroll: true });
  });
  const focusRow = (index: number): void => {
    if (index === activeIndex) return;
    setActive(rows[index]?.page.id);
    showRow(tree.current, index);
    isFocusMoved.current = true;
  };
  const handleKey = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey) return;
    const page = rows[activeIndex]?.page;
    if (event.altKey && page !== undefined && moveByKey(page, event.key)) {
      setActive(page.id);
      isFocusMoved.current = true;
      event.preventDefault();
      return;
    }
    const action = event.altKey ? undefined : handleTreeKey(rows, activeIndex, event.key);
    if (action === undefined) return;
    event.preventDefault();
    if ('focus' in action) focusRow(action.focus);
    else toggle(action.toggle);
  };
  return { activeIndex, setActive, handleKey };
}

/** Opens the menu of a page at the pointer, or below its row if the menu is opened by keyboard. */
function findMenuPosition(event: MouseEvent, rows: TreeRow[]): OpenedTreeMenu | undefined {
  const item = event.target instanceof Element ? event.target.closest<HTMLElement>('[data-index]') : null;
  const row = rows[Number(item?.dataset.index)];
  if (item === null || row === undefined || isGenerated(row.page)) return undefined;
  const { left, bottom } = item.getBoundingClientRect();
  const isByPointer = event.clientX !== 0 || event.clientY !== 0;
  return { page: row.page, x: isByPointer ? event.clientX : left + rowHeight, y: isByPointer ? event.clientY : bottom };
}

/** Moves pages by keys, and shows their new position. */
function useTreeMoves({ pages, move }: PageTreeProps, expand: (id: string | null) => void) {
  const moveTo = (page: Page, target: MoveTarget): void => {
    expand(target.into);
    move?.(page, target);
  };
  const moveByKey = (page: Page, key: string): boolean => {
    const step = getMoveStep(key);
    if (step === undefined || move === undefined) return false;
    const target = isGenerated(page) ? undefined : findStepTarget(pages, page, step);
    if (target !== undefined) moveTo(page, target);
    return true;
  };
  return { moveTo, moveByKey };
}

/** The open menu, with the functions that open and close it. */
function useTreeMenu(rows: TreeRow[]) {
  const [menu, setMenu] = useState<OpenedTreeMenu>();
  const openMenu = (event: MouseEvent): void => {
    const opened = findMenuPosition(event, rows);
    if (opened === undefined) return;
    event.preventDefault();
    setMenu(opened);
  };
  return { menu, openMenu, closeMenu: () => setMenu(undefined) };
}

/** Returns the rows that are drawn: those near the visible ones, and some that must stay in the document. */
function listDrawn(rows: TreeRow[], [first, end]: [number, number], ...kept: number[]): [number, TreeRow][] {
  const visible = Array.from({ length: end - first }, (_, offset) => first + offset);
  // The order must not change with the focus: browsers drop clicks on elements that are moved meanwhile.
  return [...new Set([...kept, ...visible])]
    .sort((a, b) => a - b)
    .flatMap((index): [number, TreeRow][] => (rows[index] === undefined ? [] : [[index, rows[index]]]));
}

/**
 * The pages of a space as a tree. Only the rows near the visible ones are in the document. Rows are moved by dragging,
 * by keys and by a menu.
 */
export function PageTree(props: PageTreeProps): VNode {
  const { pages, current, getAddress, space, changeRequest, move } = props;
  const tree = useRef<HTMLDivElement>(null);
  const { expanded, expand, toggle } = useExpanded(pages, current);
  const rows = useMemo(() => listRows(pages.roots, expanded), [pages, expanded]);
  const range = useVisibleRange(tree, rows.length);
  const { moveTo, moveByKey } = useTreeMoves(props, expand);
  const { activeIndex, setActive, handleKey } = useActiveRow({ tree, rows, current, toggle, moveByKey });
  const { draggedIndex, drop, handlers } = useTreeDrag({ tree, rows, pages, toggle, move: moveTo });
  const { menu, openMenu, closeMenu } = useTreeMenu(rows);
  return (
    <>
      <div
        class="page-tree"
        role="tree"
        aria-label="Pages"
        tabIndex={-1}
        ref={tree}
        style={{ height: `${(rows.length + 1) * rowHeight}px` }}
        onKeyDown={handleKey}
        {...(move === undefined ? {} : { ...handlers, onContextMenu: openMenu })}
      >
        {/* A row that is removed while it is dragged would end the dragging. */}
        {listDrawn(rows, range, activeIndex, draggedIndex).map(([index, row]) => (
          <TreeItem
            key={row.page.id}
            {...{ row, index, toggle }}
            isActive={index === activeIndex}
            isCurrent={row.page.id === current}
            isDragged={index === draggedIndex}
            isTarget={index === drop?.index && drop.part === 'inside'}
            href={getAddress(row.page.id)}
            activate={setActive}
            openMenu={move === undefined ? undefined : openMenu}
          />
        ))}
        {drop !== undefined && drop.part !== 'inside' && <DropLine drop={drop} row={rows[drop.index]} />}
      </div>
      {move !== undefined && (
        <TreeMenu {...{ space, changeRequest, pages }} opened={menu} move={moveTo} onClose={closeMenu} />
      )}
    </>
  );
}

const getIndent = (level: number): string => `${(level - 1) * 0.875 + 0.25}rem`;

/** The line between two rows at which a dragged page would be inserted. */
function DropLine({ drop, row }: { drop: TreeDrop; row: TreeRow | undefined }): VNode {
  const isInRow = row?.isExpanded === true && drop.part === 'after' && drop.target.into === row.page.id;
  const level = drop.target.into === null ? 1 : (row?.level ?? 1) + (isInRow ? 1 : 0);
  const top = (drop.index + (drop.part === 'after' ? 1 : 0)) * rowHeight;
  return <div class="tree-drop" style={{ top: `${top}px`, insetInlineStart: getIndent(level) }} />;
}

interface TreeItemProps {
  row: TreeRow;
  index: number;
  isActive: boolean;
  isCurrent: boolean;
  isDragged: boolean;
  /** Whether the dragged page would be inside this page. */
  isTarget: boolean;
  href: string;
  toggle: (id: string) => void;
  activate: (id: string) => void;
  openMenu: ((event: MouseEvent) => void) | undefined;
}

/** Opens a page with a text or a link; a group is only expanded. */
function openPage(page: Page, href: string, toggle: (id: string) => void): void {
  const target = page.type === 'link' ? toSafeAddress(page.href) : undefined;
  if (page.type === 'document') navigate(href.replace(/^\/app/, ''));
  else if (target !== undefined) window.open(target, '_blank', 'noopener');
  else toggle(page.id);
}

interface ItemContentProps {
  row: TreeRow;
  hasMenu: boolean;
}

/** Whether an event is in a part of a row. */
const isIn = ({ target }: Event, selector: string): boolean =>
  target instanceof Element && target.closest(selector) !== null;

/** The title of a page, with the buttons for the mouse. The keyboard expands pages and opens menus by keys. */
const ItemContent = ({ row: { page, isExpandable, isExpanded }, hasMenu }: ItemContentProps): VNode => (
  <>
    <span class="tree-toggle">{isExpandable && <UiIcon name={isExpanded ? 'chevron-down' : 'chevron-right'} />}</span>
    {page.emoji !== undefined && <span aria-hidden="true">{toEmoji(page.emoji)}</span>}
    <span class="grow">{page.title}</span>
    {page.type === 'link' && <UiIcon name="external" />}
    {hasMenu && (
      <span class="tree-more">
        <UiIcon name="more" />
      </span>
    )}
  </>
);

function TreeItem(props: TreeItemProps): VNode {
  const { row, index, isActive, isCurrent, isDragged, isTarget, href, toggle, activate, openMenu } = props;
  const { page, level, position, siblings, isExpandable, isExpanded } = row;
  const open = (): void => {
    activate(page.id);
    openPage(page, href, toggle);
  };
  const attributes = {
    role: 'treeitem' as const,
    class: `tree-item ${page.type}${isDragged ? ' dragged' : ''}${isTarget ? ' drop-target' : ''}`,
    draggable: openMenu !== undefined && !isGenerated(page),
    'data-index': index,
    'aria-level': level,
    'aria-posinset': position,
    'aria-setsize': siblings,
    ...(isExpandable ? { 'aria-expanded': isExpanded } : {}),
    'aria-selected': isCurrent,
    tabIndex: isActive ? 0 : -1,
    style: { top: `${index * rowHeight}px`, paddingInlineStart: getIndent(level) },
    onFocus: () => activate(page.id),
    onKeyDown: (event: KeyboardEvent) => {
      if (event.key !== 'Enter' && event.key !== ' ') return;
      event.preventDefault();
      open();
    },
    onClick: (event: MouseEvent) => {
      if (event.metaKey || event.ctrlKey || event.shiftKey) return;
      event.preventDefault();
      if (isIn(event, '.tree-toggle')) toggle(page.id);
      else if (isIn(event, '.tree-more')) openMenu?.(event);
      else open();
    },
  };
  const content = <ItemContent row={row} hasMenu={attributes.draggable} />;
  return page.type === 'document' ? (
    <a href={href} {...attributes}>
      {content}
    </a>
  ) : (
    <div {...attributes}>{content}</div>
  );
}
