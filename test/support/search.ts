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
