import type { SpaceClient } from '../space-client.ts';

interface Reference {
  kind: string;
  url?: string;
  page?: { id: string; title: string; path?: string; pages?: unknown[] };
  file?: { id: string };
  space?: { id: string };
  organization?: { id: string };
  reusableContent?: { id: string };
  versionContext?: { type: string; revision?: { id: string }; changeRequest?: { id: string } };
  internalLocation?: { type: string; anchor: string };
}

export interface TestLink {
  id: string;
  locations: number;
  status: string;
  reason?: string;
  relation: string;
  target: string;
  targetReference?: Reference;
  locationReferences: Reference[];
}

export interface TestLinks {
  count: number;
  items: TestLink[];
  next?: { page: string };
  stats: { total: number; broken: { total: number; changeRequest?: number } };
}

export const listSpaceLinks = (space: SpaceClient, query = '') =>
  space.callJson<TestLinks>(`/links?limit=1000${query}`);

export const listPageLinks = (space: SpaceClient, page: string, branch?: string) =>
  space.callJson<TestLinks>(
    `${branch === undefined ? '' : `/change-requests/${branch}`}/content/page/${page}/links?limit=1000`,
  );

export interface TestLocations {
  count: number;
  items: Reference[];
  next?: { page: string };
}

/** Maps each target to the ID and anchor that it resolves to, to its URL, or to its status if it is not resolved. */
export const getTargetsByText = ({ items }: TestLinks): Record<string, string> =>
  Object.fromEntries(items.map((item) => [item.target, getMeaning(item)]));

function getMeaning({ status, targetReference: to }: TestLink): string {
  if (to === undefined) return status;
  const anchor = to.internalLocation === undefined ? '' : `#${to.internalLocation.anchor}`;
  const id = to.page?.id ?? to.file?.id ?? to.reusableContent?.id ?? to.url ?? to.space?.id ?? '';
  return `${id}${anchor}`;
}

/** Returns a change that inserts a page with links to these targets. */
export const insertLinkingPage = (title: string, targets: string[], more: object = {}) => ({
  operation: 'insert_page',
  title,
  document: { markdown: targets.map((target) => `[x](<${target}>)\n`).join('\n') },
  ...more,
});

/** Creates one page and returns its ID, so that later pages can link to it. */
export async function createPage(space: SpaceClient, change: { operation: string }, branch?: string): Promise<string> {
  const [id] = await space.change([change], branch);
  if (id === undefined) throw new Error('No page was made.');
  return id;
}
