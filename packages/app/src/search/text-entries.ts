import type { List, SpaceSearchResult } from '@octavo/schema';
import { get } from '../api.ts';
import { useCurrentOrganization } from '../session.ts';
import type { UiIconName } from '../ui/icon.tsx';
import { useLoaded } from '../use-api.ts';
import { useDebounced } from '../use-debounced.ts';
import type { PaletteResults } from './choose-entry.ts';
import { getExcerpt } from './excerpt.ts';

/** A result or an action that the palette offers. */
export interface PaletteEntry {
  id: string;
  label: string;
  detail?: string | undefined;
  icon: UiIconName;
  path: string;
}

const delayMilliseconds = 400;
const maxPages = 8;

export const toAppPath = (url: string): string => url.slice(new URL(url).origin.length).replace(/^\/app/, '');

/** Reads the sections of pages whose text contains the words. A search in texts waits until the user stops writing. */
export function useTextEntries(written: string): PaletteResults<PaletteEntry> {
  const words = useDebounced(written, delayMilliseconds);
  const organization = useCurrentOrganization();
  const key = organization === undefined || words === '' ? undefined : `search ${organization.id} ${words}`;
  const { value, isLoading } = useLoaded(key, (options) =>
    get<List<SpaceSearchResult>>(`/orgs/${organization?.id}/search`, { query: words, limit: maxPages }, options),
  );
  const entries = (value?.items ?? []).flatMap((space) =>
    space.pages.flatMap((page) =>
      (page.sections ?? [])
        .filter(({ matches }) => matches.body.length > 0)
        .slice(0, 1)
        .map((section) => ({
          id: `${space.id} ${page.id} text`,
          label: page.title,
          detail: getExcerpt(section),
          icon: 'file' as const,
          path: toAppPath(section.urls.app),
        })),
    ),
  );
  return { entries, isPending: words !== written || (isLoading && value === undefined) };
}
