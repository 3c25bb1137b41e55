import { paginate } from '@octavo/client';
import type { Site } from '@octavo/schema';
import { type Api, connect } from '../api.ts';
import { findConnection } from '../connection.ts';
import { createMisuseError, Failure } from '../failure.ts';
import { findFolderTitle, importFolder, toSpaceTitle } from '../import/import-folder.ts';
import { findVanished, setRedirects } from '../import/redirects.ts';
import { collect, createSpace, findOnlyOrganization } from '../spaces.ts';
import { print, showProgress, type Terminal } from '../terminal.ts';
import { type Command, createTextOption, getText } from './command.ts';
import { getReading, getRemoval, importFields, readingOptions, removalOptions } from './import.ts';
import { printImport } from './report-import.ts';

const shortestTitle = 2;

export const publish: Command = {
  summary: 'Import a folder or a zip of markdown into the space of a site, publish the site and print its URL',
  arguments: ['<folder|zip>'],
  options: {
    site: createTextOption(
      '<id|title>',
      'The site; it is created if none has the title. The default is the title of the docs',
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
  },
  json: { fields: [...importFields, 'redirects?', 'vanished?', 'site?'] },
  run: async ({ values, positionals: [folder = ''] }, terminal) => {
    const site = getText(values.site) ?? (await findFolderTitle(folder));
    if (site.length < shortestTitle)
      throw createMisuseError(
        `The title of a site has at least ${shortestTitle} characters. ${site} is too short, so set another one with --site.`,
      );
    const connection = await findConnection(terminal.env);
    const api = connect(connection);
    const organizationId = getText(values.organization) ?? (await findOnlyOrganization(api, 'createContent')).id;
    const request: WantedSite = { organizationId, site, space: getText(values.space) };
    let siteId = '';
    const { report, ...redirects } = await importFolder({
      api: connection,
      folder,
      organization: organizationId,
      ...getReading(values),
      ...getRemoval(values),
      space: async () => {
        if (values['dry-run'] === true) return findPresentSpace(api, request);
        const target = await findSiteWithSpace(api, request);
        siteId = target.site.id;
        return target.space;
      },
      onProgress: showProgress('Importing', terminal.stderr),
    });
    if (report.conflicts || report.dryRun) return printImport(terminal, report, values.json === true);
    const set = await setRedirects(api, redirects, { organizationId, siteId, space: report.space });
    report.redirects = set.tally;
    report.problems.push(...set.problems);
    const vanished = await findVanished(api, report.removed, { organizationId, siteId, space: report.space });
    if (vanished.length > 0) report.vanished = vanished;
    const { title, urls } = await api.publishSite({ params: { organizationId, siteId } });
    if (values.json === true)
      return printImport(terminal, { ...report, site: { id: siteId, title, url: urls.published ?? '' } }, true);
    const exitCode = printImport(terminal, report);
    printVanished(terminal, vanished, `/v1/orgs/${organizationId}/sites/${siteId}/redirects`);
    print(terminal, `Published the site ${title} (${siteId}): ${urls.published}`);
    return exitCode;
  },
};

const mostVanished = 20;

/** Lists the addresses that the site no longer has, with the API request that would redirect them. */
function printVanished(terminal: Terminal, vanished: string[], path: string): void {
  if (vanished.length === 0) return;
  for (const address of vanished.slice(0, mostVanished)) print(terminal, `  no longer answers: ${address}`);
  if (vanished.length > mostVanished)
    print(terminal, `  and ${vanished.length - mostVanished} more. Use --json to list all`);
  const redirect = `{"source": "${vanished[0]}", "destination": {"kind": "external", "url": "<address>"}}`;
  print(terminal, `  To send the readers of such an address to another one, add a redirect: POST ${path} ${redirect}`);
}

const limit = '200';

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
async function findSiteWithSpace(api: Api, request: WantedSite): Promise<{ site: Site; space: string }> {
  const { organizationId, space } = request;
  const site = await findSite(api, request);
  const shown = site && space === undefined ? await getDefaultSpace(api, organizationId, site.id) : space;
  const isNewSpace = shown === undefined || shown === 'new';
  const spaceId = isNewSpace
    ? await createSpace(api, toSpaceTitle(site?.title ?? request.site), organizationId)
    : shown;
  if (site === undefined) return { site: await createSite(api, request, spaceId), space: spaceId };
  if (space !== undefined || isNewSpace) await showSpace(api, { organizationId, siteId: site.id }, spaceId);
  return { site, space: spaceId };
}

/** Returns the space that a publish would import into, or undefined if it would create one. */
async function findPresentSpace(api: Api, wanted: WantedSite): Promise<string | undefined> {
  const site = await findSite(api, wanted);
  if (wanted.space !== undefined) return wanted.space === 'new' ? undefined : wanted.space;
  return site && getDefaultSpace(api, wanted.organizationId, site.id);
}

async function findSite(api: Api, { organizationId, site }: WantedSite): Promise<Site | undefined> {
  const sites = await collect(
    paginate((page) => api.listSites({ params: { organizationId }, query: { limit, page } })),
  );
  const exact = sites.filter(({ id, title }) => id === site || title === site);
  // The name of a folder often differs from the title of its site only in case.
  const alike = sites.filter(({ title }) => title.toLowerCase() === site.toLowerCase());
  const [found, second] = exact.length > 0 ? exact : alike;
  if (second) throw new Failure(`Several sites are named ${site}. Choose one by id, such as --site ${second.id}.`, 2);
  if (!found && site.startsWith('site_')) throw new Failure(`The organization has no site ${site}.`);
  return found;
}

const createSite = (api: Api, { organizationId, site }: WantedSite, space: string): Promise<Site> =>
  api.createSite({ params: { organizationId }, body: { title: site, spaces: [space] } });

async function getDefaultSpace(api: Api, organizationId: string, siteId: string): Promise<string | undefined> {
  const query = { default: 'true', limit: '1' } as const;
  const { items } = await api.listSiteSpaces({ params: { organizationId, siteId }, query });
  return items[0]?.space.id;
}

async function showSpace(api: Api, params: { organizationId: string; siteId: string }, spaceId: string): Promise<void> {
  const siteSpaces = await collect(paginate((page) => api.listSiteSpaces({ params, query: { limit, page } })));
  if (siteSpaces.some(({ space }) => space.id === spaceId)) return;
  await api.addSpaceToSite({ params, body: { spaceId } });
}
