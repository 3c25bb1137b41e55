/** A line of a summary: a page, a link or a page without a file. `destination` is as written, its escapes undone. */
export interface SummaryEntry {
  type: 'entry';
  title: string;
  destination?: string;
  /** Said in a comment after the entry: `hidden`, and `link` for a second mention that is a link to the page. */
  marks: Mark[];
  items: SummaryEntry[];
}

export interface SummaryGroup {
  type: 'group';
  title: string;
  items: SummaryEntry[];
}

export type SummaryItem = SummaryEntry | SummaryGroup;
export type Mark = (typeof marks)[number];

export const marks = ['hidden', 'link'] as const;
/** Where a part ends although more entries follow. Other readers of summaries see a comment. */
export const groupEnd = '<!-- end of part -->';
