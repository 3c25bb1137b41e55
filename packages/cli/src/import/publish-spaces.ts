import { type GitbookSite, isMarkdown, type OutlineSource, type Repository } from '@octavo/outline';
import type { Site } from '@octavo/schema';
import type { Api } from '../api.ts';
import { Failure } from '../failure.ts';
import { addMissingSpaces } from './add-missing-spaces.ts';
import { arrangeSite, readPresentSpaces } from './arrange-site.ts';
import { findFormerSpaces, redirectFormerSpaces, requireNoFormerSpaces } from './former-spaces.ts';
import type { ImportOptions } from './import-folder.ts';
import { type ImportedSite, importSite, mergeReports, requireConfirmedSite } from './import-site.ts';
import { matchSpaces } from './match-spaces.ts';
import { findVanishedAddresses, setRedirects } from './redirects.ts';
import { addTally, createTally, type ImportReport } from './report.ts';
import { findFolder } from './site-folders.ts';
import type { ImportProblem } from './source.ts';

interface PublishedSource {
  api: Api;
  source: OutlineSource;
  structure: GitbookSite & Pick<Repository, 'problems'>;
  organizationId: string;
  /** The site, if it exists. */
  site: Site | undefined;
  createSite: () => Promise<Site>;
  options: Omit<ImportOptions, 'space'>;
}

/**
 * Imports the spaces of a source into the spaces of a site, and updates the sections of the site to match the source.
 * Returns the ID of the site, unless it is a dry run or an import has conflicts.
 * @throws Failure if the source is incomplete, or if something would be removed that must be confirmed
 */
export async function publishSpaces(to: PublishedSource): Promise<{ report: ImportReport; siteId?: string }> {
  const { api, source, organizationId, options } = to;
  requireComplete(to);
  const site = to.site ?? (options.dryRun ? undefined : await to.createSite());
  const present = site === undefined ? [] : await readPresentSpaces(api, { organizationId, siteId: site.id });
  const matches = matchSpaces(source, to.structure, present);
  // The space of a folder without pages stays on the site unchanged.
  const spaces = to.structure.spaces.filter((folder) => folder.hasPages || matches.has(folder));
  const structure = { ...to.structure, spaces };
  const former = findFormerSpaces(source, { present, matches, isMirror: options.mirror === true });
  const siteImport = { api, source, site: structure, matches, options };
  if (options.dryRun !== true && options.yes !== true) {
    requireNoFormerSpaces(former, structure.file);
    await requireConfirmedSite(siteImport);
  }
  const all =
    site === undefined || options.dryRun
      ? matches
      : await addMissingSpaces(api, { organizationId, siteId: site.id }, { site: structure, matches });
  const imported = await importSite({ ...siteImport, matches: all });
  const report = mergeReports(structure, imported);
  report.problems.unshift(...structure.problems, ...reportOutside(source, structure));
  if (former.length > 0) report.removedSpaces = former.map(({ space: { id, title } }) => ({ id, title }));
  if (report.conflicts || site === undefined || report.dryRun) return { report };
  const siteId = site.id;
  const params = { organizationId, siteId };
  const { spaceIds } = imported;
  const arranged = await arrangeSite(api, params, { site: structure, spaceIds, matches: all, former });
  report.problems.push(...arranged.problems);
  for (const [folder, { prefix }] of arranged.locations) {
    const location = { ...params, space: spaceIds.get(folder) ?? '', prefix };
    await setSpaceRedirects(api, { imported: imported.imports.get(folder), location }, report);
  }
  const { locations } = arranged;
  await redirectFormerSpaces(api, params, { source, former, locations, spaceIds }, report);
  return { report, siteId };
}

/** @throws Failure if no folder has pages, or if the configuration could not be read completely */
function requireComplete({ structure: { file, spaces, problems }, options: { folder } }: PublishedSource): void {
  const failed = problems.find(({ kind }) => kind === 'failed');
  if (failed !== undefined) throw new Failure(`${failed.path}: ${failed.message} Nothing was changed.`);
  if (!spaces.some(({ hasPages }) => hasPages))
    throw new Failure(
      `None of the folders that ${file} names in ${folder} has pages. Nothing was changed. To import the files into ` +
        'a single space, pass --space.',
    );
}

type SpaceImport = ReturnType<ImportedSite['imports']['get']>;

async function setSpaceRedirects(
  api: Api,
  { imported, location }: { imported: SpaceImport; location: Parameters<typeof setRedirects>[2] },
  report: ImportReport,
): Promise<void> {
  if (imported === undefined) return;
  const { tally, problems } = await setRedirects(api, imported, location);
  report.redirects = addTally(report.redirects ?? createTally(), tally);
  report.problems.push(...problems);
  const vanished = await findVanishedAddresses(api, imported.report.removed, location);
  if (vanished.length > 0) report.vanished = [...(report.vanished ?? []), ...vanished];
}

/** Reports the markdown files that are in the folder of no space. */
const reportOutside = (source: OutlineSource, structure: GitbookSite): ImportProblem[] =>
  source.paths
    .filter((path) => isMarkdown(path) && findFolder(structure, path) === undefined)
    .map((path) => ({ path, kind: 'skipped', message: `Skipped, because it is in no folder of ${structure.file}.` }));
