import type { GitbookSite, OutlineSource, SiteFolder } from '@octavo/outline';
import { toSpaceTitle } from '../spaces.ts';
import { listPlannedSections, type PresentSpace } from './arrange-site.ts';
import { getFolderName } from './site-folders.ts';

/**
 * Finds the space of a site for each folder: the one that an earlier import of the folder wrote to, else the one at the
 * same address.
 */
export function matchSpaces(
  source: OutlineSource,
  site: GitbookSite,
  present: readonly PresentSpace[],
): Map<SiteFolder, PresentSpace> {
  const { spaces } = site;
  const hasSections = listPlannedSections(site).length > 0;
  const matches = new Map<SiteFolder, PresentSpace>();
  const names = new Map(spaces.map((space) => [getFolderName(source, space), space]));
  for (const space of present) {
    const folder = names.get(space.importedFrom ?? '');
    if (folder !== undefined && !matches.has(folder)) matches.set(folder, space);
  }
  const used = new Set(matches.values());
  for (const folder of spaces) {
    if (matches.has(folder)) continue;
    const { section = folder, path, title } = folder;
    const space = present.find(
      (each) =>
        !used.has(each) &&
        each.sectionPath === (hasSections ? section.path : undefined) &&
        (path === undefined ? each.space.title === toSpaceTitle(title) : each.path === path),
    );
    if (space === undefined) continue;
    matches.set(folder, space);
    used.add(space);
  }
  return matches;
}
