import type { Block, Inline } from '@octavo/markdown';
import type { Figure } from './html.ts';
import { colors, drawFrame } from './ink.ts';
import { drawPicture, type Picture } from './picture.ts';
import { body, gap, getLeading, getLines, type Setting, typesetSpans } from './setting.ts';
import { getFigure, getPlainText, getText, getUrl } from './spans.ts';

const MAX_SHARE = 0.72;
const PLACEHOLDER = 46;

/** Whether a node in a text is an image that becomes a figure. */
export const isFigure = (node: Block['nodes'][number]): node is Inline =>
  node.object === 'inline' &&
  ((node.type === 'inline-image' && getText(node.data, 'size') !== 'line') ||
    (node.type === 'html' && /^<img\b/i.test(getText(node.data, 'html')) && getFigure(node).source !== ''));

/**
 * Typesets an image at its own size, at most as wide as the column. If the image is missing, typesets a frame with a text
 * instead.
 */
export async function typesetFigure(setting: Setting, figure: Figure): Promise<void> {
  const { flow } = setting;
  const picture = await setting.pictures.getPicture(setting.page, figure.source);
  flow.addSpace(gap / 2);
  if (picture === undefined) await typesetPlaceholder(setting, figure);
  else {
    const { width, height } = fitToColumn(setting, picture, figure.width);
    flow.ensureRoom(height + 4);
    const x = flow.left + (flow.width - width) / 2;
    drawPicture(flow.paper, picture, { x, y: flow.y, width, height });
    flow.moveDown(height);
  }
  if (figure.caption !== '') {
    flow.moveDown(4);
    const style = { size: 8.5, color: colors.soft, italic: true };
    for (const line of await getLines(setting, [{ text: figure.caption, style }])) {
      flow.ensureRoom(12.5);
      flow.drawLine(line, 12.5, flow.left + (flow.width - line.width) / 2);
      await flow.paper.flush();
    }
  }
}

/** Returns the height of an image. */
export async function measureFigureHeight(setting: Setting, figure: Figure): Promise<number> {
  const picture = await setting.pictures.getPicture(setting.page, figure.source);
  return picture === undefined ? PLACEHOLDER : fitToColumn(setting, picture, figure.width).height;
}

function fitToColumn({ flow }: Setting, picture: Picture, widthText = ''): { width: number; height: number } {
  const [, digits = '', percent] = /^(\d{1,5}(?:\.\d+)?)(%)?(?:px)?$/.exec(widthText.trim()) ?? [];
  const requestedWidth =
    digits === '' ? picture.width : percent ? (flow.width * Number(digits)) / 100 : Number(digits) * 0.75;
  const most = (flow.bottom - flow.top) * MAX_SHARE;
  const factor = Math.min(
    (requestedWidth || picture.width) / picture.width,
    flow.width / picture.width,
    most / picture.height,
  );
  return { width: picture.width * factor, height: picture.height * factor };
}

async function typesetPlaceholder(setting: Setting, { alt, source }: Figure): Promise<void> {
  const { flow } = setting;
  const text = alt.trim() || source.slice(0, 200) || 'Image';
  const style = { size: 8.5, color: colors.soft, italic: true };
  const lines = (await getLines(setting, [{ text, style }], flow.width - 24)).slice(0, 6);
  const height = Math.max(PLACEHOLDER, lines.length * 12.5 + 20);
  flow.ensureRoom(height);
  flow.paper.mark(drawFrame(colors.faint, { x: flow.left, y: flow.y, width: flow.width, height }));
  const end = flow.y + height;
  flow.moveDown((height - lines.length * 12.5) / 2);
  for (const line of lines) flow.drawLine(line, 12.5, flow.left + (flow.width - line.width) / 2);
  flow.moveDown(end - flow.y);
}

const isBlock = (node: Block['nodes'][number]): node is Block => node.object === 'block';

/** Typesets a link to content that is elsewhere, such as a file, an embed or a specification. */
export async function typesetReference(setting: Setting, node: Block): Promise<void> {
  const { type, data, nodes } = node;
  const url = getUrl(data) || getText(data, 'spec');
  const caption =
    getPlainText(nodes.filter((each) => !isBlock(each))) || getText(data, 'caption') || getText(data, 'title');
  const title = caption || setting.getTitle(url) || (type === 'file' ? url.split('/').at(-1) : '') || url || type;
  const target = setting.findTarget(url);
  const style = target === undefined ? setting.style : { ...setting.style, color: colors.link, target };
  const note = /openapi|swagger/.test(type) ? 'API: ' : '';
  setting.flow.ensureRoom(2 * getLeading(body));
  await setting.flow.surroundBlock({ bar: colors.link, pad: 3, inset: 12 }, async () => {
    await typesetSpans(setting, [{ text: `${note}${title}`, style }]);
    const captioned = nodes.filter(isBlock);
    if (type !== 'content-ref' && captioned.length > 0) await setting.blocks(setting, captioned);
  });
}
