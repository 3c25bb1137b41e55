import type { SpecificationBlock } from '@octavo/markdown';
import type { OutputLocations } from './conventions/places.ts';
import type { Problem, SourceFile, WantedEntry } from './frontmatter-fields.ts';

/**
 * The content of a space that a repository defines. Every path is one of `OutlineSource.paths`: a convention with a
 * content folder (`root: ./docs/`) changes the tree, never a path.
 */
export interface Repository {
  /** The pages, groups and links of the tree. A page whose file cannot be read has a path and no `file`. */
  roots: WantedEntry[];
  /**
   * The files to import besides the pages: first the summary and configuration files, so that an export reproduces
   * them, then the others in the order of the source.
   */
  files: string[];
  /**
   * Returns the file that `address`, in the file `from`, links to by the rules of the convention. `address` is as
   * written, without its anchor.
   */
  find: (address: string, from: string) => string | undefined;
  /**
   * Texts that pages include or that other texts import. They are not pages. `file` is omitted if it cannot be read.
   */
  reusableContents: IncludedText[];
  /** The variables of the space by name. */
  variables: Record<string, string | number | boolean>;
  /**
   * Redirects. `source` is the old address, with a leading slash. The destination is the path of a page with an anchor,
   * or a URL outside of the site. `file` is the file that defines the redirect.
   */
  redirects: ({ source: string; file: string } & ({ path: string; anchor?: string } | { url: string }))[];
  /**
   * The addresses that pages had on the site of their generator, as redirects. The addresses do not contain `base`, the
   * path at which the site was served, such as `/docs/`.
   */
  formerAddresses: { base: string; redirects: { source: string; path: string }[] };
  /**
   * The targets of links and includes for which the platform's own rules find no file or another file. The outer key is
   * the path of the linking file, the inner key the address as written, without its anchor. The value is the path of a
   * page, file or reusable content of this repository.
   */
  resolvedTargets: Map<string, Record<string, string>>;
  /** The blocks that show parts of OpenAPI specifications, with the paths of their files. */
  specificationBlocks: (SpecificationBlock & { file: string })[];
  /** Everything that is skipped or changed by the import. */
  problems: RepositoryProblem[];
  /** The convention of the tree, and the file that defines the order, if any. */
  convention: { name: Convention; path?: string };
  /** The locations for new pages and files. */
  outputLocations: OutputLocations;
}

export interface IncludedText {
  path: string;
  title: string;
  file?: SourceFile;
}

/**
 * `failed`: a page or file that cannot be read. `warning`: imported with changes. `skipped`: left out on purpose;
 * `path` is a file, or a folder with a trailing slash if nothing in it is imported.
 */
export interface RepositoryProblem extends Problem {
  kind: 'failed' | 'warning' | 'skipped';
  /** The line of the file, from 1. */
  line?: number;
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
  /** Folders whose files are served at absolute addresses (`/img/x.png`). They take precedence over detected ones. */
  assets?: string[];
  /** The address that the site is served under, such as `/docs/`. Absolute addresses of pages start with it. */
  base?: string;
}
