import type { Evaluation } from '@octavo/markdown';
import type { Pixels } from './pixels.ts';

/** A node of the space in the table of contents. */
export interface BookEntry {
  id: string;
  title: string;
  /** The depth of the page; 0 at the top level of the space. */
  depth: number;
  type: 'document' | 'group' | 'link' | 'computed';
}

export interface BookPage extends BookEntry {
  description?: string;
  emoji?: string;
  /** The stored markdown with frontmatter; empty if the page has no text. */
  markdown: string;
  /** The target of a page of type `link`. */
  href?: string;
  /**
   * Maps addresses as written in the text to the ID of a page of this book, with or without `#heading`, or to a URL.
   */
  links: Record<string, string>;
  /** Evaluates expressions, conditions and includes. If it is omitted, they are typeset as source text. */
  evaluation?: Evaluation;
}

/** A book to typeset: the text of its title page, and the pages in reading order. */
export interface Book {
  title: string;
  /** The text below the title, such as the change request's number and subject. */
  subtitle?: string;
  date: string;
  language?: string;
  /** Whether there is a table of contents and a title page. False for a single page. */
  hasContents: boolean;
  outline: BookEntry[];
  /** The pages, which are read one at a time. */
  pages: AsyncIterable<BookPage>;
}

/** The scripts with fonts of their own, in regular and bold. */
export type FontScript =
  | 'arabic'
  | 'armenian'
  | 'bengali'
  | 'ethiopic'
  | 'georgian'
  | 'gujarati'
  | 'gurmukhi'
  | 'hebrew'
  | 'kannada'
  | 'khmer'
  | 'lao'
  | 'malayalam'
  | 'myanmar'
  | 'oriya'
  | 'sinhala'
  | 'tamil'
  | 'telugu'
  | 'thai';

/** The fonts. Each is a TrueType file. */
export type FontName =
  | 'sans'
  | 'sans-bold'
  | 'sans-italic'
  | 'sans-bold-italic'
  | 'mono'
  | 'mono-bold'
  | 'jp'
  | 'sc'
  | 'kr'
  | 'emoji'
  | 'symbols'
  | 'math'
  /** Emoji in layers of colors (COLR, version 0). */
  | 'emoji-color'
  | FontScript
  | `${FontScript}-bold`;

/** The source of a book's fonts and images. Nothing else is requested. */
export interface Assets {
  /** Requested at most once per font, and only if a character needs it. */
  font(name: FontName): Promise<Uint8Array>;
  /** Returns the image at an address as written in the page's text. */
  image(page: BookPage, source: string): Promise<{ bytes: Uint8Array; type: string } | undefined>;
  /**
   * Decodes a WebP image whose size has been checked. Throws if it is damaged. Without this function, WebP images are
   * not drawn.
   */
  readWebp?(bytes: Uint8Array): Promise<Pixels>;
}

/** The destination of a PDF. */
export interface PdfDestination {
  /** Writes the next bytes of the PDF. Typesetting waits until the promise resolves. */
  write(chunk: Uint8Array): Promise<void>;
  /** Yields to the event loop. */
  yieldToEventLoop(): Promise<void>;
}
