import type { List, SearchSuggestion, Space } from '@octavo/schema';
import type { VNode } from 'preact';
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { get } from '../api.ts';
import { useRecents } from '../home/bookmarks.ts';
import { navigate } from '../router.ts';
import { listOrganizationLinks, spaceLinks } from '../routes.ts';
import { useCurrentOrganization, useOrganizations, usePlace } from '../session.ts';
import { hasRoute } from '../shell/find-route.ts';
import { getSpaceTitle } from '../shell/sidebar.tsx';
import { UiIcon } from '../ui/icon.tsx';
import { useList, useLoaded } from '../use-api.ts';
import { chooseEntry, findSelected, type PaletteResults } from './choose-entry.ts';
import { type PaletteEntry, toAppPath, useSettled, useTextEntries } from './text-entries.ts';

const searchDelayMilliseconds = 120;
const maxPages = 12;
const maxRecents = 5;
const maxEntries = 20;

/** Reads the pages and headings whose titles contain the words. */
function usePageEntries(written: string): PaletteResults<PaletteEntry> {
  const words = useSettled(written, searchDelayMilliseconds);
  const organization = useCurrentOrganization();
  const key = organization === undefined || words === '' ? undefined : `suggestions ${organization.id} ${words}`;
  const { value, isLoading } = useLoaded(key, (signal) =>
    get<List<SearchSuggestion>>(
      `/orgs/${organization?.id}/search/suggestions`,
      { query: words, limit: maxPages },
      signal,
    ),
  );
  const entries = (value?.items ?? []).map(
    ({ id, title, page, space, urls }): PaletteEntry => ({
      id: `${space.id} ${page.id} ${id}`,
      label: title,
      detail: title === page.title ? space.title : `${page.title} · ${space.title}`,
      icon: 'file',
      path: toAppPath(urls.app),
    }),
  );
  return { entries, isPending: words !== written || (isLoading && value === undefined) };
}

/** The pages and spaces that the user opened last, while there are no words. */
function useRecentEntries(words: string): PaletteResults<PaletteEntry> {
  const { value, isLoading } = useRecents();
  if (words !== '') return { entries: [], isPending: false };
  const entries = (value?.items ?? []).slice(0, maxRecents).map((recent): PaletteEntry => {
    const { space, page } = recent;
    return {
      id: `recent ${recent.urls.app}`,
      label: page?.title || getSpaceTitle(space),
      detail: page === undefined ? 'Space' : getSpaceTitle(space),
      icon: 'clock',
      path: toAppPath(recent.urls.app),
    };
  });
  return { entries, isPending: isLoading && value === undefined };
}

/** The spaces and screens whose names contain the words. */
function usePlaceEntries(words: string): PaletteResults<PaletteEntry> {
  const organization = useCurrentOrganization();
  const { space } = usePlace();
  const { value: spaces, isLoading } = useList<Space>(organization && `/orgs/${organization.id}/spaces`, {}, 50);
  const current = space?.value;
  const screens: PaletteEntry[] = [
    { id: 'home', label: 'Home', icon: 'home', path: '/' },
    ...(current === undefined
      ? []
      : spaceLinks
          .filter(({ path }) => hasRoute(path))
          .map(({ path, label, icon }) => ({
            ...{ id: path, label, icon, detail: getSpaceTitle(current) },
            path: path.replace(':space', current.id),
          }))),
    ...(organization === undefined
      ? []
      : listOrganizationLinks(organization).map((link) => ({ id: link.path, ...link }))),
    { id: 'profile', label: 'Profile', icon: 'user', path: '/profile' },
  ];
  const all = (spaces ?? []).map(
    (each): PaletteEntry => ({
      ...{ id: each.id, label: getSpaceTitle(each), detail: 'Space', icon: 'book' },
      path: `/spaces/${each.id}`,
    }),
  );
  const entries = [...all, ...screens].filter(({ label }) => label.toLowerCase().includes(words.toLowerCase()));
  return { entries, isPending: isLoading && spaces === undefined };
}

