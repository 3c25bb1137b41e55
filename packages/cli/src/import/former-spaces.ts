import { mapConcurrently } from '@octavo/client';
import type { OutlineSource, SiteFolder } from '@octavo/outline';
import { type Present, presentTree, walkPresent } from '@octavo/space-files';
import type { Api } from '../api.ts';
import { Failure } from '../failure.ts';
import type { SiteParams } from '../spaces.ts';
import type { PresentSpace, SiteSpaceLocation } from './arrange-site.ts';
import { type MovedAddress, redirectAddresses } from './redirects.ts';
import { addTally, createTally, type ImportReport } from './report.ts';

interface ComparedSpaces {
  present: readonly PresentSpace[];
  matches: ReadonlyMap<SiteFolder, PresentSpace>;
  /** Whether to include the spaces that other sources or users added. */
  isMirror: boolean;
}

/**
 * Returns the spaces that earlier imports of the source added to the site, and that it no longer has. Sources are
 * recognized by their names only, so the user must confirm that these spaces are removed from the site.
 */
export function findFormerSpaces(
  { name }: OutlineSource,
  { present, matches, isMirror }: ComparedSpaces,
): PresentSpace[] {
  const found = new Set(matches.values());
  const isFromSource = ({ importedFrom = '' }: PresentSpace): boolean =>
    importedFrom === name || importedFrom.startsWith(`${name}/`);
  return present.filter((each) => !found.has(each) && (isMirror || isFromSource(each)));
}

const mostNamed = 20;

/** @throws Failure if spaces would be removed from the site */
export function requireNoFormerSpaces(former: readonly PresentSpace[], file: string): void {
  if (former.length === 0) return;
  const names = former.slice(0, mostNamed).map(({ space: { id, title } }) => `${title} (${id})`);
  const more = former.length > mostNamed ? ` and ${former.length - mostNamed} more` : '';
  throw new Failure(
    `The site has spaces that ${file} does not have: ${names.join(', ')}${more}. Nothing was changed. To remove them ` +
      'from the site, pass --yes. If another source with the same name published them, rename the folder or archive.',
  );
}

interface Replacement {
  source: OutlineSource;
  former: readonly PresentSpace[];
  locations: ReadonlyMap<SiteFolder, SiteSpaceLocation>;
  spaceIds: ReadonlyMap<SiteFolder, string>;
}

const concurrency = 4;

/**
 * Redirects the addresses of former spaces to the same pages in the spaces of the source, and reports the addresses
 * that no longer exist.
 */
export async function redirectFormerSpaces(
  api: Api,
  params: SiteParams,
  { source, former, locations, spaceIds }: Replacement,
  report: ImportReport,
): Promise<void> {
  if (former.length === 0) return;
  const spaces = await mapConcurrently([...locations], concurrency, async ([folder, location]) => {
    const pages = await readPages(api, spaceIds.get(folder) ?? '');
    return pages.map((page) => ({ page, path: `${folder.folder}${page.git?.path}`, ...location }));
  });
  const imported = spaces.flat().filter(({ page }) => page.git !== undefined);
  const addresses = new Set(spaces.flat().flatMap(({ prefix, page }) => [prefix, `${prefix}/${page.path}`]));
  const byPath = new Map(imported.map((each) => [each.path, each]));
  const byText = Map.groupBy(imported, ({ page }) => page.git?.oid);
  const moved = await mapConcurrently(former, concurrency, async (each): Promise<MovedAddress[]> => {
    const pages = await readPages(api, each.space.id);
    return pages.flatMap(({ path, git }, index) => {
      const all = [...(index === 0 ? [each.prefix] : []), `${each.prefix}/${path}`];
      const alike = git === undefined ? [] : (byText.get(git.oid) ?? []);
      const isWhole = each.importedFrom === source.name;
      const same = (isWhole && byPath.get(git?.path ?? '')) || (alike.length === 1 ? alike[0] : undefined);
      const target = same && { target: { siteSpaceId: same.siteSpaceId, page: same.page.id } };
      return all.filter((address) => !addresses.has(address)).map((address) => ({ address, ...target }));
    });
  });
  const removed = new Set(former.map(({ id }) => id));
  const { tally, problems, vanished } = await redirectAddresses(api, params, { moved: moved.flat(), removed });
  report.redirects = addTally(report.redirects ?? createTally(), tally);
  report.problems.push(...problems);
  if (vanished.length > 0) report.vanished = [...(report.vanished ?? []), ...vanished];
}

/** Reads the pages of a space that have a text. */
async function readPages(api: Api, spaceId: string): Promise<Present[]> {
  const { pages } = await api.listPages({ params: { spaceId }, query: { computed: 'false' } });
  return [...walkPresent(presentTree(pages))].filter(({ kind }) => kind === 'page');
}
