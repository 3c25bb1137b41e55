import { textKey } from '@octavo/markdown';

/** An id of what the addresses of a text mean, as 14 characters: two that mean the same have the same, in whatever order. */
export const idOfLinks = (links: Readonly<Record<string, string>>): string =>
  textKey(JSON.stringify(Object.entries(links).sort(([one], [other]) => (one < other ? -1 : 1))));
