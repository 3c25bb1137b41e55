import type { Block, TreeData } from './document-tree.ts';
import { getMarkup, getTextAt, isBlock, isUnchanged } from './document-tree.ts';
import { addIds } from './heading-ids.ts';
import { copyMarkerFromSource, escapeLines, escapeSingleLine, openTag, renderList } from './markup.ts';
import { renderInlines } from './render-inlines.ts';
import { getTagName, renderTag } from './tags.ts';

type RenderBlocks = (nodes: Block['nodes']) => string;

/**
 * Renders a block in its source dialect. Returns undefined if it has no source dialect, or if its data has changed and
 * its first line is therefore outdated.
 */
function renderForeignBlock(node: Block, renderBlocks: RenderBlocks): string | undefined {
  const [open, close, prefix, of] = ['open', 'close', 'prefix', 'of'].map((key) => getMarkup(node.data, key));
  if (typeof open !== 'string' || typeof of !== 'string') return undefined;
  if (JSON.stringify(removeMarkup(node.data)) !== of) return undefined;
  if (open === '') return node.nodes.every(isIndentedTab) ? renderBlocks(node.nodes) : undefined;
  const [first, ...rest] = node.nodes;
  const isTitle = first !== undefined && isBlock(first) && getMarkup(first.data, 'title') === true;
  if (isTitle && !isUnchanged(first)) return undefined;
  const inner = renderBlocks(isTitle ? rest : node.nodes);
  const lines = inner === '' ? [] : [typeof prefix === 'string' ? prefixLines(prefix, inner) : inner];
  return [open, ...lines, ...(typeof close === 'string' ? [close] : [])].join('\n');
}

const isIndentedTab = (node: Block['nodes'][number]): boolean =>
  isBlock(node) &&
  String(getMarkup(node.data, 'open')).startsWith('===') &&
  getMarkup(node.data, 'of') === JSON.stringify(removeMarkup(node.data));

const removeMarkup = ({ markup: _, ...data }: TreeData): TreeData => data;

/** Renders blocks in canonical form; `previous` is the block before them. */
export function renderBlocks(nodes: Block['nodes'], previous?: Block): string {
  const parts: string[] = [];
  let before = previous;
  for (const node of nodes.filter(isBlock)) {
    const text = renderBlock(node, before);
    if (text === '' && node.type === 'paragraph') continue;
    parts.push(text);
    before = copyMarkerFromSource(node, text);
  }
  return parts.join('\n\n');
}

const getInlines = ({ nodes }: Block) => nodes.filter((node) => !isBlock(node));

type Render = (node: Block, previous: Block | undefined) => string;

const RENDERERS: Record<string, Render> = {
  paragraph: (node) => escapeLines(renderInlines(getInlines(node), 'lines')),
  divider: () => '***',
  blockquote: (node) => prefixLines('> ', renderBlocks(node.nodes)),
  'list-ordered': (node, previous) => renderList(node, { previous, renderBlocks }),
  'list-unordered': (node, previous) => renderList(node, { previous, renderBlocks }),
  'list-tasks': (node, previous) => renderList(node, { previous, renderBlocks }),
  code: renderCode,
  'code-frame': (node) => renderContainer('code', node),
  html: ({ data }) => getTextAt(data.markup, 'text') ?? getTextAt(data, 'html') ?? '',
  markdown: ({ data }) => getTextAt(data, 'markdown') ?? '',
  math: ({ data }) => `$$\n${getTextAt(data, 'formula') ?? ''}\n$$`.replace('\n\n$$', '\n$$'),
  footnote: ({ data, nodes }) => {
    const sign = `[^${(getTextAt(data, 'label') ?? '').replace(/[\s[\]^]/g, '')}]:`;
    const [first, ...more] = nodes.filter(isBlock);
    if (first === undefined || (first.type === 'paragraph' && more.length === 0))
      return `${sign} ${escapeSingleLine(renderInlines(first === undefined ? [] : getInlines(first), 'cell'))}`;
    return `${sign}\n\n${prefixLines('    ', renderBlocks(nodes))}`;
  },
  table: renderTable,
  images: renderImages,
  image: (node) => renderFigure(node),
  expandable: renderExpandable,
  conditional: renderConditional,
};

function renderBlock(node: Block, previous: Block | undefined): string {
  const original = renderForeignBlock(node, renderBlocks);
  if (original !== undefined) return original;
  const render = Object.hasOwn(RENDERERS, node.type) ? RENDERERS[node.type] : undefined;
  if (render !== undefined) return render(node, previous);
  const heading = /^heading-([1-6])$/.exec(node.type)?.[1];
  if (heading !== undefined) return renderHeading(node, Number(heading));
  const name = getTagName(node.type);
  return name === undefined ? renderBlocks(node.nodes, previous) : renderContainer(name, node);
}

