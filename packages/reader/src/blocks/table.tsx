import type { ComponentChildren } from 'preact';
import type { ShownNode } from '../document.ts';
import { classesOf, dataOf, nodesOf, plainText } from '../document.ts';
import type { NodeComponent, PageDrawing } from '../drawing.ts';
import { hrefOf } from '../drawing.ts';
import { Anchor, Sign } from '../elements.tsx';
import { toneOf } from '../theme/styles.ts';
import { shortAddress } from '../view.ts';
import { Picture } from './media.tsx';
import { Check } from './text.tsx';

interface Props {
  table: TableOfPage;
  at: PageDrawing;
  isFull: boolean;
}

const sides: Record<string, string> = { center: 'to-center', right: 'to-end' };

const sideOf = ({ textAlignment, type }: ColumnDefinition): { class?: string } =>
  classesOf(type === 'number' ? 'to-end' : sides[textAlignment ?? '']);

const maxPixels = 2000;

/** Returns the width of a column that has one: pixels, or a percentage in older tables. */
function widthOf({ id }: ColumnDefinition, { view: { columnWidths, useNewSizing } }: TableOfPage): string | undefined {
  const width = columnWidths?.[id];
  if (typeof width !== 'number' || !(width > 0)) return undefined;
  return useNewSizing === true ? `${Math.min(width, maxPixels)}px` : `${Math.min(width, 100)}%`;
}

function Header({ table, at }: Omit<Props, 'isFull'>): ComponentChildren {
  const { columns, view } = table;
  if (columns.every(({ title = '' }) => title === '')) return null;
  return (
    <thead {...classesOf(view.hideHeader === true && 'hidden-head')}>
      <tr>
        {columns.map((column) => {
          const width = widthOf(column, table);
          const sized = width === undefined ? undefined : at.sheet.classOf(`inline-size:${width}`);
          const classes = classesOf(sideOf(column).class, sized);
          return column.title ? (
            <th scope="col" {...classes}>
              {column.title}
            </th>
          ) : (
            <td {...classes} />
          );
        })}
      </tr>
    </thead>
  );
}

const maxLabel = 100;

