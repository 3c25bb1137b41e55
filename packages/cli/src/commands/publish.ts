import path from 'node:path';
import { connect } from '../api.ts';
import { findConnection } from '../connection.ts';
import { misuse } from '../failure.ts';
import { importFolder } from '../import/import-folder.ts';
import { showProgress } from '../progress.ts';
import { findSiteWithSpace, type WantedSite } from '../sites.ts';
import { onlyOrganization } from '../spaces.ts';
import { print } from '../terminal.ts';
import { type Command, textOf } from './command.ts';
import { tellImport } from './import.ts';

const shortestTitle = 2;

export const publish: Command = {
  summary: 'Import a folder or a zip of markdown into the space of a site, publish the site and tell its address',
  usage: 'octavo publish <folder|zip> [--site <id|title>] [--space <id|new>] [--organization <id>]',
  options: { site: { type: 'string' }, space: { type: 'string' }, organization: { type: 'string' } },
  arguments: 1,
  run: async ({ values, positionals: [folder = ''] }, terminal) => {
    const site = textOf(values.site) ?? titleOf(folder);
    if (site.length < shortestTitle) throw misuse(`A site needs a longer title than ${site}: name it with --site.`);
    const connection = await findConnection(terminal.env);
    const api = connect(connection);
    const organizationId = textOf(values.organization) ?? (await onlyOrganization(api, 'createContent')).id;
    const wanted: WantedSite = { organizationId, site, space: textOf(values.space) };
    let siteId = '';
    const report = await importFolder({
      api: connection,
      folder,
      space: async () => {
        const found = await findSiteWithSpace(api, wanted);
        siteId = found.site.id;
        return found.space;
      },
      onProgress: showProgress('Importing', terminal.stderr),
    });
    const exitCode = tellImport(terminal, report);
    if (report.conflicts) return exitCode;
    const published = await api.publishSite({ params: { organizationId, siteId } });
    print(terminal, `Published the site ${published.title} (${siteId}): ${published.urls.published}`);
    return exitCode;
  },
};

const titleOf = (folder: string): string => path.basename(path.resolve(folder)).replace(/\.zip$/i, '');
