import { mapConcurrently, paginate } from '@octavo/client';
import type { Organization, Site, SiteSpace, Space } from '@octavo/schema';
import type { Api } from './api.ts';
import { Failure } from './failure.ts';

/** Lists all items of a paginated list. */
export const listAll = <Item>(
  list: (query: { limit: string; page: string | undefined }) => ReturnType<Parameters<typeof paginate<Item>>[0]>,
): Promise<Item[]> => collect(paginate((page) => list({ limit: '1000', page })));

export const listOrganizations = (api: Api): Promise<Organization[]> =>
  listAll((query) => api.listOrganizationsForAuthenticatedUser({ query }));

/** Lists the spaces of an organization that the caller may see. */
export const listSpaces = (api: Api, organizationId: string): Promise<Space[]> =>
  listAll((query) => api.listSpacesInOrganizationById({ params: { organizationId }, query }));

/** Lists the sites of an organization that the caller may see. */
export const listSites = (api: Api, organizationId: string): Promise<Site[]> =>
  listAll((query) => api.listSites({ params: { organizationId }, query }));

export interface SiteParams {
  organizationId: string;
  siteId: string;
}

/** Lists the spaces that a site publishes and the caller may see. */
export const listSiteSpaces = (api: Api, params: SiteParams): Promise<SiteSpace[]> =>
  listAll((query) => api.listSiteSpaces({ params, query }));

/**
 * Creates a space in the given organization, or in the only organization where the caller may create spaces. Returns
 * its ID.
 */
export async function createSpace(api: Api, title: string, organization?: string): Promise<string> {
  const organizationId = organization ?? (await findOnlyOrganization(api, 'createContent')).id;
  return (await api.createSpace({ params: { organizationId }, body: { title } })).id;
}

const maxTitleLength = 50;

/** Truncates a title to the maximum length of a space title. */
export const toSpaceTitle = (title: string): string => title.slice(0, maxTitleLength).toWellFormed();

const maxInspected = 5;

/** Returns other empty spaces with the same title, such as those that an interrupted import has left. */
export async function findEmptyNamesakes(api: Api, spaceId: string): Promise<string[]> {
  const { title, organization } = await api.getSpaceById({ params: { spaceId } });
  const alike = (await listSpaces(api, organization)).filter((each) => each.title === title && each.id !== spaceId);
  const query = { computed: 'false', depth: '0' } as const;
  const candidates = await mapConcurrently(alike.slice(0, maxInspected), maxInspected, async ({ id }) => {
    const { pages, files, reusableContents } = await api.getCurrentRevision({ params: { spaceId: id }, query });
    return pages.length + files.length + reusableContents.length === 0 ? [id] : [];
  });
  return candidates.flat();
}

const mayDo = {
  createContent: 'create spaces',
  createOpenAPISpec: 'create OpenAPI specifications',
  admin: 'publish integrations',
};

/**
 * Returns the only organization where the caller has a permission.
 * @throws Failure if there is none or more than one
 */
export async function findOnlyOrganization(api: Api, right: keyof typeof mayDo): Promise<Organization> {
  const organizations = (await listOrganizations(api)).filter(({ permissions }) => permissions[right]);
  const [first, second] = organizations;
  if (!first) throw new Failure(`You are not allowed to ${mayDo[right]} in any of your organizations.`);
  if (!second) return first;
  const names = organizations.map(({ id, title }) => `${id} (${title})`).join(', ');
  throw new Failure(`You belong to several organizations. Choose one with --organization: ${names}.`, 2);
}

export async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}
