import type { List, SearchSuggestion, Space } from '@octavo/schema';
import type { VNode } from 'preact';
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { get } from '../api.ts';
import { useRecents } from '../home/bookmarks.ts';
import { navigate } from '../router.ts';
import { listOrganizationLinks, spaceLinks } from '../routes.ts';
import { useCurrentOrganization, usePlace } from '../session.ts';
import { hasRoute } from '../shell/find-route.ts';
import { getSpaceTitle } from '../shell/sidebar.tsx';
import { UiIcon } from '../ui/icon.tsx';
import { useList, useLoaded } from '../use-api.ts';
import { type PaletteEntry, toAppPath, useSettled, useTextEntries } from './text-entries.ts';

const searchDelayMilliseconds = 120;
const maxPages = 12;
const maxRecents = 5;
const maxEntries = 20;

/** Reads the pages and headings whose titles contain the words. */
function usePageEntries(written: string): PaletteEntry[] {
  const words = useSettled(written, searchDelayMilliseconds);
  const organization = useCurrentOrganization();
  const key = organization === undefined || words === '' ? undefined : `suggestions ${organization.id} ${words}`;
  const { value } = useLoaded(key, (signal) =>
    get<List<SearchSuggestion>>(
      `/orgs/${organization?.id}/search/suggestions`,
      { query: words, limit: maxPages },
      signal,
    ),
  );
  return (value?.items ?? []).map(({ id, title, page, space, urls }) => ({
    id: `${space.id} ${page.id} ${id}`,
    label: title,
    detail: title === page.title ? space.title : `${page.title} · ${space.title}`,
    icon: 'file',
    path: toAppPath(urls.app),
  }));
}

/** The pages and spaces that the user opened last, while there are no words. */
function useRecentEntries(words: string): PaletteEntry[] {
  const { value } = useRecents();
  if (words !== '') return [];
  return (value?.items ?? []).slice(0, maxRecents).map((recent) => {
    const { space, page } = recent;
    return {
      id: `recent ${recent.urls.app}`,
      label: page?.title || getSpaceTitle(space),
      detail: page === undefined ? 'Space' : getSpaceTitle(space),
      icon: 'clock',
      path: toAppPath(recent.urls.app),
    };
  });
}

/** The pages that were opened last, and the spaces and screens whose names contain the words. */
function usePlaceEntries(words: string): PaletteEntry[] {
  const organization = useCurrentOrganization();
  const { space } = usePlace();
  const { value: spaces = [] } = useList<Space>(organization && `/orgs/${organization.id}/spaces`, {}, 50);
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
  const all = spaces.map(
    (each): PaletteEntry => ({
      ...{ id: each.id, label: getSpaceTitle(each), detail: 'Space', icon: 'book' },
      path: `/spaces/${each.id}`,
    }),
  );
  const named = [...all, ...screens].filter(({ label }) => label.toLowerCase().includes(words.toLowerCase()));
  return [...useRecentEntries(words), ...named];
}

/** Searches everything that the user can open, and opens it. */
export function CommandPalette({ close }: { close: () => void }): VNode {
  const dialog = useRef<HTMLDialogElement>(null);
  const [words, setWords] = useState('');
  const [selected, setSelected] = useState(0);
  const listId = useId();
  const { texts, isSearching } = useTextEntries(words.trim());
  const entries = [...usePageEntries(words.trim()), ...usePlaceEntries(words.trim()), ...texts].slice(0, maxEntries);
  useLayoutEffect(() => dialog.current?.showModal(), []);
  const open = (entry: PaletteEntry | undefined): void => {
    if (entry === undefined) return;
    close();
    navigate(entry.path);
  };
  const handleKey = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && entries.length > 0) setSelected((selected + step + entries.length) % entries.length);
    else if (event.key === 'Enter') open(entries[selected]);
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
            setSelected(0);
          }}
        />
      </div>
      <PaletteList id={listId} entries={entries} selected={selected} isSearching={isSearching} open={open} />
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
