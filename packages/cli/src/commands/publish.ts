import { type OutlineSource, readSiteStructure } from '@octavo/outline';
import type { Site } from '@octavo/schema';
import { type Api, connect } from '../api.ts';
import { findConnection } from '../connection.ts';
import { createMisuseError, Failure } from '../failure.ts';
import { findFolderTitle, type ImportOptions, importSource } from '../import/import-folder.ts';
import { publishSpaces } from '../import/publish-spaces.ts';
import { findVanishedAddresses, setRedirects } from '../import/redirects.ts';
import type { ImportReport } from '../import/report.ts';
import { readSource } from '../import/source.ts';
import { createSpace, findOnlyOrganization, listSiteSpaces, listSites, toSpaceTitle } from '../spaces.ts';
import { print, showProgress, type Terminal } from '../terminal.ts';
import { type Command, createFlag, createTextOption, getText } from './command.ts';
import { getRemoval, importFields, pickReadingOptions, readingOptions, removalOptions } from './import.ts';
import { printImport } from './report-import.ts';

const shortestTitle = 2;

export const publish: Command = {
  summary: 'Import a folder or a zip of markdown into the space of a site, publish the site and print its URL',
  arguments: ['<folder|zip>'],
  options: {
    site: createTextOption(
      '<id|title>',
      'The id or title of the site. A new title creates a site. The default is the title of the docs',
    ),
    space: createTextOption(
      '<id|new>',
      'The space to import into; `new` creates one. The default is the default space of the site',
    ),
    organization: createTextOption(
      '<id>',
      'The organization of the site. Required if you can create spaces in several',
    ),
    ...readingOptions,
    ...removalOptions,
    yes: createFlag('Confirm the removal of more than half of the pages of a space, or of spaces from the site'),
  },
  json: { fields: [...importFields, 'redirects?', 'vanished?', 'spaces?', 'removedSpaces?', 'site?'] },
  run: async ({ values, positionals: [folder = ''] }, terminal) => {
    const source = await readSource(folder);
    const space = getText(values.space);
    const structure = space === undefined ? await readSiteStructure(source) : undefined;
    const site = getText(values.site) ?? structure?.title ?? (await findFolderTitle(folder));
    if (site.length < shortestTitle)
      throw createMisuseError(
        `The title of a site has at least ${shortestTitle} characters. ${site} is too short, so set another one with --site.`,
      );
    const connection = await findConnection(terminal.env);
    const api = connect(connection);
    const organizationId = getText(values.organization) ?? (await findOnlyOrganization(api, 'createContent')).id;
    const request: WantedSite = { organizationId, site, space };
    const options = {
      ...{ api: connection, folder, organization: organizationId },
      ...pickReadingOptions(values),
      ...getRemoval(values),
      onProgress: showProgress('Importing', terminal.stderr),
    };
    const { report, siteId } = structure
      ? await publishSpaces({
          ...{ api, source, structure, organizationId, options, site: await findSite(api, request) },
          createSite: () => createSite(api, request, []),
        })
      : await publishSpace(api, { source, request, options });
    if (siteId === undefined) return printImport(terminal, report, values.json === true);
    const { title, urls } = await api.publishSite({ params: { organizationId, siteId } });
    if (values.json === true)
      return printImport(terminal, { ...report, site: { id: siteId, title, url: urls.published ?? '' } }, true);
    const exitCode = printImport(terminal, report);
    printBrokenAddresses(terminal, report.vanished ?? [], `/v1/orgs/${organizationId}/sites/${siteId}/redirects`);
    print(terminal, `Published the site ${title} (${siteId}): ${urls.published}`);
    return exitCode;
  },
};

interface PublishedSource {
  source: OutlineSource;
  request: WantedSite;
  options: Omit<ImportOptions, 'space'>;
}

/**
 * Imports a source into one space of a site. Returns the ID of the site, unless it is a dry run or the import has
 * conflicts.
 */
