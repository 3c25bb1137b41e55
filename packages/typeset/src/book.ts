import type { Evaluation } from '@octavo/markdown';
import type { Pixels } from './pixels.ts';

/** A node of the space in the table of contents. */
export interface BookEntry {
  id: string;
  title: string;
  /** 0 for what stands at the top of the space. */
  depth: number;
  type: 'document' | 'group' | 'link' | 'computed';
}

export interface BookPage extends BookEntry {
  description?: string;
  emoji?: string;
  /** As stored, with its frontmatter; '' for what has no text. */
  markdown: string;
  /** Where a page of type `link` leads. */
  href?: string;
  /** An address as it is written in the text -> the id of a page of this book (with `#heading` or without), or a URL. */
  links: Record<string, string>;
  /** What expressions, conditions and includes stand for; without it they are shown as they are written. */
  evaluation?: Evaluation;
}

/** What is set: the title page's words, and the pages in reading order. */
export interface Book {
  title: string;
  /** What stands under the title, as the change request's number and subject. */
  subtitle?: string;
  date: string;
  language?: string;
  /** Whether there is a table of contents, and a title page; not for a single page. */
  hasContents: boolean;
  outline: BookEntry[];
  /** Read one after the other. */
  pages: AsyncIterable<BookPage>;
}

/** The fonts, each a TrueType file. */
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
  /** Emoji in layers of colors (COLR, version 0). */
  | 'emoji-color'
  | 'arabic'
  | 'arabic-bold'
  | 'hebrew'
  | 'hebrew-bold'
  | 'thai'
  | 'thai-bold';

/** Where a book's fonts and images come from; nothing else is ever asked for. */
export interface Assets {
  /** Asked for at most once each, and only when a character needs it. */
  font(name: FontName): Promise<Uint8Array>;
  /** The image at an address as the page's text writes it. */
  image(page: BookPage, source: string): Promise<{ bytes: Uint8Array; type: string } | undefined>;
  /** Unpacks a WebP of a size that is known to be bounded; throws where it is damaged. Without it none is drawn. */
  readWebp?(bytes: Uint8Array): Promise<Pixels>;
}

/** Where a PDF goes, and what it makes room for meanwhile. */
export interface Outlet {
  /** Takes the next bytes of the PDF; what follows waits until it is done. */
  write(chunk: Uint8Array): Promise<void>;
  /** Lets all that waits in the runtime have its turn. */
  giveWay(): Promise<void>;
}
