import { type Block, isBlock, textAt } from './document-tree.ts';
import { escapeSingleLine } from './escape-text.ts';
import { openTag } from './html.ts';
import { renderInlines } from './render-inlines.ts';

/** A table in pipes; one with a view, as cards, in HTML. */
export function renderTable(table: Block): string {
  return textAt(table.data, 'view') === undefined ? pipes(table) : htmlTable(table);
}

const rowsOf = ({ nodes }: Block): Block[] => nodes.filter(isBlock);
const inlinesIn = ({ nodes }: Block) => nodes.filter((node) => !isBlock(node));

const RULES: Record<string, string> = { left: ':---', right: '---:', center: ':---:' };

function pipes(table: Block): string {
  const { align } = table.data;
  const [header, ...rows] = rowsOf(table);
  if (header === undefined) return '';
  const width = Math.max(1, rowsOf(header).length);
  const rule = Array.from({ length: width }, (_, column) => {
    const side = Array.isArray(align) ? align[column] : '';
    return (typeof side === 'string' && Object.hasOwn(RULES, side) ? RULES[side] : undefined) ?? '---';
  });
  return [cells(header, width), line(rule), ...rows.map((row) => cells(row, width))].join('\n');
}

const line = (texts: string[]): string => `| ${texts.join(' | ')} |`;

const cells = (row: Block, width: number): string =>
  line(
    Array.from({ length: width }, (_, column) => {
      const cell = rowsOf(row)[column];
      return cell === undefined ? '' : escapeSingleLine(renderInlines(inlinesIn(cell), 'cell')).replaceAll('|', '\\|');
    }),
  );

function htmlTable(table: Block): string {
  const view = textAt(table.data, 'view');
  const open = openTag('table', [['data-view', view === 'grid' ? undefined : view], ...attributesIn(table)]);
  const rows = rowsOf(table);
  const headers = rows.filter(({ data }) => data.header === true);
  const others = rows.filter(({ data }) => data.header !== true);
  return `${open}${part('thead', headers)}${part('tbody', others)}</table>`;
}

function part(name: 'thead' | 'tbody', rows: Block[]): string {
  if (rows.length === 0) return '';
  const tag = name === 'thead' ? 'th' : 'td';
  const inner = rows.map((row) => {
    const texts = rowsOf(row).map(
      (cell) => `${openTag(tag, attributesIn(cell))}${renderInlines(inlinesIn(cell), 'html')}</${tag}>`,
    );
    return `<tr>${texts.join('')}</tr>`;
  });
  return `<${name}>${inner.join('')}</${name}>`;
}

function attributesIn({ data }: Block): [string, string][] {
  const { attributes } = data;
  if (typeof attributes !== 'object' || attributes === null || Array.isArray(attributes)) return [];
  return Object.entries(attributes).flatMap(([name, value]): [string, string][] =>
    typeof value === 'string' && /^[a-zA-Z][\w:-]*$/.test(name) ? [[name, value]] : [],
  );
}
