import type { ChangeRequest, User } from '@octavo/schema';
import { api, get, listAll } from '../api.ts';
import type { LoadOptions } from '../use-api.ts';

/** Returns the path of the editing screen of a page. */
export const getEditAddress = (space: string, changeRequest: string, page: string): string =>
  `/spaces/${space}/change-requests/${changeRequest}/edit/${page}`;

/** Number of drafts that the user can choose from. */
const maxDrafts = 20;

/** Returns the user's draft change requests of a space, the most recently changed first. */
export async function listDrafts(space: string, options?: LoadOptions): Promise<ChangeRequest[]> {
  const { id } = await get<User>('/user', {}, options);
  const query = { status: 'draft', creator: id, orderBy: 'updatedAt' };
  return listAll<ChangeRequest>(`/spaces/${space}/change-requests`, query, maxDrafts, options);
}

export const createDraft = (space: string): Promise<ChangeRequest> =>
  api('POST', `/spaces/${space}/change-requests`, { body: {} });

/** Returns the user's draft change request of a space, or creates one. */
export async function openDraft(space: string): Promise<ChangeRequest> {
  const [draft] = await listDrafts(space);
  return draft ?? createDraft(space);
}

interface ContentResult {
  changes: { page: { id: string } | string }[];
}

/** Changes a page in a change request. Returns the id of the page. */
export async function changePage(space: string, changeRequest: string, change: object): Promise<string> {
  const { changes } = await api<ContentResult>('POST', `/spaces/${space}/change-requests/${changeRequest}/content`, {
    query: { compat: false },
    body: { changes: [change] },
  });
  const page = changes[0]?.page ?? '';
  return typeof page === 'string' ? page : page.id;
}
