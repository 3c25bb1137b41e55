import type { ChangeRequest, MergeConflict, Page, SemanticChange } from '@octavo/schema';
import { isApiError } from '@octavo/schema';
import type { Api } from '../api.ts';
import { listSiteSpaces } from '../spaces.ts';

type Params = { spaceId: string; changeRequestId: string };

/** The paths and titles of pages by their ids. */
type PageNames = ReadonlyMap<string, Pick<Page, 'title'> & { path?: string }>;

const query = { computed: 'false', metadata: 'false' } as const;

/** Reads the titles and paths of the pages in a change request, and of the live pages that it deletes. */
export async function readPageNames(api: Api, params: Params): Promise<PageNames> {
  const [live, changed] = await Promise.all([
    api.listPages({ params: { spaceId: params.spaceId }, query }),
    api.listPagesInChangeRequest({ params, query }),
  ]);
  return new Map([...walk(live.pages), ...walk(changed.pages)]);
}

function* walk(pages: readonly Page[]): Generator<[string, { title: string; path?: string }]> {
  for (const page of pages) {
    yield [page.id, { title: page.title, ...('path' in page && { path: page.path }) }];
    if ('pages' in page) yield* walk(page.pages);
  }
}

/** Adds the path of the page to a change. */
export function addPath(change: SemanticChange, names: PageNames): SemanticChange {
  const path = 'page' in change ? names.get(change.page.id)?.path : undefined;
  return 'page' in change && path !== undefined ? { ...change, page: { ...change.page, path } } : change;
}

/** Names the item of a conflict: the title of a page with its path, the title of another item, or its id. */
export function addConflictPath({ id, title }: MergeConflict, names: PageNames): string {
  const page = names.get(id);
  const name = page?.title ?? title ?? id;
  return page?.path === undefined ? name : `${name} (${page.path})`;
}

/** Returns the next steps after a merge that conflicts. */
export const explainConflicts = ({ number, urls }: Pick<ChangeRequest, 'number' | 'urls'>): string[] => [
  `To resolve them, pull the live content into the change request: POST ${urls.location}/update. Then resolve each ` +
    `conflict: POST ${urls.location}/content with the operation resolve.`,
  `Run octavo change-request merge ${number} again afterwards. The guide docs/guides/change-requests.md has examples.`,
];

/**
 * Returns a URL where a site shows the change request to the caller. The URL is valid for an hour. Undefined if the
 * caller may see no site that shows the space.
 */
export async function getPreviewUrl(api: Api, { id, space }: ChangeRequest): Promise<string | undefined> {
  try {
    const { organization: organizationId } = await api.getSpaceById({ params: { spaceId: space } });
    const { items: sites } = await api.listSites({ params: { organizationId }, query: { space, limit: '1' } });
    const [site] = sites;
    if (site === undefined) return undefined;
    const params = { organizationId, siteId: site.id };
    const siteSpace = (await listSiteSpaces(api, params)).find((each) => each.space.id === space);
    if (siteSpace === undefined) return undefined;
    const preview = await api.getSitePublishingPreviewById({ params, query: { siteSpace: siteSpace.id } });
    const url = new URL(preview.url);
    url.pathname = `${url.pathname.replace(/\/$/, '')}/~/changes/${id}/`;
    return url.href;
  } catch (error) {
    // A token may be allowed to read the space, but not its sites.
    if (isApiError(error) && (error.type === 'forbidden' || error.type === 'not_found')) return undefined;
    throw error;
  }
}
