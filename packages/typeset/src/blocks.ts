import type { Block } from '@octavo/markdown';
import { typesetCode, typesetCodeLines } from './code-block.ts';
import { isFigure, measureFigureHeight, typesetFigure, typesetReference } from './figures.ts';
import { LEAST_WIDTH } from './flow.ts';
import { type Figure, readHtml, removeTags } from './html.ts';
import { colors, drawFrame, drawStroke, type Style } from './ink.ts';
import type { Span } from './line.ts';
import { body, gap, getLeading, getLines, type Setting, typesetSpans } from './setting.ts';
import { getFigure, getPlainText, getSpans, getText, toMathText } from './spans.ts';
import { isWide, typesetTable } from './table.ts';

const INDENT = 17;
const BULLETS = ['•', '–', '·'];

/** Typesets a list, with numbers, bullets or checkboxes beside the first line of each item. */
async function typesetList(setting: Setting, { type, data, nodes }: Block): Promise<void> {
  const { flow } = setting;
  const start = typeof data.start === 'number' ? data.start : 1;
  const items = nodes.filter((node) => node.object === 'block');
  const digits = type === 'list-ordered' ? String(start + items.length - 1).length : 0;
  const indent = flow.width > LEAST_WIDTH + INDENT ? Math.max(INDENT, 6 + digits * 6.5) : 0;
  const isLoose = typeof data.markup === 'object' && data.markup !== null && 'loose' in data.markup;
  const inner: Setting = { ...setting, depth: setting.depth + 1, lists: setting.lists + 1 };
  await flow.fonts.prepare(`0123456789.${BULLETS.join('')}`, setting.style);
  for (const [index, item] of items.entries()) {
    if (index > 0) flow.addSpace(isLoose ? 5 : 2);
    flow.ensureRoom(getLeading(setting.style));
    const label = type === 'list-ordered' ? `${start + index}.` : (BULLETS[setting.lists % BULLETS.length] ?? '');
    flow.left += indent;
    flow.width -= indent;
    const left = flow.left;
    flow.mark((y) => {
      if (typeof item.data.checked === 'boolean') drawBox(setting, { x: left - 14, y, isChecked: item.data.checked });
      else
        flow.drawText([{ text: label, style: { ...body, color: setting.style.color } }], {
          x: left - 6,
          y,
          align: 'right',
        });
    });
    await setting.blocks(
      inner,
      item.nodes.filter((node) => node.object === 'block'),
    );
    flow.takeMarker(getLeading(setting.style));
    flow.left -= indent;
    flow.width += indent;
  }
}

function drawBox({ flow }: Setting, { x, y, isChecked }: { x: number; y: number; isChecked: boolean }): void {
  flow.paper.mark(drawFrame(colors.soft, { x, y: y - 7.4, width: 8, height: 8 }));
  if (isChecked)
    flow.paper.mark(
      drawStroke(colors.text, 1.2, [
        [x + 1.8, y - 3.6],
        [x + 3.4, y - 1.6],
        [x + 6.6, y - 6],
      ]),
    );
}

type Node = Block['nodes'][number];

/** Maximum height of an inline image, relative to the font size. */
const HIGHEST_IN_LINE = 2.6;

/** Typesets a paragraph. An image that is higher than an icon, or the only content, becomes a figure. */
async function typesetParagraph(setting: Setting, { nodes }: Block): Promise<void> {
  const isSingle = nodes.filter((node) => !isBlank(node)).length === 1;
  let run: Node[] = [];
  const endRun = async () => {
    if (!run.every(isBlank)) await typesetSpans(setting, trimSpans(getSpans(setting, run)));
    run = [];
  };
  for (const node of nodes) {
    const figure = findFigure(node);
    if (figure === undefined || (!isSingle && (await fitsInTextLine(setting, figure)))) {
      run.push(node);
      continue;
    }
    await endRun();
    await typesetFigure(setting, figure);
  }
  await endRun();
}

/** Removes the space between text and an image. */
const trimSpans = ([first, ...others]: Span[]): Span[] =>
  first === undefined ? [] : [{ ...first, text: first.text.trimStart() }, ...others];

const isBlank = (node: Node): boolean => node.object === 'text' && getPlainText([node]).trim() === '';

/** Returns the image of a node that is an image or a link around an image. */
function findFigure(node: Node): Figure | undefined {
  const onlyNode = node.object === 'inline' && node.type === 'link' && node.nodes.length === 1 ? node.nodes[0] : node;
  return onlyNode !== undefined && isFigure(onlyNode) ? getFigure(onlyNode) : undefined;
}

