import type { Organization, Space, User } from '@octavo/schema';
import { createContext } from 'preact';
import { useContext, useEffect } from 'preact/hooks';
import { ApiRequestError, api } from './api.ts';
import { notifyError } from './ui/notice.tsx';
import { type LoadedValue, useApi, useList } from './use-api.ts';

/** The signed-in user. It is undefined until it is loaded. */
export const useUser = (): LoadedValue<User> => useApi<User>('/user');

export const useOrganizations = (): LoadedValue<Organization[]> => useList<Organization>('/orgs');

/** The organization and the space that the current screen belongs to. */
export interface CurrentPlace {
  organization: string | undefined;
  space: LoadedValue<Space> | undefined;
}

export const PlaceContext = createContext<CurrentPlace>({ organization: undefined, space: undefined });
export const usePlace = (): CurrentPlace => useContext(PlaceContext);

const lastKey = 'octavo-organization';

/** Returns the organization of the screen, or else the one that was used last. */
export function useCurrentOrganization(): Organization | undefined {
  const { organization } = usePlace();
  const { value: organizations = [] } = useOrganizations();
  useEffect(() => {
    if (organization !== undefined) localStorage.setItem(lastKey, organization);
  }, [organization]);
  const wanted = organization ?? localStorage.getItem(lastKey);
  return organizations.find(({ id }) => id === wanted) ?? organizations[0];
}

const visited = new Set<string>();

/** Reports that the user has opened the current organization, so that admins see that an invitation was accepted. */
export function useReportedVisit(): void {
  const { organization, space } = usePlace();
  const current = useCurrentOrganization();
  const isPending = space !== undefined && organization === undefined;
  const id = isPending ? undefined : current?.id;
  useEffect(() => {
    if (id === undefined || visited.has(id)) return;
    visited.add(id);
    api('POST', `/orgs/${id}/ping`, { isBackground: true }).catch(() => {
      // No error is shown to the user. The visit is reported when the organization is opened again.
      visited.delete(id);
    });
  }, [id]);
}

/** Ends the session and opens the sign-in page. The page stays if the session did not end. */
export async function signOut(): Promise<void> {
  const response = await fetch('/logout', { method: 'POST', redirect: 'manual' }).catch(() => undefined);
  if (response?.type === 'opaqueredirect') window.location.assign('/login');
  else notifyError(new ApiRequestError(0, 'You are still signed in. Try again.'));
}
