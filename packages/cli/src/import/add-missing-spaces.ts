import type { GitbookSite, SiteFolder } from '@octavo/outline';
import type { Api } from '../api.ts';
import { createSpace, type SiteParams, toSpaceTitle } from '../spaces.ts';
import { addSections, type PresentSpace, readPresentSpaces, SiteUpdater } from './arrange-site.ts';

interface Structure {
  site: GitbookSite;
  /** The spaces that the site already has. */
  matches: ReadonlyMap<SiteFolder, PresentSpace>;
}

/**
 * Creates the missing spaces of a site, and adds each to the site at once, with its path. If the publish is then
 * interrupted, the next one finds them there. Other spaces of the site are not changed. Returns the space of each
 * folder.
 */
export async function addMissingSpaces(
  api: Api,
  params: SiteParams,
  { site, matches }: Structure,
): Promise<ReadonlyMap<SiteFolder, PresentSpace>> {
  const isMissing = (folder: SiteFolder) => !matches.has(folder);
  if (!site.spaces.some(isMissing)) return matches;
  const getSpace = async (folder: SiteFolder) =>
    isMissing(folder) ? createSpace(api, toSpaceTitle(folder.title), params.organizationId) : undefined;
  const sections = await addSections(api, params, { site, matches, getSpace });
  await new SiteUpdater(api, params, { file: site.file, emptyGroups: new Set() }).updateAdded(sections, isMissing);
  const present = new Map((await readPresentSpaces(api, params)).map((each) => [each.id, each]));
  const all = new Map(matches);
  for (const { id, folder } of sections.flatMap(({ siteSpaces }) => siteSpaces)) {
    const space = present.get(id);
    if (isMissing(folder) && space !== undefined) all.set(folder, space);
  }
  return all;
}
