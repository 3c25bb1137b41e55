import { removeMarkdownEnding } from '../candidates.ts';
import { parseNumberedName } from '../fields.ts';
import { isFolderPage } from '../frontmatter-fields.ts';
import { getFolder, getName } from '../paths.ts';

/**
 * The locations of files for content that has no source file. The convention finds them again at these locations.
 * Folders end with a slash.
 */
export interface OutputLocations {
  /** The folder of pages; empty for the root of the source. */
  pages: string;
  /** The name of the page of a folder. */
  index: string;
  /** Whether `a/a.md` is the page of folder `a`. */
  isOwnNamed: boolean;
  /** The folder for files. */
  files: string;
  /** A folder that the site serves as static files, and the address prefix of its files. */
  servedFolder: { folder: string; address: string } | undefined;
  /** GitBook's folder for reusable content and variables. */
  keptFolder: string;
  /** The path of the summary that defines the order. Undefined if the configuration defines it. */
  summary: string | undefined;
  /** The part of a file from which the site reads the title of a page. */
  titles: 'heading' | 'frontmatter';
}

export const createOutputLocations = (pages: string, fields: Partial<OutputLocations> = {}): OutputLocations => ({
  pages,
  index: 'README.md',
  isOwnNamed: false,
  files: `${pages}files/`,
  servedFolder: undefined,
  keptFolder: '.gitbook/',
  summary: `${pages}SUMMARY.md`,
  titles: 'heading',
  ...fields,
});

/**
 * Returns the locations for a site that serves a static folder from its root and whose configuration defines the order.
 */
export const createSiteLocations = (
  pages: string,
  folder: string,
  fields: Partial<OutputLocations> & { base?: string } = {},
): OutputLocations => {
  const { base = '/', ...others } = fields;
  return createOutputLocations(pages, {
    index: 'index.md',
    files: folder,
    servedFolder: { folder, address: base },
    summary: undefined,
    ...others,
  });
};

/** Returns the folder for the child pages of a file's page. */
export function getFolderBelow(path: string, { isOwnNamed }: Pick<OutputLocations, 'isOwnNamed'>): string {
  const folder = getFolder(path);
  const [name, folderName] = [removeMarkdownEnding(getName(path)), getName(folder.slice(0, -1))];
  const isOwnFolder =
    isOwnNamed && folderName !== '' && parseNumberedName(name).rest === parseNumberedName(folderName).rest;
  return isFolderPage(path) || isOwnFolder ? folder : `${folder}${name}/`;
}

/** Returns the folder for the sibling pages of a file's page. */
export function getSiblingFolder(path: string, outputLocations: Pick<OutputLocations, 'isOwnNamed'>): string {
  const folder = getFolder(path);
  return getFolderBelow(path, outputLocations) === folder ? getFolder(folder.slice(0, -1)) : folder;
}
