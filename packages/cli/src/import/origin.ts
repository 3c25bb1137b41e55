import type { Present } from './present.ts';

/** The name of the folder or archive that something was imported from; undefined if the import did not store it. */
export type Source = string | undefined;

const maxName = 256;

/** Returns the name of a source as a space stores it. */
export const toStoredName = (name: string): string => name.slice(0, maxName).toWellFormed() || 'import';

/**
 * Returns the earlier imports that a source replaces: those of the same name, and those of which it has at least half
 * of the pages, such as an archive whose name has another version.
 */
export function findReplacedSources(
  pages: Iterable<Present>,
  isFound: (page: Present) => boolean,
  name: string,
): Set<Source> {
  const replaced = new Set<Source>([name]);
  const imported = [...pages].filter(({ git }) => git !== undefined);
  for (const [source, some] of Map.groupBy(imported, ({ importedFrom }) => importedFrom))
    if (some.filter(isFound).length * 2 >= some.length) replaced.add(source);
  return replaced;
}
