import { withoutMarkdownEnding } from '../candidates.ts';
import { numberedName } from '../fields.ts';
import { isFolderPage } from '../frontmatter-fields.ts';
import { getFolder, getName } from '../paths.ts';

/** Where what came from nowhere is written, so that the convention finds it again. Folders have a slash at their ends. */
export interface Places {
  /** The folder of pages; empty for the root of the source. */
  pages: string;
  /** The name of the page of a folder. */
  index: string;
  /** Whether `a/a.md` is the page of `a`. */
  isOwnNamed: boolean;
  /** The folder of files. */
  files: string;
  /** What a site serves of folders as they are: the folder, and what addresses begin with that lead to its files. */
  served: { folder: string; address: string } | undefined;
  /** GitBook's folder, of reusable contents and variables. */
  kept: string;
  /** The path of a summary, where one would say the order; undefined where the configuration does. */
  summary: string | undefined;
  /** Where the site looks for the title of a page. */
  titles: 'heading' | 'frontmatter';
}

export const placesIn = (pages: string, fields: Partial<Places> = {}): Places => ({
  pages,
  index: 'README.md',
  isOwnNamed: false,
  files: `${pages}files/`,
  served: undefined,
  kept: '.gitbook/',
  summary: `${pages}SUMMARY.md`,
  titles: 'heading',
  ...fields,
});

/** The places of a site that has a folder of files which it serves from its root, and whose configuration says the order. */
export const sitePlaces = (pages: string, folder: string, fields: Partial<Places> & { base?: string } = {}): Places => {
  const { base = '/', ...others } = fields;
  return placesIn(pages, {
    index: 'index.md',
    files: folder,
    served: { folder, address: base },
    summary: undefined,
    ...others,
  });
};

/** The folder that the pages below the page of a file are in. */
export function folderBelow(path: string, { isOwnNamed }: Pick<Places, 'isOwnNamed'>): string {
  const folder = getFolder(path);
  const [name, own] = [withoutMarkdownEnding(getName(path)), getName(folder.slice(0, -1))];
  const isOwn = isOwnNamed && own !== '' && numberedName(name).rest === numberedName(own).rest;
  return isFolderPage(path) || isOwn ? folder : `${folder}${name}/`;
}

/** The folder that the pages beside the page of a file are in. */
export function folderBeside(path: string, places: Pick<Places, 'isOwnNamed'>): string {
  const folder = getFolder(path);
  return folderBelow(path, places) === folder ? getFolder(folder.slice(0, -1)) : folder;
}