/** The results of a text, in the order of the list. */
function useResults(words: string): PaletteResults<PaletteEntry>[] {
  const organizations = useOrganizations();
  // Nothing can be searched until the organization is known.
  const isWaiting = organizations.value === undefined && organizations.isLoading;
  const pages = usePageEntries(words);
  return [
    { ...pages, isPending: pages.isPending || isWaiting },
    ...[useRecentEntries(words), usePlaceEntries(words), useTextEntries(words)],
  ];
}

interface Selection {
  entries: PaletteEntry[];
  /** The position of the selected entry. */
  selected: number;
  handleKey: (event: KeyboardEvent) => void;
  /** Selects the first result again, after the text has changed. */
  reset: () => void;
}

/** Selects results with the arrow keys, and opens one with Enter. */
function useSelection(results: PaletteResults<PaletteEntry>[], open: (entry: PaletteEntry) => void): Selection {
  const [chosen, setChosen] = useState<string>();
  const [isOpening, setOpening] = useState(false);
  const entries = results.flatMap((each) => each.entries).slice(0, maxEntries);
  const selected = findSelected(entries, chosen);
  const entryToOpen = chooseEntry(results, chosen);
  // Enter can be pressed before the results of the typed text arrive.
  useEffect(() => {
    if (!isOpening || entryToOpen === 'pending') return;
    setOpening(false);
    if (entryToOpen !== undefined) open(entryToOpen);
  }, [isOpening, entryToOpen]);
  const handleKey = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) setChosen(entries[(selected + step + entries.length) % entries.length]?.id);
    else if (event.key === 'Enter') setOpening(true);
    else return;
    event.preventDefault();
  };
  const reset = (): void => {
    setChosen(undefined);
    setOpening(false);
  };
  return { entries, selected, handleKey, reset };
}

/** Searches everything that the user can open, and opens it. */
export function CommandPalette({ close }: { close: () => void }): VNode {
  const dialog = useRef<HTMLDialogElement>(null);
  const [words, setWords] = useState('');
  const listId = useId();
  const results = useResults(words.trim());
  useLayoutEffect(() => dialog.current?.showModal(), []);
  const open = (entry: PaletteEntry): void => {
    close();
    navigate(entry.path);
  };
  const { entries, selected, handleKey, reset } = useSelection(results, open);
  return (
    <dialog
      ref={dialog}
      class="palette"
      aria-label="Search"
      onClose={close}
      onKeyDown={handleKey}
      onClick={(event) => event.target === dialog.current && close()}
    >
      <div class="palette-field">
        <UiIcon name="search" />
        <input
          role="combobox"
          aria-expanded="true"
          aria-controls={listId}
          aria-autocomplete="list"
          aria-activedescendant={entries.length === 0 ? undefined : `${listId}-${selected}`}
          aria-label="Search pages, spaces and screens"
          placeholder="Search pages, spaces and screens"
          value={words}
          onInput={({ currentTarget }) => {
            setWords(currentTarget.value);
            reset();
          }}
        />
      </div>
      <PaletteList
        {...{ id: listId, entries, selected, open }}
        isSearching={results.some(({ isPending }) => isPending)}
      />
    </dialog>
  );
}

interface PaletteListProps {
  id: string;
  entries: PaletteEntry[];
  selected: number;
  isSearching: boolean;
  open: (entry: PaletteEntry) => void;
}

function PaletteList({ id, entries, selected, isSearching, open }: PaletteListProps): VNode {
  useEffect(() => {
    document.getElementById(`${id}-${selected}`)?.scrollIntoView({ block: 'nearest' });
  }, [id, selected]);
  if (entries.length === 0)
    return (
      <p class="palette-empty" role="status" id={id}>
        {isSearching ? 'Searching …' : 'No results'}
      </p>
    );
  return (
    <div class="palette-list" role="listbox" id={id} aria-label="Results">
      {entries.map((entry, index) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the combobox handles the keys.
        <div
          key={entry.id}
          id={`${id}-${index}`}
          role="option"
          tabIndex={-1}
          aria-selected={index === selected}
          class="palette-entry"
          onClick={() => open(entry)}
        >
          <UiIcon name={entry.icon} />
          <span class="grow">{entry.label}</span>
          {entry.detail !== undefined && <small>{entry.detail}</small>}
        </div>
      ))}
    </div>
  );
}
