import { dataOf, nodesOf, type ShownNode } from '../document.ts';
import type { NodeComponent } from '../drawing.ts';

/** The width of a column, as a share of all. */
function shareOf(column: ShownNode): number | undefined {
  const { width } = dataOf(column);
  const { unit, value } = (typeof width === 'object' && width !== null ? width : {}) as {
    unit?: string;
    value?: number;
  };
  return unit === '%' && typeof value === 'number' && value > 0 && value <= 100 ? value : undefined;
}

const alignments: Record<string, string> = { middle: 'center', bottom: 'end' };

/** Blocks beside each other, and below each other where there is no room. */
export const Columns: NodeComponent = ({ node, at }) => {
  const columns = nodesOf(node);
  const shares = columns.map((column) => `minmax(0,${shareOf(column) ?? Math.round(100 / columns.length)}fr)`);
  const grid = at.sheet.classOf(`--columns:${shares.join(' ')}`);
  return (
    <div class={`columns ${grid}`}>
      {columns.map((column) => {
        const { verticalAlignment } = dataOf(column);
        const align = alignments[String(verticalAlignment)];
        return (
          <div {...(align === undefined ? {} : { class: at.sheet.classOf(`align-self:${align}`) })}>
            {at.blocks(nodesOf(column))}
          </div>
        );
      })}
    </div>
  );
};
