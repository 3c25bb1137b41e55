import type { Item } from '../items.ts';
import type { Convention } from '../repository.ts';
import type { Places } from './places.ts';

/** How a convention lays out a repository, before its pages are read. */
export interface Layout {
  name: Convention;
  /** The file that says the order. */
  path?: string;
  /** The whole tree, with what is not listed. */
  items: Item[];
  /** Markdown files that are no pages but parts of them. */
  parts: string[];
  /** Old addresses, and what each leads to as it is written in `file`, relative to the folder `from`. */
  redirects: { source: string; target: string; from: string; file: string }[];
  site: SiteLayout;
  /** Where what is new is written. */
  places: Places;
  /** Why nothing of some folders is taken, by the beginnings of their paths. */
  reasons?: [string, string][];
}

/** What addresses mean on the site that a generator makes. */
export interface SiteLayout {
  /** The folder that the convention is read in, with a slash at its end; empty for the root of the source. */
  root: string;
  /** The folders of pages, from whose roots absolute addresses may lead to files. */
  content: string[];
  /** The folders that are served as they are from the root of the site. */
  assets: string[];
  /** What addresses of the site begin with, as in `/docs/`. */
  base: string;
  /** The pages by their addresses, without the base, slashes at the ends or an ending. */
  pages: Map<string, string>;
  /** Beginnings of addresses that stand for folders (`@site/`). */
  aliases: [string, string][];
}

export const plainSite = (root: string, fields: Partial<SiteLayout> = {}): SiteLayout => ({
  root,
  content: [root],
  assets: [],
  base: '/',
  pages: new Map(),
  aliases: [],
  ...fields,
});
