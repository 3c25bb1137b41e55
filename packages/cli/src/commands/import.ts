import { findConnection } from '../connection.ts';
import { createMisuseError } from '../failure.ts';
import { type Imported, importFolder } from '../import/import-folder.ts';
import type { ImportReport } from '../import/report.ts';
import { showProgress } from '../terminal.ts';
import { type Command, createFlag, createTextOption, getText, getTexts } from './command.ts';
import { printImport } from './report-import.ts';

export const readingOptions = {
  assets: createTextOption(
    '<folder>',
    'A folder of the source with the files of absolute addresses, such as /img/logo.png',
    {
      multiple: true,
    },
  ),
  base: createTextOption('<address>', 'The path under which the docs were served, such as /docs/'),
};

export const removalOptions = {
  'dry-run': createFlag('Print what would change, the warnings and the broken links, without changing anything'),
  mirror: createFlag('Also remove content that was written in Octavo or imported from another source'),
  yes: createFlag('Confirm the removal of more than half of the pages'),
};

/** The fields of the report of an import. */
export const importFields = [
  'space',
  'convention',
  'counts',
  'pages',
  'files',
  'reusableContents',
  'variables',
  'problems',
  'removed',
  'moved',
  'changeRequest?',
  'formerRevision?',
  'brokenLinks?',
  'conflicts?',
  'dryRun?',
];

export const importCommand: Command = {
  summary: 'Import a folder or a zip of markdown and images into a space, as one merged change request',
  arguments: ['<folder|zip>'],
  options: {
    space: createTextOption('<id|new>', 'The space to import into; `new` creates one', { required: true }),
    organization: createTextOption(
      '<id>',
      'The organization of a new space. Required if you can create spaces in several',
    ),
    title: createTextOption('<title>', 'The title of a new space. The default is the title of the docs'),
    ...readingOptions,
    ...removalOptions,
  },
  json: { fields: importFields },
  run: async ({ values, positionals: [folder = ''] }, terminal) => {
    const space = getText(values.space);
    if (!space) throw createMisuseError('--space is required. Pass the id of a space, or new.');
    const organization = getText(values.organization);
    const title = getText(values.title);
    const imported = await importFolder({
      api: await findConnection(terminal.env),
      folder,
      space,
      ...pickReadingOptions(values),
      ...getRemoval(values),
      ...(organization !== undefined && { organization }),
      ...(title !== undefined && { title }),
      onProgress: showProgress('Importing', terminal.stderr),
    });
    return printImport(terminal, omitRedirects(imported), values.json === true);
  },
};

/** Returns the options that control what an import removes. */
export const getRemoval = (values: Parameters<Command['run']>[0]['values']) => ({
  dryRun: values['dry-run'] === true,
  mirror: values.mirror === true,
  yes: values.yes === true,
});

/** Returns the options that control how a folder is read, if they are set. */
export function pickReadingOptions(values: Parameters<Command['run']>[0]['values']): {
  assets?: string[];
  base?: string;
} {
  const assets = getTexts(values.assets);
  const base = getText(values.base);
  return { ...(assets.length > 0 && { assets }), ...(base !== undefined && { base }) };
}

/** Reports the redirects as skipped: only a site has URLs that can redirect, a space has none. */
function omitRedirects({ report, redirects }: Imported): ImportReport {
  const problems = [...Map.groupBy(redirects, ({ file }) => file)].map(
    ([path, { length }]): ImportReport['problems'][number] => ({
      path,
      kind: 'skipped',
      message: `Its ${length} redirects were not imported: redirects belong to a site. Use octavo publish to set them.`,
    }),
  );
  return { ...report, problems: [...report.problems, ...problems] };
}
