import type { Block } from '@octavo/markdown';
import { colors } from './ink.ts';
import { body, leadingOf, paragraph, type Setting } from './setting.ts';
import { plainOf, textIn, urlOf } from './spans.ts';

const isBlock = (node: Block['nodes'][number]): node is Block => node.object === 'block';

/** What stands elsewhere, as a link to it. */
export async function setReference(setting: Setting, node: Block): Promise<void> {
  const { type, data, nodes } = node;
  const url = urlOf(data) || textIn(data, 'spec');
  const given = plainOf(nodes.filter((each) => !isBlock(each))) || textIn(data, 'caption') || textIn(data, 'title');
  const title = given || setting.titleOf(url) || (type === 'file' ? url.split('/').at(-1) : '') || url || type;
  const target = setting.targetOf(url);
  const style = target === undefined ? setting.style : { ...setting.style, color: colors.link, target };
  const note = /openapi|swagger/.test(type) ? 'API: ' : '';
  setting.flow.need(2 * leadingOf(body));
  await setting.flow.within({ bar: colors.link, pad: 3, inset: 12 }, async () => {
    await paragraph(setting, [{ text: `${note}${title}`, style }]);
    const captioned = nodes.filter(isBlock);
    if (type !== 'content-ref' && captioned.length > 0) await setting.blocks(setting, captioned);
  });
}
