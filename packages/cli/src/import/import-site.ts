import { mapConcurrently } from '@octavo/client';
import type { GitbookSite, OutlineSource, SiteFolder } from '@octavo/outline';
import type { Api } from '../api.ts';
import { listPlannedSections, type PresentSpace } from './arrange-site.ts';
import type { BrokenLinks } from './broken-links.ts';
import { type Imported, type ImportOptions, importSource, requireConfirmedImport } from './import-folder.ts';
import { addTally, type ImportReport, type PublishedSpace } from './report.ts';
import { createFolderSource, SiteLinks } from './site-folders.ts';

interface SiteImport {
  api: Api;
  source: OutlineSource;
  site: GitbookSite;
  /** The spaces of the site. A dry run has no spaces for folders that are new. */
  matches: ReadonlyMap<SiteFolder, PresentSpace>;
  options: Omit<ImportOptions, 'space'>;
}

export interface ImportedSite {
  imports: Map<SiteFolder, Imported>;
  /** The spaces that were imported into. */
  spaceIds: Map<SiteFolder, string>;
}

const concurrency = 4;

/** @throws Failure if the import of a space would remove so many pages that it must be confirmed */
export async function requireConfirmedSite({ source, site, matches, options }: SiteImport): Promise<void> {
  const matched = [...matches].filter(([{ hasPages }]) => hasPages);
  await mapConcurrently(matched, concurrency, ([folder, { space }]) =>
    requireConfirmedImport(createFolderSource(source, site, folder), {
      ...options,
      folder: `${folder.folder || './'} in ${options.folder}`,
      space: async () => space.id,
    }),
  );
}

/** Imports each space of a site that has pages. If an import has conflicts, the following spaces are not imported. */
export async function importSite(to: SiteImport): Promise<ImportedSite> {
  const { api, source, site, matches, options } = to;
  const spaceIds = new Map([...matches].map(([folder, { space }]) => [folder, space.id]));
  const imports = new Map<SiteFolder, Imported>();
  const links = new SiteLinks(api, source, { site, spaceIds });
  for (const folder of site.spaces.filter(({ hasPages }) => hasPages)) {
    const imported = await importSpace(to, folder, { spaceId: spaceIds.get(folder), links });
    imports.set(folder, imported);
    if (imported.report.conflicts !== undefined) return { imports, spaceIds };
  }
  if (options.dryRun) return { imports, spaceIds };
  // Pages that were created by this import have IDs now, so links from other spaces to them can be stored.
  const completeLinks = new SiteLinks(api, source, { site, spaceIds });
  for (const folder of links.incomplete) {
    const { report } = await importSpace(to, folder, { spaceId: spaceIds.get(folder), links: completeLinks });
    const first = imports.get(folder)?.report;
    if (first !== undefined) Object.assign(first, { brokenLinks: report.brokenLinks, conflicts: report.conflicts });
  }
  return { imports, spaceIds };
}

const importSpace = (
  { source, site, options }: SiteImport,
  folder: SiteFolder,
  { spaceId, links }: { spaceId: string | undefined; links: SiteLinks },
): Promise<Imported> =>
  importSource(createFolderSource(source, site, folder), {
    ...options,
    space: async () => spaceId,
    addLinks: (repository) => links.addLinks(repository, folder, options.dryRun === true),
  });

/** Returns one report about all spaces of a site. Paths are those in the whole source. */
export function mergeReports(site: GitbookSite, { imports }: ImportedSite): ImportReport {
  const [first, ...others] = [...imports].map(([folder, { report }]) => addFolderToPaths(folder, report));
  if (first === undefined) throw new Error('A site has at least one space.');
  const merged: ImportReport = { ...first, convention: { name: 'gitbook', path: site.file } };
  for (const report of others) {
    for (const key of ['pages', 'files', 'reusableContents', 'variables'] as const)
      merged[key] = addTally(merged[key], report[key]);
    merged.removed = [...merged.removed, ...report.removed];
    merged.moved = [...merged.moved, ...report.moved];
    merged.problems = [...merged.problems, ...report.problems];
    const { brokenLinks, conflicts, changeRequest = merged.changeRequest } = report;
    if (changeRequest !== undefined) merged.changeRequest = changeRequest;
    const allBroken = [merged.brokenLinks ?? [], brokenLinks ?? []].flat();
    if (allBroken.length > 0) merged.brokenLinks = mergeBrokenLinks(allBroken);
    if (conflicts !== undefined) Object.assign(merged, { conflicts, space: report.space });
  }
  const { formerRevision: _, ...report } = merged;
  return { ...report, spaces: describeSpaces(site, imports) };
}

const describeSpaces = (site: GitbookSite, imports: ImportedSite['imports']): PublishedSpace[] => {
  const sections = new Map(
    listPlannedSections(site).flatMap(({ entry, spaces }) => spaces.map((each) => [each, entry])),
  );
  return [...imports].map(([folder, { report }]) => ({
    id: report.space,
    title: folder.title,
    folder: folder.folder,
    ...(folder.group !== undefined && { group: folder.group.title }),
    ...(sections.has(folder) && { section: sections.get(folder)?.title ?? '' }),
    ...(report.changeRequest !== undefined && { changeRequest: report.changeRequest }),
    ...(report.formerRevision !== undefined && { formerRevision: report.formerRevision }),
  }));
};

function addFolderToPaths({ folder }: SiteFolder, report: ImportReport): ImportReport {
  const { removed, moved, problems, brokenLinks } = report;
  return {
    ...report,
    removed: removed.map((item) => ({ ...item, ...(item.path !== undefined && { path: `${folder}${item.path}` }) })),
    moved: moved.map((item) => ({ ...item, path: `${folder}${item.path}` })),
    problems: problems.map((problem) => ({ ...problem, path: `${folder}${problem.path}` })),
    ...(brokenLinks && {
      brokenLinks: {
        ...brokenLinks,
        links: brokenLinks.links.map((link) => ({ ...link, places: link.places.map((place) => `${folder}${place}`) })),
      },
    }),
  };
}

function mergeBrokenLinks(all: BrokenLinks[]): BrokenLinks {
  const reasons: BrokenLinks['reasons'] = {};
  for (const each of all)
    for (const [reason, count] of Object.entries(each.reasons) as [keyof typeof reasons, number][])
      reasons[reason] = (reasons[reason] ?? 0) + count;
  const total = all.reduce((sum, each) => sum + each.total, 0);
  return { total, reasons, links: all.flatMap(({ links }) => links) };
}
