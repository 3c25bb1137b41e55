import type { Page } from '@octavo/schema';
import type { VNode } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { navigate } from '../router.ts';
import { ContextMenu, type MenuItem } from '../ui/menu.tsx';
import { notifyError } from '../ui/notice.tsx';
import { getEditAddress, openDraft } from './editing.ts';
import { NewPageDialog } from './new-page-dialog.tsx';
import { findStepTarget, type MoveStep } from './page-moves.ts';
import { getChildren, type SpacePages } from './tree-rows.ts';
import { usePageChanges } from './use-page-changes.tsx';
import type { PageMoves } from './use-page-moves.ts';

const steps: [step: MoveStep, key: string, label: string, keys: string][] = [
  ['up', 'ArrowUp', 'Move up', 'Alt+↑'],
  ['down', 'ArrowDown', 'Move down', 'Alt+↓'],
  ['in', 'ArrowRight', 'Move into the page above', 'Alt+→'],
  ['out', 'ArrowLeft', 'Move out of the parent page', 'Alt+←'],
];

/** Returns the step of a key that is pressed together with Alt. */
export const getMoveStep = (key: string): MoveStep | undefined => steps.find(([, each]) => each === key)?.[0];

/** A page of the tree whose menu is open, with its position in the window. */
export interface OpenedTreeMenu {
  page: Page;
  x: number;
  y: number;
}

interface TreeMenuProps {
  space: string;
  /** The change request that the tree shows. */
  changeRequest: string | undefined;
  pages: SpacePages;
  opened: OpenedTreeMenu | undefined;
  move: PageMoves['move'];
  onClose: () => void;
}

async function editPage(space: string, changeRequest: string | undefined, page: string): Promise<void> {
  try {
    navigate(getEditAddress(space, changeRequest ?? (await openDraft(space)).id, page));
  } catch (error) {
    notifyError(error);
  }
}

/** The menu of a page in the tree, and the dialogs that it opens. */
export function TreeMenu({ space, changeRequest, pages, opened, move, onClose }: TreeMenuProps): VNode {
  // The page stays after the menu is closed, because its dialogs are open then.
  const last = useRef<Page>(undefined);
  if (opened !== undefined) last.current = opened.page;
  const page = last.current;
  const [isCreating, setCreating] = useState(false);
  const changes = usePageChanges(page && { space, changeRequest, page });
  const moves = steps.flatMap(([step, , label, keys]): MenuItem[] => {
    const target = page && findStepTarget(pages, page, step);
    return page && target ? [{ label, keys, onSelect: () => move(page, target) }] : [];
  });
  const items: MenuItem[] = [
    ...(page?.type === 'document'
      ? [
          { label: 'Edit', icon: 'edit', onSelect: () => void editPage(space, changeRequest, page.id) } as const,
          { label: 'New page', icon: 'plus', onSelect: () => setCreating(true) } as const,
        ]
      : []),
    ...moves.map((item, index) => ({ ...item, startsGroup: index === 0 })),
    ...changes.items,
  ];
  return (
    <>
      {opened !== undefined && (
        <ContextMenu label={opened.page.title} items={items} position={opened} onClose={onClose} />
      )}
      {changes.dialog}
      {isCreating && page !== undefined && (
        <NewPageDialog
          space={space}
          changeRequest={changeRequest}
          shown={{ id: page.id, title: page.title, hasChildren: getChildren(page).length > 0 }}
          onClose={() => setCreating(false)}
        />
      )}
    </>
  );
}
