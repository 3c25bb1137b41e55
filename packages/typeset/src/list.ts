import type { Block } from '@octavo/markdown';
import { LEAST_WIDTH } from './flow.ts';
import { colors, frame, stroke } from './ink.ts';
import { body, leadingOf, type Setting } from './setting.ts';

const INDENT = 17;
const BULLETS = ['•', '–', '·'];

/** Sets a list, its numbers, bullets or boxes beside the first line of each item. */
export async function setList(setting: Setting, { type, data, nodes }: Block): Promise<void> {
  const { flow } = setting;
  const start = typeof data.start === 'number' ? data.start : 1;
  const items = nodes.filter((node) => node.object === 'block');
  const digits = type === 'list-ordered' ? String(start + items.length - 1).length : 0;
  const indent = flow.width > LEAST_WIDTH + INDENT ? Math.max(INDENT, 6 + digits * 6.5) : 0;
  const isLoose = typeof data.markup === 'object' && data.markup !== null && 'loose' in data.markup;
  const inner: Setting = { ...setting, depth: setting.depth + 1, lists: setting.lists + 1 };
  await flow.fonts.prepare(`0123456789.${BULLETS.join('')}`, setting.style);
  for (const [index, item] of items.entries()) {
    if (index > 0) flow.space(isLoose ? 5 : 2);
    flow.need(leadingOf(setting.style));
    const label = type === 'list-ordered' ? `${start + index}.` : (BULLETS[setting.lists % BULLETS.length] ?? '');
    flow.left += indent;
    flow.width -= indent;
    const left = flow.left;
    flow.mark((y) => {
      if (typeof item.data.checked === 'boolean') drawBox(setting, { x: left - 14, y, isChecked: item.data.checked });
      else
        flow.at([{ text: label, style: { ...body, color: setting.style.color } }], { x: left - 6, y, align: 'right' });
    });
    await setting.blocks(
      inner,
      item.nodes.filter((node) => node.object === 'block'),
    );
    flow.takeMarker(leadingOf(setting.style));
    flow.left -= indent;
    flow.width += indent;
  }
}

function drawBox({ flow }: Setting, { x, y, isChecked }: { x: number; y: number; isChecked: boolean }): void {
  flow.paper.mark(frame(colors.soft, { x, y: y - 7.4, width: 8, height: 8 }));
  if (isChecked)
    flow.paper.mark(
      stroke(colors.text, 1.2, [
        [x + 1.8, y - 3.6],
        [x + 3.4, y - 1.6],
        [x + 6.6, y - 6],
      ]),
    );
}
