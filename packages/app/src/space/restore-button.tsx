import type { Space } from '@octavo/schema';
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { UiIcon } from '../ui/icon.tsx';
import { notifyError } from '../ui/notice.tsx';
import { type RestoredItem, restoreItem } from './restore.ts';

interface RestoreButtonProps {
  space: Space;
  item: RestoredItem;
  text?: string;
  /** The name for screen readers, if the text does not say what is restored. */
  label?: string;
  isSmall?: boolean;
}

/** Restores a page or file in a new change request. It is disabled meanwhile, so that a double click creates only one. */
export function RestoreButton({ space, item, text = 'Restore', label, isSmall = false }: RestoreButtonProps): VNode {
  const [isBusy, setBusy] = useState(false);
  const restore = async (): Promise<void> => {
    setBusy(true);
    await restoreItem(space, item).catch(notifyError);
    setBusy(false);
  };
  return (
    <button
      type="button"
      class={isSmall ? 'button small' : 'button'}
      aria-label={label}
      disabled={isBusy}
      onClick={restore}
    >
      <UiIcon name="restore" />
      {text}
    </button>
  );
}
