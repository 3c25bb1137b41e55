/** A path without `.`, `..` and doubled slashes; what climbs out of the folder keeps its `..`. */
export function normalizePath(path: string): string {
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '..' && parts.length > 0 && parts.at(-1) !== '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return parts.join('/');
}

/** An address percent-decoded, or as it is written where that cannot be. */
export function decodeAddress(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The folder of a file, with a slash at its end; empty at the root. */
export const folderOf = (path: string): string => path.slice(0, path.lastIndexOf('/') + 1);

/** The last name of a path. */
export const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

const maxShown = 100;

/** A name out of a configuration as messages have it: its first 100 characters. */
export const shownName = (name: string): string =>
  (name.length > maxShown ? `${name.slice(0, maxShown)}…` : name).toWellFormed();
