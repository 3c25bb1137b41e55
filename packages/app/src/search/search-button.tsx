import type { VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { UiIcon } from '../ui/icon.tsx';
import { CommandPalette } from './command-palette.tsx';

const isApple = /Mac|iPhone|iPad/.test(navigator.platform);

/** Opens the command palette, as do Ctrl-K and Command-K outside the text of an editor. */
export function SearchButton(): VNode {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    const handleKey = (event: KeyboardEvent): void => {
      const hasModifier = isApple ? event.metaKey : event.ctrlKey;
      if (event.key.toLowerCase() !== 'k' || !hasModifier || event.shiftKey || event.altKey) return;
      // The editor opens a form for a link with the same keys.
      if (event.defaultPrevented) return;
      event.preventDefault();
      setOpen(true);
    };
    document.addEventListener('keydown', handleKey);
    return () => document.removeEventListener('keydown', handleKey);
  }, []);
  return (
    <>
      <button type="button" class="sidebar-button search-button" onClick={() => setOpen(true)}>
        <UiIcon name="search" />
        <span class="grow">Search</span>
        <kbd class="keys">{isApple ? '⌘K' : 'Ctrl K'}</kbd>
      </button>
      {isOpen && <CommandPalette close={() => setOpen(false)} />}
    </>
  );
}