/**
 * Whether an image is at most as high as a line or two. A missing image is replaced by its alternative text, so it
 * counts as inline.
 */
async function fitsInTextLine(setting: Setting, figure: Figure): Promise<boolean> {
  if ((await setting.pictures.getPicture(setting.page, figure.source)) === undefined) return true;
  return (await measureFigureHeight(setting, figure)) <= setting.style.size * HIGHEST_IN_LINE;
}

const BETWEEN = 18;
/** Columns that may be higher than this share of a sheet are stacked. */
const HIGHEST = 0.8;
/** The average width of a character, relative to the font size. */
const LETTER = 0.55;
/** The estimated height of a block without text, in points. */
const FIGURE = 130;

const getBlocks = ({ nodes }: Block): Block[] => nodes.filter((node) => node.object === 'block');

/** Typesets columns side by side if they are wide and short enough, otherwise stacked. */
async function typesetColumns(setting: Setting, node: Block): Promise<void> {
  const { flow } = setting;
  const columns = getBlocks(node);
  const width = (flow.width - (columns.length - 1) * BETWEEN) / columns.length;
  const height = Math.max(0, ...columns.map((column) => getHeight(setting, column, width)));
  if (columns.length < 2 || width < LEAST_WIDTH || height > HIGHEST * (flow.bottom - flow.top))
    return setting.blocks(setting, columns.flatMap(getBlocks));
  flow.ensureRoom(height);
  const set = await typesetSideBySide(setting, columns, width);
  if (set < columns.length) flow.addSpace(gap);
  await setting.blocks(setting, columns.slice(set).flatMap(getBlocks));
}

/**
 * Typesets columns beside each other, and stops after a column that continues on another sheet. Returns the number of
 * columns that it has typeset.
 */
async function typesetSideBySide(setting: Setting, columns: Block[], width: number): Promise<number> {
  const { flow } = setting;
  const [left, top, totalWidth, sheet] = [flow.left, flow.y, flow.width, flow.paper.sheets];
  let [lowest, set] = [top, 0];
  while (set < columns.length && flow.paper.sheets === sheet) {
    flow.left = left + set * (width + BETWEEN);
    flow.width = width;
    flow.y = top;
    const blocks = columns.slice(set, set + 1).flatMap(getBlocks);
    await flow.surroundBlock({ pad: 0, inset: 0 }, () =>
      setting.blocks({ ...setting, depth: setting.depth + 1 }, blocks),
    );
    lowest = flow.paper.sheets === sheet ? Math.max(lowest, flow.y) : flow.y;
    set += 1;
  }
  flow.left = left;
  flow.width = totalWidth;
  flow.y = lowest;
  return set;
}

/** Estimates the height of blocks at a width, rounding up. */
function getHeight({ style }: Setting, column: Block, width: number): number {
  const perLine = Math.max(1, width / (style.size * LETTER));
  const getBlockHeight = (block: Block): number => {
    const inner = getBlocks(block);
    if (block.type !== 'table' && inner.length > 0)
      return inner.reduce((sum, block) => sum + getBlockHeight(block), 2 * gap);
    const text = getPlainText([block]);
    const lines = Math.ceil(text.length / perLine) + text.split('\n').length;
    return gap + lines * getLeading(style) + (text.trim() === '' ? FIGURE : 0) + (block.type === 'table' ? FIGURE : 0);
  };
  return getBlocks(column).reduce((sum, block) => sum + getBlockHeight(block), 0);
}

/** The work of a block and of a parsing step in characters (see `WorkPauses`), and the maximum length of HTML. */
const BLOCK = 50;
const STEP_OF_READING = 4_000;
const MAX_HTML = 200_000;

const isBlock = (node: Block['nodes'][number]): node is Block => node.object === 'block';

/** Typesets blocks below each other. */
export async function typesetBlocks(setting: Setting, all: Block[]): Promise<void> {
  const { flow } = setting;
  const nodes = all.filter(isSeen);
  for (const [index, node] of nodes.entries()) {
    const isTight = setting.depth > 0 && index > 0 && node.type.startsWith('list') && nodes.length === 2;
    if (index > 0) flow.addSpace(isTight ? 2 : gap);
    await typesetNext(setting, node, nodes.slice(index + 1, index + 1 + FOLLOWING));
  }
}

/** The number of blocks after a heading that decide how much room it needs. */
const FOLLOWING = 3;

