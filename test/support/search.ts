import { json } from './content.ts';

export interface FoundSpace {
  id: string;
  title: string;
  pages: {
    id: string;
    title: string;
    path: string;
    urls: { app: string };
    sections?: { id: string; title: string; path: string; body: string; matches: { body: [number, number][] } }[];
  }[];
}

export interface Suggested {
  id: string;
  title: string;
  path: string;
  page: { id: string; title: string };
  space: { id: string; title: string };
  matches: { title: [number, number][] };
  urls: { app: string };
}

export interface SuggestedList {
  items: Suggested[];
  correctedQuery?: string;
}

interface Owner {
  id: string;
  token: string;
}

/** Searches all spaces of an organization. */
export const searchOrganization = ({ id, token }: Owner, words: string, more = '') =>
  json<{ count: number; items: FoundSpace[]; next?: { page: string } }>(
    `/v1/orgs/${id}/search?query=${encodeURIComponent(words)}${more}`,
    { token },
  );

/** Returns the suggestions of an organization for what was typed. */
export const suggest = ({ id, token }: Owner, words: string, more = '') =>
  json<SuggestedList>(`/v1/orgs/${id}/search/suggestions?query=${encodeURIComponent(words)}${more}`, { token });
