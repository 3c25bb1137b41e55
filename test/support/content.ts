import type { RequestOptions, Server } from './platform.ts';
import { platform } from './platform.ts';

export interface TestChangeRequest {
  id: string;
  number: number;
  space: string;
  revision: string;
}

interface Owner {
  id: string;
  token: string;
}

/** Expects a successful response and returns its JSON. */
export async function json<Body>(path: string, options: RequestOptions, server: Server = platform()) {
  const response = await server.request(path, options);
  if (!response.ok) throw new Error(`${path} answered ${response.status} ${await response.text()}`);
  return (await response.json()) as Body;
}

export const makeChangeRequest = (
  { id, token }: Owner,
  subject = 'A change',
  server?: Server,
): Promise<TestChangeRequest> => json(`/v1/spaces/${id}/change-requests`, { token, body: { subject } }, server);

/** Applies changes to the live content or to a change request. Returns the page ids in the order of the changes. */
export async function edit({ id, token }: Owner, changes: object[], changeRequest?: string): Promise<string[]> {
  const branch = changeRequest === undefined ? '' : `/change-requests/${changeRequest}`;
  const path = `/v1/spaces/${id}${branch}/content${branch === '' ? '' : '?compat=false'}`;
  const answer = await json<{ changes: { page: { id: string } | string }[] }>(path, { token, body: { changes } });
  return answer.changes.map(({ page }) => (typeof page === 'string' ? page : page.id));
}

export async function makePage(space: Owner, title: string, markdown = '', more: object = {}): Promise<string> {
  const [page] = await edit(space, [{ operation: 'insert_page', title, document: { markdown }, ...more }]);
  if (page === undefined) throw new Error('The page was not made.');
  return page;
}

export const merge = ({ id, token }: Owner, changeRequest: string) =>
  platform().request(`/v1/spaces/${id}/change-requests/${changeRequest}/merge`, { token, method: 'POST' });

interface PageHit {
  id: string;
  title: string;
  path: string;
  sections?: { id: string; title: string; path: string; body: string; matches: Record<'title' | 'body', Range[]> }[];
}

/** The first character of a match, and the one after its last. */
type Range = [start: number, end: number];

export const searchSpace = ({ id, token }: Owner, words: string, more = '') =>
  json<{ count: number; items: PageHit[]; next?: { page: string }; correctedQuery?: string }>(
    `/v1/spaces/${id}/search?query=${encodeURIComponent(words)}${more}`,
    { token },
  );
