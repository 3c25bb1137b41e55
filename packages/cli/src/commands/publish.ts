import { connect } from '../api.ts';
import { findConnection } from '../connection.ts';
import { misuse } from '../failure.ts';
import { importFolder } from '../import/import-folder.ts';
import { setRedirects } from '../import/redirects.ts';
import { titleOfFolder } from '../import/title-of-folder.ts';
import { showProgress } from '../progress.ts';
import { findSiteWithSpace, type WantedSite } from '../sites.ts';
import { onlyOrganization } from '../spaces.ts';
import { print } from '../terminal.ts';
import { type Command, textOf } from './command.ts';
import { readingOf } from './import.ts';
import { tellImport } from './tell-import.ts';

const shortestTitle = 2;

export const publish: Command = {
  summary: 'Import a folder or a zip of markdown into the space of a site, publish the site and tell its address',
  usage:
    'octavo publish <folder|zip> [--site <id|title>] [--space <id|new>] [--organization <id>] [--assets <folder>]... [--base <address>] [--json]',
  options: {
    site: { type: 'string' },
    space: { type: 'string' },
    organization: { type: 'string' },
    assets: { type: 'string', multiple: true },
    base: { type: 'string' },
    json: { type: 'boolean' },
  },
  arguments: 1,
  run: async ({ values, positionals: [folder = ''] }, terminal) => {
    const site = textOf(values.site) ?? (await titleOfFolder(folder));
    if (site.length < shortestTitle) throw misuse(`A site needs a longer title than ${site}: name it with --site.`);
    const connection = await findConnection(terminal.env);
    const api = connect(connection);
    const organizationId = textOf(values.organization) ?? (await onlyOrganization(api, 'createContent')).id;
    const wanted: WantedSite = { organizationId, site, space: textOf(values.space) };
    let siteId = '';
    const { report, redirects } = await importFolder({
      api: connection,
      folder,
      ...readingOf(values),
      space: async () => {
        const found = await findSiteWithSpace(api, wanted);
        siteId = found.site.id;
        return found.space;
      },
      onProgress: showProgress('Importing', terminal.stderr),
    });
    if (report.conflicts) return tellImport(terminal, report, values.json === true);
    const set = await setRedirects(api, redirects, { organizationId, siteId, space: report.space });
    report.redirects = set.tally;
    report.problems.push(...set.problems);
    const { title, urls } = await api.publishSite({ params: { organizationId, siteId } });
    if (values.json === true)
      return tellImport(terminal, { ...report, site: { id: siteId, title, url: urls.published ?? '' } }, true);
    const exitCode = tellImport(terminal, report);
    print(terminal, `Published the site ${title} (${siteId}): ${urls.published}`);
    return exitCode;
  },
};
