import { findConnection } from '../connection.ts';
import { misuse } from '../failure.ts';
import { type Imported, importFolder } from '../import/import-folder.ts';
import type { ImportReport } from '../import/report.ts';
import { showProgress } from '../terminal.ts';
import { type Command, getText, getTexts } from './command.ts';
import { printImport } from './report-import.ts';

export const removalOptions = {
  'dry-run': { type: 'boolean' },
  mirror: { type: 'boolean' },
  yes: { type: 'boolean' },
} as const;

export const importCommand: Command = {
  summary: 'Import a folder or a zip of markdown and images into a space, as one merged change request',
  usage:
    'octavo import <folder|zip> --space <id|new> [--organization <id>] [--title <title>] [--assets <folder>]... [--base <address>] [--dry-run] [--mirror] [--yes] [--json]',
  options: {
    space: { type: 'string' },
    organization: { type: 'string' },
    title: { type: 'string' },
    assets: { type: 'string', multiple: true },
    base: { type: 'string' },
    ...removalOptions,
    json: { type: 'boolean' },
  },
  arguments: 1,
  run: async ({ values, positionals: [folder = ''] }, terminal) => {
    const space = getText(values.space);
    if (!space) throw misuse('--space is required. Pass the id of a space, or new.');
    const organization = getText(values.organization);
    const title = getText(values.title);
    const imported = await importFolder({
      api: await findConnection(terminal.env),
      folder,
      space,
      ...getReading(values),
      ...getRemoval(values),
      ...(organization !== undefined && { organization }),
      ...(title !== undefined && { title }),
      onProgress: showProgress('Importing', terminal.stderr),
    });
    return printImport(terminal, withoutRedirects(imported), values.json === true);
  },
};

/** Returns the options that control what an import removes. */
export const getRemoval = (values: Parameters<Command['run']>[0]['values']) => ({
  dryRun: values['dry-run'] === true,
  mirror: values.mirror === true,
  yes: values.yes === true,
});

/** Returns the options that control how a folder is read, if they are set. */
export function getReading(values: Parameters<Command['run']>[0]['values']): { assets?: string[]; base?: string } {
  const assets = getTexts(values.assets);
  const base = getText(values.base);
  return { ...(assets.length > 0 && { assets }), ...(base !== undefined && { base }) };
}

/** Reports the redirects as skipped: only a site has URLs that can redirect, a space has none. */
function withoutRedirects({ report, redirects }: Imported): ImportReport {
  const problems = [...Map.groupBy(redirects, ({ file }) => file)].map(
    ([path, { length }]): ImportReport['problems'][number] => ({
      path,
      kind: 'skipped',
      message: `Its ${length} redirects were not imported: redirects belong to a site. Use octavo publish to set them.`,
    }),
  );
  return { ...report, problems: [...report.problems, ...problems] };
}
