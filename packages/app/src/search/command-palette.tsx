import type { ComponentType, VNode } from 'preact';
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { UiIcon } from '../ui/icon.tsx';
import { notifyError } from '../ui/notice.tsx';
import type { ResultsListProps } from './palette-input.ts';

/** Loads the code of the results when the palette is first opened. Keys are accepted while it loads. */
function useResultsList(close: () => void): ComponentType<ResultsListProps> | undefined {
  const [loaded, setLoaded] = useState<{ PaletteResultsList: ComponentType<ResultsListProps> }>();
  useEffect(() => {
    import('./palette-results.tsx').then(setLoaded, (error: unknown) => {
      close();
      notifyError(error);
    });
  }, []);
  return loaded?.PaletteResultsList;
}

/** Searches everything that the user can open, and opens it. */
export function CommandPalette({ close }: { close: () => void }): VNode {
  const dialog = useRef<HTMLDialogElement>(null);
  const [words, setWords] = useState('');
  const [isOpening, setOpening] = useState(false);
  const [active, setActive] = useState<string>();
  const select = useRef<(step: 1 | -1) => void>(undefined);
  const listId = useId();
  const ResultsList = useResultsList(close);
  useLayoutEffect(() => dialog.current?.showModal(), []);
  const handleKey = (event: KeyboardEvent): void => {
    // The key belongs to the input method, which for example completes a word with Enter.
    if (event.isComposing) return;
    if (event.key === 'ArrowDown') select.current?.(1);
    else if (event.key === 'ArrowUp') select.current?.(-1);
    else if (event.key === 'Enter') setOpening(true);
    else return;
    event.preventDefault();
  };
  return (
    <dialog
      ref={dialog}
      class="palette"
      aria-label="Search"
      onClose={close}
      onKeyDown={handleKey}
      onClick={(event) => event.target === dialog.current && close()}
    >
      <PaletteField
        {...{ listId, active, words }}
        onInput={(text) => {
          setWords(text);
          setOpening(false);
        }}
      />
      {ResultsList === undefined ? (
        <p class="palette-empty" role="status" id={listId}>
          Searching …
        </p>
      ) : (
        <ResultsList id={listId} words={words.trim()} {...{ isOpening, setOpening, setActive, select, close }} />
      )}
    </dialog>
  );
}

interface PaletteFieldProps {
  listId: string;
  /** The element id of the selected result. */
  active: string | undefined;
  words: string;
  onInput: (words: string) => void;
}

const PaletteField = ({ listId, active, words, onInput }: PaletteFieldProps): VNode => (
  <div class="palette-field">
    <UiIcon name="search" />
    <input
      role="combobox"
      aria-expanded="true"
      aria-controls={listId}
      aria-autocomplete="list"
      aria-activedescendant={active}
      aria-label="Search pages, spaces and screens"
      placeholder="Search pages, spaces and screens"
      value={words}
      onInput={({ currentTarget }) => onInput(currentTarget.value)}
    />
  </div>
);