function Grid({ table, at, isFull }: Props): ComponentChildren {
  const { columns, records } = table;
  const titles = columns.flatMap(({ title }) => title || []).join(', ');
  return (
    // Wide tables scroll inside this element, which must be focusable for keyboard users.
    <div
      role="group"
      {...classesOf('table', isFull && 'full', !isFull && keepsHead(table) && 'long')}
      tabIndex={0}
      aria-label={titles.slice(0, maxLabel) || at.texts.table}
    >
      <table>
        <Header table={table} at={at} />
        <tbody>
          {records.map(({ values }) => (
            <tr>
              {columns.map((column) => (
                <td {...sideOf(column)}>
                  <Value column={column} value={values[column.id]} table={table} at={at} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface CardProps extends Omit<Props, 'isFull'> {
  record: TableRecord;
}

function Cover({ record: { values }, table: { view }, at }: CardProps): ComponentChildren {
  const coverAt = (id: string | undefined) =>
    id === undefined ? undefined : (values[id] as { ref?: unknown } | undefined);
  const [day, night] = [coverAt(view.coverDefinition), coverAt(view.coverDefinitionDark)];
  if (day === undefined) return null;
  return <Picture data={{ ref: day.ref, alt: '', ...(night === undefined ? {} : { refDark: night.ref }) }} at={at} />;
}

function Card(props: CardProps): ComponentChildren {
  const { record, table, at } = props;
  const { view, columns } = table;
  const { values } = record;
  const href = hrefOf(at.view, at.view.resolve(values[view.targetDefinition ?? ''])?.to);
  const aside = [view.targetDefinition, view.coverDefinition, view.coverDefinitionDark];
  const [first, ...rest] = columns.filter(({ id }) => !aside.includes(id) && values[id] !== undefined);
  const value = (column: ColumnDefinition, isInLink = false) => (
    <Value column={column} value={values[column.id]} table={table} at={at} isInLink={isInLink} />
  );
  return (
    <li>
      <Cover {...props} />
      {first !== undefined && (
        <div class="card-title">
          {href === undefined ? (
            value(first)
          ) : (
            <a class="whole" href={href}>
              {value(first, true)}
            </a>
          )}
        </div>
      )}
      {rest.map((column) => (
        <div>
          {view.hideColumnTitle === false && column.title && <small>{column.title}</small>}
          {value(column)}
        </div>
      ))}
    </li>
  );
}

/** A table, drawn as a grid with its own scrolling or as cards. */
export const Table: NodeComponent = ({ node, at }) => {
  const table = readTable(node);
  const isFull = dataOf(node).fullWidth === true;
  if (table.view.type !== 'cards') return <Grid table={table} at={at} isFull={isFull} />;
  return (
    <ul {...classesOf('cards', table.view.cardSize === 'large' && 'large', isFull && 'full')}>
      {table.records.map((record) => (
        <Card record={record} table={table} at={at} />
      ))}
    </ul>
  );
};

interface Cell {
  column: ColumnDefinition;
  value: unknown;
  table: TableOfPage;
  at: PageDrawing;
  /** Whether the cell is inside a link and must not contain links. */
  isInLink?: boolean | undefined;
}

const maxStars = 10;

function Referred({ reference, at, isInLink }: { reference: unknown } & Pick<Cell, 'at' | 'isInLink'>) {
  const found = at.view.resolve(reference);
  if (found === undefined) return null;
  const inside = (
    <>
      <Sign at={at} of={found} /> {found.title ?? shortAddress(found.to)}
    </>
  );
  return isInLink ? (
    inside
  ) : (
    <Anchor at={at} to={found.to} class="referred">
      {inside}
    </Anchor>
  );
}

const leading = new Set(['link', 'mention', 'button', 'annotation']);

/** Replaces links by their text. */
const unlinked = (nodes: ShownNode[]): ShownNode[] =>
  nodes.flatMap((node): ShownNode[] => {
    if (node.object !== 'inline' || !leading.has(node.type ?? '')) return [node];
    if (node.type === 'link') return unlinked(nodesOf(node));
    return [{ object: 'text', leaves: [{ object: 'leaf', text: plainText([node]), marks: [] }] }];
  });

function Words({ value, table, at, isInLink }: Cell): ComponentChildren {
  const blocks = table.texts.get(String(value)) ?? [];
  const [first, ...rest] = blocks;
  if (isInLink) return at.inlines(unlinked(blocks.flatMap(nodesOf)));
  return first?.type === 'paragraph' && rest.length === 0 ? at.inlines(nodesOf(first)) : at.blocks(blocks);
}

function Stars({ column: { max = 5 }, value }: Cell): ComponentChildren {
  const stars = Math.max(1, Math.min(max, maxStars));
  const given = Math.max(0, Math.min(stars, Math.round(Number(value) || 0)));
  return (
    <span role="img" class="stars" aria-label={`${given}/${stars}`}>
      {'★'.repeat(given)}
      {'☆'.repeat(stars - given)}
    </span>
  );
}

const listOf = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : []);

/** Whether a name is a user id, which visitors must not see. */
const isId = (name: string): boolean => /^[a-z]+_\w{16,}$/i.test(name);

const Tag = ({ text, tone }: { text: string; tone?: string | undefined }): ComponentChildren => (
  <span {...classesOf('tag', tone && `on-${tone}`)}>{text}</span>
);

/** Renderers of cells, by column type. */
const values: Record<string, (cell: Cell) => ComponentChildren> = {
  text: Words,
  checkbox: ({ value, at }) => <Check at={at} isDone={value === true} />,
  rating: Stars,
  'content-ref': ({ value, at, isInLink }) => <Referred reference={value} at={at} isInLink={isInLink} />,
  image: ({ value, at }) => <Picture data={value as Record<string, unknown>} at={at} />,
  files: ({ value, at, isInLink }) =>
    (Array.isArray(value) ? value.map((file) => ({ kind: 'file', file })) : [value]).map((reference) => (
      <Referred reference={reference} at={at} isInLink={isInLink} />
    )),
  users: ({ value, at }) =>
    listOf(value).flatMap((user) => {
      const name = at.view.resolve({ kind: 'user', user })?.title ?? (isId(user) ? undefined : user);
      return name === undefined ? [] : [<Tag text={name} />];
    }),
  select: ({ value, column: { options = [] } }) =>
    listOf(value).map((each) => {
      const { label = each, color } = options.find((option) => option.value === each) ?? {};
      return <Tag text={label} tone={toneOf(color)} />;
    }),
};

/** The column types that are drawn; numbers need no renderer of their own. */
export const columnTypes = [...Object.keys(values), 'number'];

function Value(cell: Cell): ComponentChildren {
  const { value, column } = cell;
  if (value === undefined || value === null) return null;
  const draw = Object.hasOwn(values, column.type) ? values[column.type] : undefined;
  return draw === undefined ? String(value) : draw(cell);
}

const fewestRows = 12;
const narrowestCharacters = 8;
/** The text column is at least this many characters wide. */
const widestCharacters = 64;

const narrowTypes = new Set(['text', 'number', 'checkbox']);
const plainInlines = new Set(['link', 'emoji']);

const isPlain = (node: ShownNode): boolean =>
  (node.object !== 'inline' || plainInlines.has(node.type ?? '')) && nodesOf(node).every(isPlain);

const longestWord = (text: string): number =>
  text.split(/\s+/).reduce((longest, { length }) => Math.max(longest, length), 0);

/** Returns the minimum width of a column in characters, or Infinity if it holds more than words. */
function leastCharacters({ id, type, title = '' }: ColumnDefinition, { records, texts }: TableOfPage): number {
  if (!narrowTypes.has(type)) return Number.POSITIVE_INFINITY;
  const lengths = records.map(({ values }) => {
    if (type !== 'text') return String(values[id] ?? '').length;
    const nodes = texts.get(String(values[id])) ?? [];
    return nodes.every(isPlain) ? longestWord(plainText(nodes)) : Number.POSITIVE_INFINITY;
  });
  return lengths.reduce((most, length) => Math.max(most, length), Math.max(narrowestCharacters, longestWord(title)));
}

/**
 * Whether a table is long and certainly no wider than the text. Its header can be sticky because it does not scroll
 * inside.
 */
function keepsHead(table: TableOfPage): boolean {
  const { records, columns, view } = table;
  if (records.length < fewestRows || view.hideHeader === true || view.columnWidths !== undefined) return false;
  return columns.reduce((sum, column) => sum + leastCharacters(column, table), 0) <= widestCharacters;
}

interface ColumnDefinition {
  id: string;
  title?: string;
  type: string;
  textAlignment?: string;
  max?: number;
  options?: { value: string; label: string; color?: string }[];
}

interface TableView {
  type: 'grid' | 'cards';
  columns?: string[];
  hideHeader?: boolean;
  columnWidths?: Record<string, unknown>;
  useNewSizing?: boolean;
  hideColumnTitle?: boolean;
  cardSize?: string;
  targetDefinition?: string;
  coverDefinition?: string;
  coverDefinitionDark?: string;
}

interface TableRecord {
  values: Record<string, unknown>;
}

/** A table ready to draw: visible columns, records in order, and the texts of cells by name. */
interface TableOfPage {
  view: TableView;
  columns: ColumnDefinition[];
  definition: ReadonlyMap<string, ColumnDefinition>;
  records: TableRecord[];
  texts: ReadonlyMap<string, ShownNode[]>;
}

const recordOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};

/** Reads the data of a table, each part once. */
function readTable(node: ShownNode): TableOfPage {
  const data = dataOf(node);
  const view = recordOf(data.view) as unknown as TableView;
  const definition = new Map(Object.entries(recordOf(data.definition)) as [string, ColumnDefinition][]);
  const records = Object.values(recordOf(data.records)) as (TableRecord & { orderIndex?: string })[];
  const texts = (node.fragments ?? []).map((each): [string, ShownNode[]] => [
    String((each as { fragment?: string }).fragment ?? each.type),
    each.nodes ?? [],
  ]);
  const shown = view.columns ?? [...definition.keys()];
  return {
    view,
    columns: shown.flatMap((id) => definition.get(id) ?? []),
    definition,
    records: records.toSorted((a, b) => ((a.orderIndex ?? '') < (b.orderIndex ?? '') ? -1 : 1)),
    texts: new Map(texts),
  };
}
