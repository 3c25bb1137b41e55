import { isMarkdown } from './frontmatter-fields.ts';
import { getFolder } from './paths.ts';
import type { RepositoryProblem } from './repository.ts';

const maxOfFolder = 10;
const maxLines = 1_000;
const deepest = 30;

interface ImportedFiles {
  /** The files that are imported or that configure how other files are read. */
  importedPaths: ReadonlySet<string>;
  configuration: ReadonlySet<string>;
  /** Reasons by path prefix. */
  reasons: readonly [string, string][];
}

/**
 * Reports skipped files: one line for a folder if nothing in it is imported, otherwise one line for each file, or one
 * line for all files if there are many.
 */
export function reportSkippedFiles(
  paths: readonly string[],
  { importedPaths, configuration, reasons }: ImportedFiles,
): RepositoryProblem[] {
  const importedFolders = getFolders([...importedPaths].filter((path) => !configuration.has(path)));
  const pathsByFolder = Map.groupBy(
    paths.filter((path) => !importedPaths.has(path)),
    (path) => getReportedFolder(path, importedFolders),
  );
  const lines = [...pathsByFolder].flatMap(([folder, files]) =>
    getLines(folder, files, { isTaken: importedFolders.has(folder), reasons }),
  );
  if (lines.length <= maxLines) return lines;
  return [
    ...lines.slice(0, maxLines),
    createProblem('./', `${lines.length - maxLines} more files and folders were skipped.`),
  ];
}

/** Returns all folders that contain a file, and the root. */
function getFolders(paths: string[]): Set<string> {
  const folders = new Set(['']);
  for (const path of paths) {
    for (let folder = toShallowFolder(path); !folders.has(folder); folder = getParentFolder(folder))
      folders.add(folder);
  }
  return folders;
}

/** Returns the folder of a file, limited to the deepest level that is reported. */
const toShallowFolder = (path: string): string => getFolder(path.split('/', deepest + 1).join('/'));

const getParentFolder = (folder: string): string => getFolder(folder.slice(0, -1));

/** Returns the topmost folder above a file in which nothing is imported, or the file's own folder. */
function getReportedFolder(path: string, importedFolders: Set<string>): string {
  let folder = toShallowFolder(path);
  if (importedFolders.has(folder)) return folder;
  while (!importedFolders.has(getParentFolder(folder))) folder = getParentFolder(folder);
  return folder;
}

const createProblem = (path: string, message: string): RepositoryProblem => ({ kind: 'skipped', path, message });

function getLines(
  folder: string,
  files: string[],
  { isTaken, reasons }: { isTaken: boolean; reasons: ImportedFiles['reasons'] },
): RepositoryProblem[] {
  const reason = reasons.find(([start]) => folder.startsWith(start))?.[1];
  if (reason !== undefined) return [createProblem(folder, `${reason} ${describeKinds(files)}.`)];
  const single = files.length === 1 ? files[0] : undefined;
  if (!isTaken && single === undefined)
    return [createProblem(folder, `The whole folder was skipped: ${describeKinds(files)}.`)];
  if (files.length <= maxOfFolder) return files.map((path) => createProblem(path, getReason(path)));
  return [
    createProblem(
      folder === '' ? './' : folder,
      `${describeKinds(files)} in it were skipped, because they are not pages and no page links to them.`,
    ),
  ];
}

const getReason = (path: string): string =>
  isMarkdown(path)
    ? 'Skipped, because it is not part of the site and no page links to it.'
    : 'Skipped, because it is not a page or an image and no page links to it.';

/** Returns a text with the number of files, and the numbers for the three most common extensions. */
function describeKinds(files: string[]): string {
  const counts = Map.groupBy(files, (path) => /\.(\w{1,10})$/.exec(path)?.[1]?.toLowerCase() ?? 'other');
  const common = [...counts].sort((one, other) => other[1].length - one[1].length).slice(0, 3);
  const kinds = common.map(([ending, { length }]) => `${length} .${ending}`.replace('.other', 'others'));
  const rest = files.length - common.reduce((sum, [, { length }]) => sum + length, 0);
  return `${files.length} files (${[...kinds, ...(rest > 0 ? [`${rest} more`] : [])].join(', ')})`;
}
