import { findConnection } from '../connection.ts';
import { misuse } from '../failure.ts';
import { type ImportReport, importFolder } from '../import/import-folder.ts';
import { showProgress } from '../progress.ts';
import { print, type Terminal, warn } from '../terminal.ts';
import { type Command, textOf } from './command.ts';

export const importCommand: Command = {
  summary: 'Bring a folder or a zip of markdown with its images into a space, as one merged change request',
  usage: 'octavo import <folder|zip> --space <id|new> [--organization <id>] [--title <title>]',
  options: { space: { type: 'string' }, organization: { type: 'string' }, title: { type: 'string' } },
  arguments: 1,
  run: async ({ values, positionals: [folder = ''] }, terminal) => {
    const space = textOf(values.space);
    if (!space) throw misuse('An import needs --space with the id of a space, or --space new.');
    const organization = textOf(values.organization);
    const title = textOf(values.title);
    const report = await importFolder({
      api: await findConnection(terminal.env),
      folder,
      space,
      ...(organization !== undefined && { organization }),
      ...(title !== undefined && { title }),
      onProgress: showProgress('Importing', terminal.stderr),
    });
    return tellImport(terminal, report);
  },
};

/** Prints what an import did; gives the exit code. */
export function tellImport(terminal: Terminal, report: ImportReport): number {
  const { space, created, updated, skipped, failed, files, changeRequest, conflicts } = report;
  for (const { path, message } of failed) warn(terminal, `${path}: ${message}`);
  for (const each of conflicts ?? []) warn(terminal, `${each.title ?? each.id} (${each.field}): ${each.message}`);
  if (conflicts) {
    warn(
      terminal,
      `The import conflicts with the space ${space}, which was left as it is; see change request ${changeRequest}.`,
    );
    return 1;
  }
  const counts = `${created} created, ${updated} updated, ${skipped} unchanged, ${failed.length} failed${tellFiles(files)}`;
  if (changeRequest === undefined) print(terminal, `Nothing has changed in space ${space}: ${counts}.`);
  else print(terminal, `Imported into space ${space} with change request ${changeRequest}: ${counts}.`);
  return failed.length > 0 ? 1 : 0;
}

function tellFiles({ created, updated, skipped }: ImportReport['files']): string {
  return created + updated + skipped === 0
    ? ''
    : `; files: ${created} created, ${updated} updated, ${skipped} unchanged`;
}
