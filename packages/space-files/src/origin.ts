import type { Present } from './present.ts';

/** The name of the folder or archive that something was imported from; undefined if the import did not store it. */
export type Source = string | undefined;

const maxName = 256;

/** Returns the name of a source as a space stores it. */
export const toStoredName = (name: string): string => name.slice(0, maxName).toWellFormed() || 'import';

/** A source, with a check for whether it contains a page of the space. */
interface ComparedSource {
  name: string;
  /** Number of pages in the source. */
  size: number;
  isFound: (page: Present) => boolean;
}

/**
 * Returns the earlier imports that a source replaces: imports of the same name, and imports that share most pages with
 * the source, such as an archive whose name has another version. Most pages of such an import must be in the source,
 * and most pages of the source must be in the space, so that the order in which two sources are imported makes no
 * difference.
 */
export function findReplacedSources(pages: Iterable<Present>, { name, size, isFound }: ComparedSource): Set<Source> {
  const replaced = new Set<Source>([name]);
  const imported = [...pages].filter(({ git }) => git !== undefined);
  if (imported.filter(isFound).length * 2 <= size) return replaced;
  for (const [source, some] of Map.groupBy(imported, ({ importedFrom }) => importedFrom))
    if (some.filter(isFound).length * 2 > some.length) replaced.add(source);
  return replaced;
}
