import type { Block } from '@octavo/markdown';
import { LEAST_WIDTH } from './flow.ts';
import { gap, leadingOf, type Setting } from './setting.ts';
import { plainOf } from './spans.ts';

const BETWEEN = 18;
/** Columns that may be higher than this part of a sheet stand one below the other. */
const HIGHEST = 0.8;
/** Of the size of the letters. */
const LETTER = 0.55;
/** What a block takes that is no text, in points. */
const FIGURE = 130;

const blocksOf = ({ nodes }: Block): Block[] => nodes.filter((node) => node.object === 'block');

/** Sets columns beside each other, where they are wide enough and short enough for that; else one below the other. */
export async function setColumns(setting: Setting, node: Block): Promise<void> {
  const { flow } = setting;
  const columns = blocksOf(node);
  const width = (flow.width - (columns.length - 1) * BETWEEN) / columns.length;
  const height = Math.max(0, ...columns.map((column) => heightOf(setting, column, width)));
  if (columns.length < 2 || width < LEAST_WIDTH || height > HIGHEST * (flow.bottom - flow.top))
    return setting.blocks(setting, columns.flatMap(blocksOf));
  flow.need(height);
  const set = await setBeside(setting, columns, width);
  if (set < columns.length) flow.space(gap);
  await setting.blocks(setting, columns.slice(set).flatMap(blocksOf));
}

/** Gives how many were set: one that went on to another sheet after all is the last. */
async function setBeside(setting: Setting, columns: Block[], width: number): Promise<number> {
  const { flow } = setting;
  const [left, top, whole, sheet] = [flow.left, flow.y, flow.width, flow.paper.sheets];
  let [lowest, set] = [top, 0];
  while (set < columns.length && flow.paper.sheets === sheet) {
    flow.left = left + set * (width + BETWEEN);
    flow.width = width;
    flow.y = top;
    const blocks = columns.slice(set, set + 1).flatMap(blocksOf);
    await flow.within({ pad: 0, inset: 0 }, () => setting.blocks({ ...setting, depth: setting.depth + 1 }, blocks));
    lowest = flow.paper.sheets === sheet ? Math.max(lowest, flow.y) : flow.y;
    set += 1;
  }
  flow.left = left;
  flow.width = whole;
  flow.y = lowest;
  return set;
}

/** About as high as blocks are in a width, and rather higher. */
function heightOf({ style }: Setting, column: Block, width: number): number {
  const perLine = Math.max(1, width / (style.size * LETTER));
  const ofBlock = (block: Block): number => {
    const inner = blocksOf(block);
    if (block.type !== 'table' && inner.length > 0) return inner.reduce((sum, each) => sum + ofBlock(each), 2 * gap);
    const text = plainOf([block]);
    const lines = Math.ceil(text.length / perLine) + text.split('\n').length;
    return gap + lines * leadingOf(style) + (text.trim() === '' ? FIGURE : 0) + (block.type === 'table' ? FIGURE : 0);
  };
  return blocksOf(column).reduce((sum, block) => sum + ofBlock(block), 0);
}
