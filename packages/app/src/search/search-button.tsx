import type { ComponentType, VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { UiIcon } from '../ui/icon.tsx';

const isApple = /Mac|iPhone|iPad/.test(navigator.platform);

/** Opens the command palette, as do Ctrl-K and Command-K outside the text of an editor. Its code is loaded when it is first opened. */
export function SearchButton(): VNode {
  const [isOpen, setOpen] = useState(false);
  const [loaded, setLoaded] = useState<{ CommandPalette: ComponentType<{ close: () => void }> }>();
  const open = (): void => {
    setOpen(true);
    void import('./command-palette.tsx').then(setLoaded);
  };
  useEffect(() => {
    const handleKey = (event: KeyboardEvent): void => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey)
        return;
      // The editor opens a form for a link with the same keys.
      if (event.defaultPrevented) return;
      event.preventDefault();
      open();
    };
    document.addEventListener('keydown', handleKey);
    return () => document.removeEventListener('keydown', handleKey);
  }, []);
  return (
    <>
      <button type="button" class="sidebar-button search-button" onClick={open}>
        <UiIcon name="search" />
        <span class="grow">Search</span>
        <kbd class="keys">{isApple ? '⌘K' : 'Ctrl K'}</kbd>
      </button>
      {isOpen && loaded !== undefined && <loaded.CommandPalette close={() => setOpen(false)} />}
    </>
  );
}
