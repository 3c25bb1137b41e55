import type { RevisionId, SpaceId } from '../ids.ts';
import type { Variables } from './pages.ts';

/** What a book is made of: the pages of a revision, those from `page` on down, or that page alone. */
export interface BookReading {
  space: SpaceId;
  revision: RevisionId;
  page?: string | undefined;
  only: boolean;
}

/** A page in the table of contents of a book, which stands in reading order. Hidden pages are in it. */
export interface OutlineEntry {
  id: string;
  title: string;
  type: 'document' | 'group' | 'link' | 'computed';
  /** 0 for the page that the book begins with, and for pages at the root of the space. */
  depth: number;
}

/** A text of a book, with what the addresses in it lead to, as they are written. */
export interface BookText {
  id: string;
  /** As stored, with its frontmatter. */
  markdown: string;
  /** Ids of pages, with `#heading` or without, and absolute addresses. What leads nowhere is left out. */
  links: Record<string, string>;
  /** Ids of files. */
  files: Record<string, string>;
  /** Ids of the reusable contents that it includes. */
  includes: Record<string, string>;
}

export interface BookPageText extends BookText {
  description?: string;
  emoji?: string;
  /** Where a page of type `link` leads: an id of a page, or an absolute address. */
  href?: string;
  variables: Variables;
}

/** Some pages of a book, as many as one answer bears, with all that is needed to evaluate their expressions and includes. */
export interface BookPart {
  pages: BookPageText[];
  contents: BookText[];
  /** Of the space. */
  variables: Variables;
}

/** A file that a book shows. */
export interface BookFile {
  bytes: Uint8Array;
  contentType: string;
}
