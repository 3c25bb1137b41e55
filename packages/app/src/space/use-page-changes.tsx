import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { MenuItem } from '../ui/menu.tsx';
import { type ChangedPageProps, DeletePageDialog } from './delete-page-dialog.tsx';
import { MovePageDialog } from './move-page-dialog.tsx';

interface PageChanges {
  items: MenuItem[];
  /** The open dialog. */
  dialog: VNode | null;
}

/** The menu items that move and delete a page, with their dialogs. They are empty if there is no page. */
export function usePageChanges(changed: Omit<ChangedPageProps, 'onClose'> | undefined): PageChanges {
  const [action, setAction] = useState<'move' | 'delete'>();
  if (changed === undefined) return { items: [], dialog: null };
  const Dialog = action === 'delete' ? DeletePageDialog : MovePageDialog;
  return {
    items: [
      { label: 'Move page', icon: 'folder', startsGroup: true, onSelect: () => setAction('move') },
      { label: 'Delete page', icon: 'trash', isDanger: true, onSelect: () => setAction('delete') },
    ],
    dialog: action === undefined ? null : <Dialog {...changed} onClose={() => setAction(undefined)} />,
  };
}