/** Typesets blocks step by step as they are parsed, so that few of them are in memory. */
export async function typesetPieces(setting: Setting, steps: Iterable<Block[]>): Promise<void> {
  const { flow } = setting;
  let [pending, isFirst]: [Block[], boolean] = [[], true];
  const typesetAllButLast = async (minimum: number) => {
    const count = Math.max(0, pending.length - minimum);
    for (const [index, node] of pending.slice(0, count).entries()) {
      if (!isFirst) flow.addSpace(gap);
      isFirst = false;
      await typesetNext(setting, node, pending.slice(index + 1, index + 1 + FOLLOWING));
    }
    pending = pending.slice(count);
  };
  for (const blocks of steps) {
    await flow.paper.turns.countWork(STEP_OF_READING);
    pending.push(...blocks.filter(isSeen));
    await typesetAllButLast(FOLLOWING);
  }
  await typesetAllButLast(0);
}

async function typesetNext(setting: Setting, node: Block, following: Block[]): Promise<void> {
  const { flow } = setting;
  const { turns } = flow.paper;
  turns.count(BLOCK);
  if (node.type !== 'table') flow.useOrientation(await isAboveWide(setting, [node, ...following]));
  if (node.type.startsWith('heading-')) await typesetHeading(setting, node, following);
  else await typesetBlock(setting, node);
  await flow.paper.flush();
}

/**
 * Whether the blocks start with headings followed by a table on a landscape sheet. The headings then move to that
 * sheet.
 */
async function isAboveWide(setting: Setting, blocks: Block[]): Promise<boolean> {
  const next = blocks.find(({ type }) => !type.startsWith('heading-'));
  return blocks[0] !== next && next?.type === 'table' && isWide(setting, next);
}

/** Whether a block is visible. Comments and link definitions are not. */
function isSeen({ type, data }: Block): boolean {
  if (type === 'html' && !isLong(data)) return readHtml(getText(data, 'html')).length > 0;
  return (
    type !== 'markdown' ||
    getText(data, 'markdown')
      .split('\n')
      .some((line) => !/^ {0,3}\[[^\]]+\]:|^\s*$/.test(line))
  );
}

/** Whether the HTML of a block is too long to be parsed. */
const isLong = (data: Block['data']): boolean => getText(data, 'html').length > MAX_HTML;

type TypesetBlock = (setting: Setting, node: Block) => Promise<void>;

const typesetInner: TypesetBlock = (setting, { nodes }) => typesetBlocks(setting, nodes.filter(isBlock));

const BLOCKS: Record<string, TypesetBlock> = {
  paragraph: typesetParagraph,
  'list-ordered': typesetList,
  'list-unordered': typesetList,
  'list-tasks': typesetList,
  blockquote: typesetQuote,
  hint: typesetHint,
  code: typesetCode,
  'code-frame': typesetInner,
  table: typesetTable,
  images: async (setting, { nodes }) => {
    for (const node of nodes.filter(isBlock)) await typesetFigure(setting, getFigure(node));
  },
  image: (setting, node) => typesetFigure(setting, getFigure(node)),
  divider: typesetDivider,
  math: (setting, { data }) =>
    typesetCodeLines(setting, toMathText(getText(data, 'formula')).replace(/\n$/, '').split('\n')),
  markdown: (setting, { data }) => typesetCodeLines(setting, getText(data, 'markdown').split(/\r\n?|\n/)),
  html: typesetHtml,
  tabs: typesetInner,
  'tabs-item': typesetTitled,
  expandable: typesetTitled,
  stepper: typesetInner,
  'stepper-step': typesetInner,
  columns: typesetColumns,
  column: typesetInner,
  conditional: typesetInner,
  'conditional-branch': typesetInner,
  updates: typesetInner,
  update: typesetTitled,
  footnote: typesetFootnote,
  'content-ref': typesetReference,
  embed: typesetReference,
  file: typesetReference,
  'reusable-content': typesetReference,
  openapi: typesetReference,
  swagger: typesetReference,
};

async function typesetBlock(setting: Setting, node: Block): Promise<void> {
  const set = Object.hasOwn(BLOCKS, node.type) ? BLOCKS[node.type] : undefined;
  if (set !== undefined) await set(setting, node);
  else if (node.nodes.some(isBlock)) await typesetInner(setting, node);
  else await typesetReference(setting, node);
}

const SIZES: Record<string, number> = { '1': 18, '2': 15, '3': 12.5, '4': 11, '5': 10, '6': 9.5 };

/** Typesets a heading on the same sheet as the blocks that follow. */
async function typesetHeading(setting: Setting, node: Block, following: Block[]): Promise<void> {
  const { flow } = setting;
  const style = getHeadingStyle(node);
  const lines = await getLines(setting, getSpans(setting, node.nodes, style));
  const leading = style.size * 1.32;
  flow.addSpace(style.size * 0.75);
  flow.ensureRoom(lines.length * leading + (await measureMinHeight(setting, following)));
  const text = getPlainText(node.nodes);
  setting.headings.addHeading(flow, { text, level: Number(node.type.slice(-1)) });
  await flow.addLines(lines, leading);
  flow.moveDown(style.size * 0.1);
}

