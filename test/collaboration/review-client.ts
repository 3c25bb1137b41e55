import { edit, json, makeChangeRequest } from '../support/content.ts';
import type { RequestOptions, TestOrganization, TestSpace } from '../support/platform.ts';
import { platform } from '../support/platform.ts';

export interface ShownReview {
  object: string;
  id: string;
  revision: string;
  reviewer: { id: string };
  requestedBy?: { id: string };
  status: string;
  outdated: boolean;
  comment?: { id: string; body: { markdown?: string }; target: { review?: string } };
  createdAt: string;
  updatedAt: string;
  urls: { location: string };
}

export interface ShownRequest {
  kind: string;
  user?: { id: string };
  team?: { id: string };
  revision: string;
  requestedBy: { id: string };
}

interface List<Item> {
  count: number;
  items: Item[];
}

const insertPage = { operation: 'insert_page', title: 'New', document: { markdown: 'x' } };

/** Makes a change request and a client for its reviews. Calls without a token use the admin's. */
export async function createReviewClient(organization: TestOrganization, subject?: string) {
  const space: TestSpace = await platform().makeSpace({ organization });
  const { id } = await makeChangeRequest(space, subject);
  const path = `/v1/spaces/${space.id}/change-requests/${id}`;
  const { token } = organization;
  const request = (below: string, options: RequestOptions = {}) =>
    platform().request(path + below, { token, ...options });
  const send = (token: string | undefined, below: string, body: object) =>
    request(below, { ...(token === undefined ? {} : { token }), body });
  return {
    id,
    path,
    space,
    request,
    /** Submits a review and returns the response. */
    submit: (by?: string, body: object = { status: 'approved' }) => send(by, '/reviews', body),
    review: (by?: string, status = 'approved') =>
      json<ShownReview>(`${path}/reviews`, { token: by ?? token, body: { status } }),
    reviews: async (query = '') => (await json<List<ShownReview>>(`${path}/reviews${query}`, { token })).items,
    /** Requests reviews and returns the response. */
    tryAsk: (body: object, by?: string) => send(by, '/requested-reviewers', body),
    ask: (users: string[], teams: string[] = []) =>
      json<{ users: ShownRequest[]; teams: ShownRequest[] }>(`${path}/requested-reviewers`, {
        token,
        body: { users, teams },
      }),
    /** Returns the IDs of the requested users and teams. */
    listRequested: async () => {
      const { items } = await json<List<ShownRequest>>(`${path}/requested-reviewers`, { token });
      return items.map(({ user, team }) => user?.id ?? team?.id ?? '').sort();
    },
    edit: (by = token) => edit({ id: space.id, token: by }, [insertPage], id),
    read: () => json<{ status: string; subject: string; description?: string; revision: string }>(path, { token }),
    patch: (body: object) => json(path, { token, method: 'PATCH', body }),
    merge: () => request('/merge', { method: 'POST' }),
    update: () => request('/update', { method: 'POST' }),
    editLive: () => edit({ id: space.id, token }, [insertPage]),
  };
}
