import type { Favorite, Recent } from '@octavo/schema';
import { useEffect } from 'preact/hooks';
import { api } from '../api.ts';
import type { MenuItem } from '../ui/menu.tsx';
import { notify, notifyError } from '../ui/notice.tsx';
import { type LoadedValue, useApi } from '../use-api.ts';
import { createVisitRecorder } from './record-visit.ts';

/** The favorite spaces and pages of the user. */
export const useFavorites = (): LoadedValue<{ items: Favorite[] }> => useApi('/user/favorites');

/** The spaces and pages that the user opened last. */
export const useRecents = (): LoadedValue<{ items: Recent[] }> => useApi('/user/recents');

/** Returns the path in the app of a favorite, or of a page that was opened. */
export const getBookmarkPath = ({ urls: { app } }: Favorite | Recent): string => new URL(app).pathname;

/** Returns the action that adds a space or page to the favorites, or removes it. */
export function useFavoriteAction(space: string, page: string | undefined): MenuItem {
  const { value, reload } = useFavorites();
  const favorite = value?.items.find((each) => each.space.id === space && each.page?.id === page);
  const change = async (): Promise<void> => {
    try {
      if (favorite === undefined) await api('POST', '/user/favorites', { body: { space, page } });
      else await api('DELETE', `/user/favorites/${favorite.id}`);
      await reload();
      notify(favorite === undefined ? 'Added to favorites' : 'Removed from favorites');
    } catch (error) {
      notifyError(error);
    }
  };
  const label = favorite === undefined ? 'Add to favorites' : 'Remove from favorites';
  return { label, icon: 'star', onSelect: () => void change() };
}

const recordVisit = createVisitRecorder((space, page) =>
  api('POST', '/user/recents', { body: { space, page }, isBackground: true }),
);

/** Records that the user opened a page of the live content. */
export function useRecordedVisit(space: string, page: string | undefined): void {
  useEffect(() => {
    if (page !== undefined) recordVisit(space, page);
  }, [space, page]);
}
