/** All that an answer of a site follows from. */
export interface KeyParts {
  /** The software, and where it is reached. */
  build: string;
  publicUrl: string;
  sitesUrl: string;
  site: string;
  /** Count the changes of what the site shows, and of what all sites of its organization do. */
  shown: number;
  organizationShown: number;
  /** Changes with whom the site lets in. */
  stamp: string;
  shareLink: string;
  /** What the visitor is known by. */
  claims: object;
  /** When the visitor's token ends. */
  expires: number;
  origin: string;
  /** How many segments of the path are the site's own. */
  depth: number;
  path: string;
  /** Of what is no page. */
  query: string;
  form: 'html' | 'markdown';
}

const keyParts = [
  ...(['build', 'publicUrl', 'sitesUrl', 'site', 'shown', 'organizationShown', 'stamp'] as const),
  ...(['shareLink', 'claims', 'expires', 'origin', 'depth', 'path', 'query', 'form'] as const),
] satisfies (keyof KeyParts)[];

/** What an answer follows from beside what of the site is asked for. */
export const visitorParts = (parts: KeyParts): KeyParts => ({ ...parts, depth: 0, path: '', query: '', form: 'html' });

/** A text that is the same for no two requests that differ in any part. */
export const keyOf = (parts: KeyParts): string => JSON.stringify(keyParts.map((name) => parts[name]));
