import type { MountedEditor } from '@octavo/editor';
import { addLeaveGuard } from '../router.ts';
import { notify } from '../ui/notice.tsx';
import type { Autosave } from './autosave.ts';
import { describeLoss } from './describe-loss.ts';

interface EditedText {
  autosave: Autosave;
  editor: MountedEditor;
}

/**
 * Sends the text when the connection is back or the tab is closed, and asks before the user leaves the editor if
 * something would be lost. A text that was not sent is kept in this browser.
 */
export function guardLeaving(edited: EditedText): () => void {
  const { autosave } = edited;
  const send = (): void => {
    if (!autosave.isSaved) void autosave.save();
  };
  const leave = (event: BeforeUnloadEvent): void => {
    send();
    if (describeLoss(edited) !== undefined) event.preventDefault();
  };
  window.addEventListener('online', send);
  window.addEventListener('beforeunload', leave);
  const removeGuard = addLeaveGuard({
    hasChanges: () => !autosave.isSaved,
    canLeave: () => {
      const loss = describeLoss(edited);
      return loss === undefined || window.confirm(loss);
    },
  });
  return () => {
    window.removeEventListener('online', send);
    window.removeEventListener('beforeunload', leave);
    removeGuard();
  };
}

/** Sends the text when the user has left the editor. */
export async function sendLastChanges({ autosave }: EditedText): Promise<void> {
  await autosave.stop();
  if (!autosave.isSaved && autosave.isStoredAnywhere)
    notify('Your last changes are kept in this browser. Edit the page again to send them.');
}