function getHeadingStyle({ type }: Block): Style {
  const level = type.slice(-1);
  return { size: SIZES[level] ?? 10, bold: true, color: level === '6' ? colors.soft : colors.text };
}

/** Returns the height of the first blocks, which must fit below a heading on the same sheet. */
async function measureMinHeight(setting: Setting, [first, ...others]: Block[]): Promise<number> {
  const line = getLeading(body);
  if (first === undefined) return 0;
  if (first.type.startsWith('heading-')) {
    const { size } = getHeadingStyle(first);
    return gap + size * 2.2 + (await measureMinHeight(setting, others));
  }
  const [onlyNode] = first.nodes;
  const hasFigure = onlyNode !== undefined && (isFigure(onlyNode) || (isBlock(onlyNode) && onlyNode.type === 'image'));
  if (hasFigure) return gap * 2 + (await measureFigureHeight(setting, getFigure(onlyNode)));
  return gap + (first.type === 'paragraph' ? 2 * line : 3.4 * line + 10);
}

async function typesetQuote(setting: Setting, node: Block): Promise<void> {
  setting.flow.ensureRoom(2 * getLeading(body));
  const quiet = { ...setting, style: { ...setting.style, color: colors.soft } };
  const inset = 14;
  await setting.flow.surroundBlock({ bar: colors.faint, pad: 1, inset }, () =>
    typesetInner({ ...quiet, depth: setting.depth + 1 }, node),
  );
}

const HINTS: Record<string, { bar: string; color: string }> = {
  info: { bar: '0.2 0.47 0.85', color: '0.937 0.957 0.988' },
  success: { bar: '0.16 0.6 0.35', color: '0.925 0.972 0.942' },
  warning: { bar: '0.88 0.6 0.08', color: '0.995 0.965 0.895' },
  danger: { bar: '0.82 0.22 0.22', color: '0.992 0.935 0.932' },
};

async function typesetHint(setting: Setting, node: Block): Promise<void> {
  setting.flow.ensureRoom(3 * getLeading(body));
  const theme = HINTS[getText(node.data, 'style')] ?? HINTS.info;
  const inset = 14;
  await setting.flow.surroundBlock({ ...theme, pad: 8, inset }, () =>
    typesetInner({ ...setting, depth: setting.depth + 1 }, node),
  );
}

async function typesetDivider({ flow }: Setting): Promise<void> {
  flow.ensureRoom(14);
  const y = flow.y + 6;
  flow.paper.mark(
    drawStroke(colors.faint, 0.8, [
      [flow.left, y],
      [flow.left + flow.width, y],
    ]),
  );
  flow.moveDown(12);
}

async function typesetHtml(setting: Setting, { data }: Block): Promise<void> {
  if (isLong(data)) return typesetCodeLines(setting, getText(data, 'html').split('\n'));
  for (const part of readHtml(getText(data, 'html'))) {
    if (typeof part !== 'string') await typesetFigure(setting, part);
    else await typesetSpans(setting, [{ text: part, style: setting.style }]);
  }
}

/** Typesets an expandable block, a tab or a dated update: its title, then its content. */
async function typesetTitled(setting: Setting, node: Block): Promise<void> {
  const { flow } = setting;
  const title = removeTags(getText(node.data, 'title')) || getText(node.data, 'date');
  flow.ensureRoom(4 * getLeading(body));
  if (title !== '') {
    await typesetSpans(setting, [{ text: title, style: { ...setting.style, bold: true } }]);
    flow.addSpace(3);
  }
  const inset = 12;
  await flow.surroundBlock({ bar: colors.faint, pad: 0, inset }, () =>
    typesetInner({ ...setting, depth: setting.depth + 1 }, node),
  );
}

async function typesetFootnote(setting: Setting, { data, nodes }: Block): Promise<void> {
  const style = { ...setting.style, size: 8.5 };
  const label: Span = { text: `${getText(data, 'label')} `, style: { ...style, bold: true } };
  const [first, ...more] = nodes.filter(isBlock);
  const isText = first?.type === 'paragraph';
  await typesetSpans(setting, [label, ...getSpans(setting, isText ? first.nodes : [], style)], 12.5);
  const rest = isText || first === undefined ? more : [first, ...more];
  await typesetBlocks({ ...setting, style, depth: setting.depth + 1 }, rest);
}
