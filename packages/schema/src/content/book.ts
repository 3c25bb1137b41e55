import type { RevisionId, SpaceId } from '../ids.ts';
import type { Variables } from './pages.ts';

/** The pages of a book: all pages of a revision, or `page` with its subpages, or `page` alone. */
export interface BookReading {
  space: SpaceId;
  revision: RevisionId;
  page?: string | undefined;
  only: boolean;
}

/** An entry in the table of contents of a book, which is in reading order and includes hidden pages. */
export interface OutlineEntry {
  id: string;
  title: string;
  type: 'document' | 'group' | 'link' | 'computed';
  /** 0 for the first page of the book, and for pages at the root of the space. */
  depth: number;
}

/** A text of a book. `links` maps each link, as it is written in the text, to its target. */
export interface BookText {
  id: string;
  /** The stored Markdown, with frontmatter. */
  markdown: string;
  /**
   * The targets of links by their text. Targets are page ids, with or without `#heading`, and absolute URLs. Broken
   * links are omitted.
   */
  links: Record<string, string>;
  /** The ids of files. */
  files: Record<string, string>;
  /** Ids of the included reusable contents. */
  includes: Record<string, string>;
}

export interface BookPageText extends BookText {
  description?: string;
  emoji?: string;
  /** The target of a page of type `link`: a page id or an absolute URL. */
  href?: string;
  variables: Variables;
}

/**
 * A batch of pages of a book that fits into one response, with everything needed to evaluate their expressions and
 * includes.
 */
export interface BookPart {
  pages: BookPageText[];
  contents: BookText[];
  /** The variables of the space. */
  variables: Variables;
}

/** A file that a book embeds. */
export interface BookFile {
  bytes: Uint8Array;
  contentType: string;
}
