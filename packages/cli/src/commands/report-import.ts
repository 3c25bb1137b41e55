import { type BrokenLinks, type BrokenReason, brokenReasons } from '../import/broken-links.ts';
import { formatConflict, getCounts, getTallies, type ImportReport, type Tally } from '../import/report.ts';
import type { ImportProblem } from '../import/source.ts';
import { print, type Terminal, warn } from '../terminal.ts';

const mostExamples = 5;

/** Prints the result of an import, as a table or as JSON with all details. Returns the exit code. */
export function printImport(terminal: Terminal, report: ImportReport, isJson = false): number {
  if (isJson) print(terminal, JSON.stringify({ ...report, counts: getCounts(report) }, null, 2));
  else printReport(terminal, report);
  return report.conflicts !== undefined || getCounts(report).failed > 0 ? 1 : 0;
}

function printReport(terminal: Terminal, report: ImportReport): void {
  const { space, problems, changeRequest, conflicts, brokenLinks } = report;
  printProblems(terminal, problems);
  for (const conflict of conflicts ?? [])
    warn(terminal, `${conflict.title ?? conflict.id} (${conflict.field}): ${formatConflict(conflict, 'folder')}`);
  if (conflicts) {
    warn(
      terminal,
      `The import conflicts with the space ${space}, which was not changed. See change request ${changeRequest}.`,
    );
    return;
  }
  if (report.spaces) for (const line of describeSpaces(report)) print(terminal, line);
  else if (report.dryRun)
    print(terminal, `Dry run: nothing was changed. The import into ${space || 'a new space'} would have:`);
  else if (changeRequest === undefined) print(terminal, `No changes in space ${space}.`);
  else print(terminal, `Imported into space ${space} with change request ${changeRequest}.`);
  for (const row of formatTable(report)) print(terminal, row);
  for (const row of listChanges(report)) print(terminal, row);
  const { skipped, warned } = getCounts(report);
  if (skipped + warned > 0) print(terminal, `  ${skipped} skipped, ${formatCount(warned, 'warning')}`);
  if (brokenLinks !== undefined && brokenLinks.total > 0)
    for (const line of listBrokenLinks(brokenLinks, report.dryRun === true)) print(terminal, line);
}

/** Describes the spaces of a site with their sections and folders. */
function* describeSpaces({ dryRun, spaces = [], removedSpaces = [] }: ImportReport): Generator<string> {
  yield dryRun ? 'Dry run: nothing was changed. The publish would import:' : 'Imported the spaces of the site:';
  for (const { id, title, folder, group, section, changeRequest, formerRevision } of spaces) {
    const names = [group, section, title].filter((name) => name !== undefined).join(' / ');
    const result = changeRequest === undefined ? 'no changes' : `change request ${changeRequest}`;
    yield `  ${names}: ${folder || './'} into ${id ? `space ${id}` : 'a new space'}${dryRun ? '' : `, ${result}`}`;
    if (formerRevision !== undefined) yield `    Revision ${formerRevision} still contains the removed content.`;
  }
  for (const { id, title } of removedSpaces)
    yield `  ${dryRun ? 'would be removed' : 'removed'} from the site, not deleted: ${title} (${id})`;
}

const columns: (keyof Tally)[] = ['created', 'updated', 'unchanged', 'removed', 'failed'];
const mostListed = 20;

/** Lists the items that were moved or removed, and how to recover them. */
function* listChanges({ dryRun, moved, removed, formerRevision }: ImportReport): Generator<string> {
  const isLong = (index: number) => index >= mostListed;
  for (const { from, path } of moved.filter((_, index) => !isLong(index)))
    yield `  moved: /${from}, because its file is now ${path}`;
  if (moved.length > mostListed) yield `  and ${moved.length - mostListed} more moved`;
  for (const { kind, title, path, page } of removed.filter((_, index) => !isLong(index)))
    yield `  removed: ${kind} ${page === undefined ? title : `/${page}`}${path === undefined ? '' : ` (${path})`}`;
  if (removed.length > mostListed) yield `  and ${removed.length - mostListed} more removed. Use --json to list all`;
  if (removed.length > 0 && !dryRun && formerRevision !== undefined)
    yield `  Revision ${formerRevision} still contains the removed content.`;
}

function formatTable(report: ImportReport): string[] {
  const rows = getTallies(report);
  const nameWidth = Math.max(...rows.map(({ name }) => name.length));
  const shownColumns = columns.filter((column) => column !== 'removed' || rows.some(({ tally }) => tally.removed > 0));
  const widths = shownColumns.map((column) => Math.max(...rows.map(({ tally }) => String(tally[column]).length)));
  return rows.map(({ name, tally }) => {
    const cells = shownColumns.map(
      (column, index) => `${String(tally[column]).padStart(widths[index] ?? 0)} ${column}`,
    );
    return `  ${`${name}:`.padEnd(nameWidth + 2)}${cells.join(', ')}`;
  });
}

function* listBrokenLinks(
  { total, reasons, links, prefix, mended }: BrokenLinks,
  isDryRun: boolean,
): Generator<string> {
  const suffix = total > links.length ? `, showing the first ${links.length}` : '';
  yield `${formatCount(total, 'broken link')} ${isDryRun ? 'would be ' : ''}in the space${suffix}:`;
  for (const [reason, count] of Object.entries(reasons) as [BrokenReason, number][]) {
    yield `  ${count}: ${brokenReasons[reason]}`;
    const examples = links.filter((link) => link.reason === reason).slice(0, mostExamples);
    for (const { target, places } of examples) yield `    ${target} in ${places[0] ?? 'a page'}`;
    if (count > examples.length) yield `    and ${count - examples.length} more. Use --json to list all`;
  }
  if (prefix !== undefined)
    yield `  If the site is served at ${prefix}, import with --base ${prefix} to fix ${mended} of them`;
}

const formatCount = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;

/** Maximum number of paths that are listed for problems with the same message. */
const namedAtMost = 3;
/** Maximum number of lines for problems other than failures. */
const maxLines = 50;

/**
 * Prints problems in order. All failures are listed. Of the other problems, only the first messages are printed, each
 * with its first paths.
 */
export function printProblems(terminal: Terminal, problems: readonly ImportProblem[]): void {
  let lineCount = 0;
  let hiddenCount = 0;
  for (const { kind, names, message } of getGroups(problems)) {
    const isFailure = kind === 'failed';
    const isLong = !isFailure && names.length > namedAtMost;
    const shownNames = isLong
      ? [`${names.slice(0, namedAtMost).join(', ')} and ${names.length - namedAtMost} more`]
      : names;
    const isShown = isFailure || lineCount < maxLines;
    if (!isShown) hiddenCount += names.length;
    else for (const name of shownNames) warn(terminal, `${kind}: ${name}: ${message}`);
    if (!isFailure) lineCount += shownNames.length;
  }
  if (hiddenCount > 0) warn(terminal, `and ${formatCount(hiddenCount, 'more warning')}. Use --json to list all.`);
}

const getName = ({ path, line }: ImportProblem): string => (line === undefined ? path : `${path}:${line}`);

function getGroups(problems: readonly ImportProblem[]) {
  const alike = Map.groupBy(problems, ({ kind, message }) => `${kind} ${message}`);
  return [...alike.values()].flatMap((group) => {
    const [first] = group;
    return first === undefined ? [] : [{ ...first, names: group.map(getName) }];
  });
}
