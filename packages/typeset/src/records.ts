import { colors, stroke } from './ink.ts';
import { gap, paragraph, type Setting } from './setting.ts';
import { plainOf, spansOf } from './spans.ts';
import type { SetTable } from './table-cells.ts';

const LEADING = 13;

/** Sets each row of a table as a list of its cells, each after its column's name. */
export async function setRecords(setting: Setting, { rows, isHeaderShown }: SetTable): Promise<void> {
  const header = rows[0]?.isHeader ? rows[0] : undefined;
  const titles = isHeaderShown ? (header?.cells ?? []) : [];
  const names = titles.map(({ nodes }) => plainOf(nodes).trim().slice(0, 60));
  const { flow } = setting;
  for (const row of rows) {
    if (row === header && rows.length > 1) continue;
    for (const [column, { nodes }] of row.cells.entries()) {
      const name = row === header ? '' : names[column];
      const label = name ? [{ text: `${name}: `, style: { ...setting.style, bold: true } }] : [];
      if (nodes.length > 0) await paragraph(setting, [...label, ...spansOf(setting, nodes)], LEADING);
    }
    flow.take(2);
    flow.paper.mark(
      stroke(colors.faint, 0.6, [
        [flow.left, flow.y],
        [flow.left + flow.width, flow.y],
      ]),
    );
    flow.space(gap / 2);
    await flow.paper.flush();
  }
}
