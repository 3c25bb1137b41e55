import { paginate } from '@octavo/client';
import type { Site } from '@octavo/schema';
import type { Api } from './api.ts';
import { Failure } from './failure.ts';
import { titleOfSpace } from './import/import-folder.ts';
import { collect, createSpace } from './spaces.ts';

const limit = '200';

export interface WantedSite {
  organizationId: string;
  /** The id of a site, or its title. */
  site: string;
  /** The id of a space, or `new`; left out, the default one of the site. */
  space: string | undefined;
}

/** The site that is meant, made where there is none of the title, and the space of it that is meant. */
export async function findSiteWithSpace(api: Api, wanted: WantedSite): Promise<{ site: Site; space: string }> {
  const { organizationId, space } = wanted;
  const found = await findSite(api, wanted);
  const shown = found && space === undefined ? await defaultSpaceOf(api, organizationId, found.id) : space;
  const isMade = shown === undefined || shown === 'new';
  const spaceId = isMade ? await createSpace(api, titleOfSpace(found?.title ?? wanted.site), organizationId) : shown;
  if (found === undefined) return { site: await createSite(api, wanted, spaceId), space: spaceId };
  if (space !== undefined || isMade) await showSpace(api, { organizationId, siteId: found.id }, spaceId);
  return { site: found, space: spaceId };
}

async function findSite(api: Api, { organizationId, site }: WantedSite): Promise<Site | undefined> {
  const sites = await collect(
    paginate((page) => api.listSites({ params: { organizationId }, query: { limit, page } })),
  );
  const [found, second] = sites.filter(({ id, title }) => id === site || title === site);
  if (second) throw new Failure(`There are several sites ${site}; name one by its id, such as --site ${second.id}.`, 2);
  if (!found && site.startsWith('site_')) throw new Failure(`There is no site ${site} in the organization.`);
  return found;
}

const createSite = (api: Api, { organizationId, site }: WantedSite, space: string): Promise<Site> =>
  api.createSite({ params: { organizationId }, body: { title: site, spaces: [space] } });

async function defaultSpaceOf(api: Api, organizationId: string, siteId: string): Promise<string | undefined> {
  const query = { default: 'true', limit: '1' } as const;
  const { items } = await api.listSiteSpaces({ params: { organizationId, siteId }, query });
  return items[0]?.space.id;
}

async function showSpace(api: Api, params: { organizationId: string; siteId: string }, spaceId: string): Promise<void> {
  const shown = await collect(paginate((page) => api.listSiteSpaces({ params, query: { limit, page } })));
  if (shown.some(({ space }) => space.id === spaceId)) return;
  await api.addSpaceToSite({ params, body: { spaceId } });
}
