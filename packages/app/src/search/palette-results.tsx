import type { List, SearchSuggestion, Space } from '@octavo/schema';
import type { VNode } from 'preact';
import { useEffect, useLayoutEffect, useState } from 'preact/hooks';
import { get } from '../api.ts';
import { useRecents } from '../home/bookmarks.ts';
import { navigate } from '../router.ts';
import { listOrganizationLinks, listSpaceLinks } from '../routes.ts';
import { useCurrentOrganization, useOrganizations, usePlace } from '../session.ts';
import { getSpaceTitle } from '../shell/sidebar.tsx';
import { UiIcon } from '../ui/icon.tsx';
import { useList, useLoaded } from '../use-api.ts';
import { useDebounced } from '../use-debounced.ts';
import { chooseEntry, findSelected, type PaletteResults } from './choose-entry.ts';
import type { ResultsListProps } from './palette-input.ts';
import { rankPlaces } from './rank-places.ts';
import { type PaletteEntry, toAppPath, useTextEntries } from './text-entries.ts';

const searchDelayMilliseconds = 120;
const maxPages = 12;
const maxRecents = 5;
const maxEntries = 20;

/** Reads the pages and headings whose titles contain the words. */
function usePageEntries(written: string): PaletteResults<PaletteEntry> {
  const words = useDebounced(written, searchDelayMilliseconds);
  const organization = useCurrentOrganization();
  const key = organization === undefined || words === '' ? undefined : `suggestions ${organization.id} ${words}`;
  const { value, isLoading } = useLoaded(key, (options) =>
    get<List<SearchSuggestion>>(
      `/orgs/${organization?.id}/search/suggestions`,
      { query: words, limit: maxPages },
      options,
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

/** Returns the spaces and screens whose names contain the words. Those in `best` precede all other results. */
function usePlaceEntries(words: string): [best: PaletteResults<PaletteEntry>, others: PaletteResults<PaletteEntry>] {
  const organization = useCurrentOrganization();
  const { space } = usePlace();
  const { value: spaces, isLoading } = useList<Space>(organization && `/orgs/${organization.id}/spaces`, {}, 50);
  const current = space?.value;
  const screens: PaletteEntry[] = [
    { id: 'home', label: 'Home', icon: 'home', path: '/' },
    { id: 'inbox', label: 'Inbox', icon: 'inbox', path: '/inbox' },
    ...(current === undefined
      ? []
      : listSpaceLinks(current.id, current.permissions.edit).map((link) => ({
          id: link.path,
          ...link,
          detail: getSpaceTitle(current),
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
  const { best, others } = rankPlaces([...all, ...screens], words);
  const isPending = isLoading && spaces === undefined;
  return [
    { entries: best, isPending },
    { entries: others, isPending },
  ];
}

/** The results of a text, in the order of the list. */
function useResults(words: string): PaletteResults<PaletteEntry>[] {
  const organizations = useOrganizations();
  // Nothing can be searched until the organization is known.
  const isWaiting = organizations.value === undefined && organizations.isLoading;
  const pages = usePageEntries(words);
  const [bestPlaces, otherPlaces] = usePlaceEntries(words);
  return [
    { ...bestPlaces, isPending: bestPlaces.isPending || isWaiting },
    ...[pages, useRecentEntries(words), otherPlaces, useTextEntries(words)],
  ];
}

/** The results of the command palette. One of them is selected, by the arrow keys or by the mouse. */
export function PaletteResultsList({
  id,
  words,
  isOpening,
  setOpening,
  setActive,
  select,
  close,
}: ResultsListProps): VNode {
  const results = useResults(words);
  const [choice, setChoice] = useState<{ words: string; id: string | undefined }>();
  // A choice applies only to its text.
  const chosen = choice?.words === words ? choice.id : undefined;
  const choose = (entry: PaletteEntry | undefined): void => {
    // After Enter, the pointer must not open another entry.
    if (!isOpening) setChoice({ words, id: entry?.id });
  };
  const entries = results.flatMap((each) => each.entries).slice(0, maxEntries);
  const selected = findSelected(entries, chosen);
  const entryToOpen = chooseEntry(results, chosen);
  const open = (entry: PaletteEntry): void => {
    close();
    navigate(entry.path);
  };
  useEffect(() => {
    if (!isOpening || entryToOpen === 'pending') return;
    setOpening(false);
    if (entryToOpen !== undefined) open(entryToOpen);
  }, [isOpening, entryToOpen]);
  useLayoutEffect(() => {
    select.current = (step) => choose(entries[(selected + step + entries.length) % entries.length]);
    setActive(entries.length === 0 ? undefined : `${id}-${selected}`);
  });
  return (
    <PaletteList
      {...{ id, entries, selected, choose, open }}
      isSearching={results.some(({ isPending }) => isPending)}
    />
  );
}

interface PaletteListProps {
  id: string;
  entries: PaletteEntry[];
  selected: number;
  isSearching: boolean;
  choose: (entry: PaletteEntry) => void;
  open: (entry: PaletteEntry) => void;
}

function PaletteList({ id, entries, selected, isSearching, choose, open }: PaletteListProps): VNode {
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
          // Unlike `mouseenter`, it is not fired when the list scrolls below the pointer.
          onPointerMove={() => index !== selected && choose(entry)}
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
