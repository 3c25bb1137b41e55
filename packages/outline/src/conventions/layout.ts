import type { Item } from '../items.ts';
import type { Convention } from '../repository.ts';
import type { OutputLocations } from './places.ts';

/** The layout of a repository by a convention, before its pages are read. */
export interface Layout {
  name: Convention;
  /** The file that defines the order. */
  path?: string;
  /** The whole tree, including unlisted pages. */
  items: Item[];
  /** Markdown files that are included in pages but are not pages. */
  parts: string[];
  /** Redirects from old addresses. `target` is as written in `file`, relative to the folder `from`. */
  redirects: { source: string; target: string; from: string; file: string }[];
  site: SiteLayout;
  /**
   * The addresses of pages on the generator's site, without its base. `style` is `html` if they end with `.html`,
   * `plain` if they do not, and `both` if that depends on the host. Keys are as in `SiteLayout.pages`.
   */
  addresses?: { style: 'html' | 'plain' | 'both'; pages: ReadonlyMap<string, string> };
  /** The locations for new pages and files. */
  outputLocations: OutputLocations;
  /** Reasons why the files of some folders are skipped, by path prefix. */
  reasons?: [string, string][];
}

/** The rules by which addresses are resolved on the site that a generator builds. */
export interface SiteLayout {
  /** The folder that the convention applies to, with a trailing slash. Empty for the root of the source. */
  root: string;
  /** The content folders. Absolute addresses can be relative to one of them. */
  content: string[];
  /** The folders that are served as static files from the root of the site. */
  assets: string[];
  /** The prefix of the site's addresses, such as `/docs/`. */
  base: string;
  /** The pages by address, without the base, slashes at the ends or a file extension. */
  pages: Map<string, string>;
  /** Address prefixes that represent folders, such as `@site/`. */
  aliases: [string, string][];
}

export const createPlainSite = (root: string, fields: Partial<SiteLayout> = {}): SiteLayout => ({
  root,
  content: [root],
  assets: [],
  base: '/',
  pages: new Map(),
  aliases: [],
  ...fields,
});
