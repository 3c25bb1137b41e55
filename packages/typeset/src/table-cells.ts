import type { Block } from '@octavo/markdown';

/** A table with the columns that are shown, or not where they say what a card leads to. */
export interface SetTable {
  rows: SetTableRow[];
  /** The cells of the header, also where it is not shown. */
  titles: Block[];
  isHeaderShown: boolean;
  aligns: string[];
}

export interface SetTableRow {
  cells: Block[];
  isHeader: boolean;
}

/** An attribute of a table, or of a cell of its header, as its HTML gives it. */
export const attributeOf = ({ data }: Pick<Block, 'data'>, name: string): string | undefined => {
  const { attributes } = data;
  if (typeof attributes !== 'object' || attributes === null || !Object.hasOwn(attributes, name)) return undefined;
  const value = (attributes as Record<string, unknown>)[name];
  return typeof value === 'string' ? value : undefined;
};

export const isHidden = (title: Block | undefined): boolean =>
  title !== undefined && attributeOf(title, 'data-hidden') !== undefined;
