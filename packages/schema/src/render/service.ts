import type { BookFile, OutlineEntry } from '../content/book.ts';
import type { Variables } from '../content/pages.ts';

/** A reusable content that a printed page includes. `includes` maps addresses in its text to ids of contents. */
export interface PrintedContent {
  id: string;
  markdown: string;
  includes: Record<string, string>;
}

/** A page of a PDF with everything that it shows, except its images. */
export interface PrintedPage extends OutlineEntry {
  description?: string;
  emoji?: string;
  /** The stored Markdown, with frontmatter. '' if the page has no text. */
  markdown: string;
  /** The target of a page of type `link`. */
  href?: string;
  /** Maps addresses in the text to ids of pages of the book, with or without `#heading`, or to URLs. */
  links: Record<string, string>;
  /** Maps addresses in the text to ids of files. */
  files: Record<string, string>;
  /** The values of expressions, and the included contents. Without it, they are printed as source text. */
  evaluation?: {
    variables: { space: Variables; page: Variables };
    includes: Record<string, string>;
    contents: PrintedContent[];
  };
}

/** A book to print, without its pages. */
export interface PrintedBook {
  title: string;
  /** The text below the title. */
  subtitle?: string;
  date: string;
  /** Whether the PDF starts with a title page and a table of contents. */
  hasContents: boolean;
  outline: OutlineEntry[];
  /** Maximum size of the PDF. */
  maxBytes?: number;
}

/** An image: a file of the printed revision by its id, or an image of another server. */
export type PrintedImage = { file: string } | { address: string };

/** R2 requires that all parts of an object but the last have the same size, which is at least 5 MiB. */
export const pdfPartBytes = 5 * 1024 * 1024;

/** The functions that the caller of `renderPdf` provides. */
export interface PdfSource {
  /** Returns the next pages in reading order, and no pages at the end. */
  readPages(): Promise<PrintedPage[]>;
  /** Returns an image, or null if it does not exist or is too large. */
  readImage(image: PrintedImage): Promise<BookFile | null>;
  /** Stores the next part of the PDF. All parts but the last have `pdfPartBytes`. */
  writePart(part: Uint8Array<ArrayBuffer>): Promise<void>;
}

/** The result of printing a book, or the reason why it is too large. `missing` lists scripts that no font supports. */
export type PrintedPdf = { pages: number; missing: string[] } | { refusal: string };

/** The result of reading a specification, or the reason why it is invalid. */
export type ReadSpecification =
  | { fault: string }
  | {
      format: 'json' | 'yaml';
      /** The document in OpenAPI 3 as JSON. Undefined if the text itself is this document. */
      document?: { bytes: ReadableStream<Uint8Array>; length: number } | undefined;
      /** JSON arrays of the entries with their ordinals. Each array fits into one bound parameter. */
      entryLists: string[];
    };

/**
 * The RPC interface of the render worker, which does the work that needs the most memory and processor time. It has no
 * database and no network, and stores nothing.
 */
export interface RenderService {
  /** Prints a book as a PDF. */
  renderPdf(book: PrintedBook, source: PdfSource): Promise<PrintedPdf>;
  /** Reads a specification in JSON or YAML. */
  readSpecification(text: Uint8Array): Promise<ReadSpecification>;
}