async function publishSpace(
  api: Api,
  { source, request, options }: PublishedSource,
): Promise<{ report: ImportReport; siteId?: string }> {
  const { organizationId } = request;
  let siteId = '';
  const { report, ...redirects } = await importSource(source, {
    ...options,
    space: async () => {
      if (options.dryRun === true) return findExistingSpace(api, request);
      const target = await findOrCreateSite(api, request);
      siteId = target.site.id;
      return target.space;
    },
  });
  if (report.conflicts || report.dryRun) return { report };
  const location = { organizationId, siteId, space: report.space };
  const set = await setRedirects(api, redirects, location);
  report.redirects = set.tally;
  report.problems.push(...set.problems);
  const vanished = await findVanishedAddresses(api, report.removed, location);
  if (vanished.length > 0) report.vanished = vanished;
  return { report, siteId };
}

const mostVanished = 20;

/**
 * Lists the addresses that the site no longer has. For each address, prints the API request that creates a redirect for
 * it.
 */
function printBrokenAddresses(terminal: Terminal, vanished: string[], path: string): void {
  if (vanished.length === 0) return;
  for (const address of vanished.slice(0, mostVanished)) print(terminal, `  no longer exists: ${address}`);
  if (vanished.length > mostVanished)
    print(terminal, `  and ${vanished.length - mostVanished} more. Use --json to list all`);
  const redirect = `{"source": "${vanished[0]}", "destination": {"kind": "external", "url": "<address>"}}`;
  print(terminal, `  To send the readers of such an address to another one, add a redirect: POST ${path} ${redirect}`);
}

interface WantedSite {
  organizationId: string;
  /** ID or title of a site. */
  site: string;
  /** ID of a space, or `new`. If undefined, the default space of the site is used. */
  space: string | undefined;
}

/**
 * Returns the requested site and space. Creates the site if it does not exist, and a space if one is requested or the
 * site has none.
 */
async function findOrCreateSite(api: Api, request: WantedSite): Promise<{ site: Site; space: string }> {
  const { organizationId, space } = request;
  const site = await findSite(api, request);
  const defaultSpace = site && space === undefined ? await getDefaultSpace(api, organizationId, site.id) : space;
  const isNewSpace = defaultSpace === undefined || defaultSpace === 'new';
  const spaceId = isNewSpace
    ? await createSpace(api, toSpaceTitle(site?.title ?? request.site), organizationId)
    : defaultSpace;
  if (site === undefined) return { site: await createSite(api, request, [spaceId]), space: spaceId };
  if (space !== undefined || isNewSpace) await showSpace(api, { organizationId, siteId: site.id }, spaceId);
  return { site, space: spaceId };
}

/** Returns the space that a publish would import into, or undefined if it would create one. */
async function findExistingSpace(api: Api, wantedSite: WantedSite): Promise<string | undefined> {
  const site = await findSite(api, wantedSite);
  if (wantedSite.space !== undefined) return wantedSite.space === 'new' ? undefined : wantedSite.space;
  return site && getDefaultSpace(api, wantedSite.organizationId, site.id);
}

async function findSite(api: Api, { organizationId, site }: WantedSite): Promise<Site | undefined> {
  const sites = await listSites(api, organizationId);
  const exact = sites.filter(({ id, title }) => id === site || title === site);
  // The name of a folder often differs from the title of its site only in case.
  const alike = sites.filter(({ title }) => title.toLowerCase() === site.toLowerCase());
  const [found, second] = exact.length > 0 ? exact : alike;
  if (second) throw new Failure(`Several sites are named ${site}. Choose one by id, such as --site ${second.id}.`, 2);
  if (!found && site.startsWith('site_'))
    throw new Failure(`The organization has no site ${site}. Pass the id or the title of another site.`);
  return found;
}

const createSite = (api: Api, { organizationId, site }: WantedSite, spaces: string[]): Promise<Site> =>
  api.createSite({ params: { organizationId }, body: { title: site, spaces } });

async function getDefaultSpace(api: Api, organizationId: string, siteId: string): Promise<string | undefined> {
  const query = { default: 'true', limit: '1' } as const;
  const { items } = await api.listSiteSpaces({ params: { organizationId, siteId }, query });
  return items[0]?.space.id;
}

async function showSpace(api: Api, params: { organizationId: string; siteId: string }, spaceId: string): Promise<void> {
  if ((await listSiteSpaces(api, params)).some(({ space }) => space.id === spaceId)) return;
  await api.addSpaceToSite({ params, body: { spaceId } });
}
