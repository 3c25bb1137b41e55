import type { Places } from './conventions/places.ts';
import type { Problem, SourceFile, WantedEntry } from './frontmatter-fields.ts';

/**
 * What the files of a repository ask a space to hold. Every path is one of the source, as `OutlineSource.paths` has it:
 * a convention that keeps its pages in a folder (`root: ./docs/`) changes the tree, never a path.
 */
export interface Repository {
  /** The pages, groups and links in their places. A page whose file cannot be read has a path and no `file`. */
  roots: WantedEntry[];
  /** The files that go in beside the pages, whatever their type: the summary and what says how the rest is read, which an export gives back, and the others in the order of the source. */
  files: string[];
  /** The file that an address in a file leads to, by the convention; the address is as it is written, without its anchor. */
  find: (address: string, from: string) => string | undefined;
  /** Texts that pages include, or that only other texts import; no pages. Without `file` where it cannot be read. */
  reusableContents: IncludedText[];
  /** The variables of the whole space, by their names. */
  variables: Record<string, string | number | boolean>;
  /** Old addresses, with a slash at the start, the path of the page in the source that each leads to, and the file that says so. */
  redirects: { source: string; path: string; file: string }[];
  /**
   * What addresses in a page or a reusable content mean where the rules of the platform would find nothing, or
   * something else: by the path of the file, the address as it is written without its anchor, and the path that it
   * leads to, which is one of a page, a file or a reusable content of this repository.
   */
  meanings: Map<string, Record<string, string>>;
  /** All that is left out, or taken otherwise than it is written. */
  problems: RepositoryProblem[];
  /** The convention that the tree was read by, and the file that says the order, where one does. */
  convention: { name: Convention; path?: string };
  /** Where what is new is written. */
  places: Places;
}

export interface IncludedText {
  path: string;
  title: string;
  file?: SourceFile;
}

/**
 * `failed`: a page or a file that cannot be read. `warning`: taken, but not all of it as it is written. `skipped`: left
 * out on purpose; `path` is then that of a file, or of a folder of which nothing is taken, with a slash at its end.
 */
export interface RepositoryProblem extends Problem {
  kind: 'failed' | 'warning' | 'skipped';
}

export type Convention =
  | 'gitbook'
  | 'mdbook'
  | 'summary'
  | 'docusaurus'
  | 'vitepress'
  | 'vuepress'
  | 'starlight'
  | 'mkdocs'
  | 'hugo'
  | 'jekyll'
  | 'folders';

export interface RepositoryOptions {
  /** Folders of the source whose files are reached by absolute addresses (`/img/x.png`), before those that are known. */
  assets?: string[];
  /** The address that the site is served under, as in `/docs/`: absolute addresses of pages begin with it. */
  base?: string;
}