function renderHeading(node: Block, level: number): string {
  const text = addIds(node, escapeSingleLine(renderInlines(getInlines(node), 'cell'))).replace(/(#+)$/, '\\$1');
  return `${'#'.repeat(level)} ${text}`.trimEnd();
}

const ALONE = new Set(['embed', 'file', 'include']);

function renderContainer(name: string, node: Block): string {
  const open = renderTag(name, node.data);
  if (ALONE.has(name) && node.nodes.length === 0) return open;
  const inner = renderBlocks(node.nodes);
  return [open, ...(inner === '' ? [] : [inner]), `{% end${name} %}`].join('\n');
}

function renderConditional(node: Block): string {
  const lines: string[] = [];
  for (const [index, branch] of node.nodes.filter(isBlock).entries()) {
    const condition = getTextAt(branch.data, 'condition');
    const inner = renderBlocks(branch.nodes);
    if (condition === undefined) lines.push('{% else %}');
    else lines.push(renderTag('if', branch.data).replace('{% if', index === 0 ? '{% if' : '{% elseif'));
    if (inner !== '') lines.push(inner);
  }
  return [...lines, '{% endif %}'].join('\n');
}

function renderCode(node: Block): string {
  const { syntax, markup: _, ...frame } = node.data;
  const text = node.nodes
    .filter(isBlock)
    .map((line) => line.nodes.flatMap((each) => (each.object === 'text' ? each.leaves : [])))
    .map((leaves) => leaves.map((leaf) => leaf.text).join(''))
    .join('\n');
  const longest = (text.match(/^ *`{3,}/gm) ?? []).reduce((most, run) => Math.max(most, run.trim().length), 2);
  const fence = '`'.repeat(longest + 1);
  const info = typeof syntax === 'string' ? syntax.replace(/[`\r\n]/g, '').trim() : '';
  const block = [`${fence}${info}`, ...(node.nodes.length === 0 ? [] : [text]), fence].join('\n');
  if (Object.keys(frame).length === 0) return block;
  return `${renderTag('code', frame)}\n${block}\n{% endcode %}`;
}

function renderImages({ data, nodes }: Block): string {
  const figures = nodes.filter(isBlock).map(renderFigure);
  const align = getTextAt(data, 'align');
  const fullWidth = data.fullWidth === true ? 'true' : undefined;
  if (figures.length === 1 && align === undefined && fullWidth === undefined) return figures.join('');
  const frame = openTag('div', [
    ['align', align],
    ['data-full-width', fullWidth],
  ]);
  return `${frame}${figures.join(' ')}</div>`;
}

function renderFigure({ data }: Block): string {
  const image = openTag('img', [
    ['src', getTextAt(data.ref, 'url') ?? ''],
    ['alt', getTextAt(data, 'alt')],
    ['width', getTextAt(data, 'width')],
    ['height', getTextAt(data, 'height')],
  ]);
  const dark = getTextAt(data.refDark, 'url');
  const source = openTag('source', [
    ['srcset', dark],
    ['media', '(prefers-color-scheme: dark)'],
  ]);
  const picture = dark === undefined ? image : `<picture>${source}${image}</picture>`;
  const caption = getTextAt(data, 'caption')?.replace(/\n+/g, ' ');
  return `<figure>${picture}<figcaption>${caption === undefined ? '' : `<p>${caption}</p>`}</figcaption></figure>`;
}

function renderExpandable({ data, nodes }: Block): string {
  const title = (getTextAt(data, 'title') ?? '').replace(/\n+/g, ' ');
  const inner = renderBlocks(nodes);
  return [
    `<details${data.open === true ? ' open' : ''}>`,
    `<summary>${title}</summary>`,
    ...(inner === '' ? [] : [inner]),
    '</details>',
  ].join('\n\n');
}

const prefixLines = (prefix: string, text: string): string =>
  text
    .split('\n')
    .map((line) => `${prefix}${line}`.trimEnd())
    .join('\n');

/** Renders a table with pipes, or as HTML if it has a view, such as cards. */
function renderTable(table: Block): string {
  return getTextAt(table.data, 'view') === undefined ? renderPipeTable(table) : renderHtmlTable(table);
}

const getRows = ({ nodes }: Block): Block[] => nodes.filter(isBlock);

const RULES: Record<string, string> = { left: ':---', right: '---:', center: ':---:' };

function renderPipeTable(table: Block): string {
  const { align } = table.data;
  const [header, ...rows] = getRows(table);
  if (header === undefined) return '';
  const width = Math.max(1, getRows(header).length);
  const rule = Array.from({ length: width }, (_, column) => {
    const side = Array.isArray(align) ? align[column] : '';
    return (typeof side === 'string' && Object.hasOwn(RULES, side) ? RULES[side] : undefined) ?? '---';
  });
  return [renderCells(header, width), renderRow(rule), ...rows.map((row) => renderCells(row, width))].join('\n');
}

const renderRow = (texts: string[]): string => `| ${texts.join(' | ')} |`;

function renderCells(row: Block, width: number): string {
  const rows = getRows(row);
  return renderRow(
    Array.from({ length: width }, (_, column) => {
      const cell = rows[column];
      return cell === undefined ? '' : escapeSingleLine(renderInlines(getInlines(cell), 'cell')).replaceAll('|', '\\|');
    }),
  );
}

function renderHtmlTable(table: Block): string {
  const view = getTextAt(table.data, 'view');
  const open = openTag('table', [['data-view', view === 'grid' ? undefined : view], ...getAttributes(table)]);
  const rows = getRows(table);
  const headers = rows.filter(({ data }) => data.header === true);
  const others = rows.filter(({ data }) => data.header !== true);
  return `${open}${renderTablePart('thead', headers)}${renderTablePart('tbody', others)}</table>`;
}

function renderTablePart(name: 'thead' | 'tbody', rows: Block[]): string {
  if (rows.length === 0) return '';
  const tag = name === 'thead' ? 'th' : 'td';
  const inner = rows.map((row) => {
    const texts = getRows(row).map(
      (cell) => `${openTag(tag, getAttributes(cell))}${renderInlines(getInlines(cell), 'html')}</${tag}>`,
    );
    return `<tr>${texts.join('')}</tr>`;
  });
  return `<${name}>${inner.join('')}</${name}>`;
}

function getAttributes({ data }: Block): [string, string][] {
  const { attributes } = data;
  if (typeof attributes !== 'object' || attributes === null || Array.isArray(attributes)) return [];
  return Object.entries(attributes).flatMap(([name, value]): [string, string][] =>
    typeof value === 'string' && /^[a-zA-Z][\w:-]*$/.test(name) ? [[name, value]] : [],
  );
}
