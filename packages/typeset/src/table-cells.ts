import type { Block } from '@octavo/markdown';
import { colors, drawStroke } from './ink.ts';
import { gap, type Setting, typesetSpans } from './setting.ts';
import { getPlainText, getSpans } from './spans.ts';

/** A table with its visible columns. If hidden columns define the targets of cards, it has all columns. */
export interface TypesetTable {
  rows: TypesetTableRow[];
  /** The header cells, even if the header is hidden. */
  titles: Block[];
  isHeaderShown: boolean;
  aligns: string[];
}

export interface TypesetTableRow {
  cells: Block[];
  isHeader: boolean;
}

/** Returns an HTML attribute of a table or a header cell. */
export const getAttribute = ({ data }: Pick<Block, 'data'>, name: string): string | undefined => {
  const { attributes } = data;
  if (typeof attributes !== 'object' || attributes === null || !Object.hasOwn(attributes, name)) return undefined;
  const value = (attributes as Record<string, unknown>)[name];
  return typeof value === 'string' ? value : undefined;
};

export const isHidden = (title: Block | undefined): boolean =>
  title !== undefined && getAttribute(title, 'data-hidden') !== undefined;

const LEADING = 13;

/** Typesets each row as a list of its cells, each with its column's name. */
export async function typesetRecords(setting: Setting, { rows, isHeaderShown }: TypesetTable): Promise<void> {
  const header = rows[0]?.isHeader ? rows[0] : undefined;
  const titles = isHeaderShown ? (header?.cells ?? []) : [];
  const names = titles.map(({ nodes }) => getPlainText(nodes).trim().slice(0, 60));
  const { flow } = setting;
  for (const row of rows) {
    if (row === header && rows.length > 1) continue;
    for (const [column, { nodes }] of row.cells.entries()) {
      const name = row === header ? '' : names[column];
      const label = name ? [{ text: `${name}: `, style: { ...setting.style, bold: true } }] : [];
      if (nodes.length > 0) await typesetSpans(setting, [...label, ...getSpans(setting, nodes)], LEADING);
    }
    flow.moveDown(2);
    flow.paper.mark(
      drawStroke(colors.faint, 0.6, [
        [flow.left, flow.y],
        [flow.left + flow.width, flow.y],
      ]),
    );
    flow.addSpace(gap / 2);
    await flow.paper.flush();
  }
}
