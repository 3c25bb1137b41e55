import type { ComponentChildren } from 'preact';
import type { NodeComponent, RenderContext } from '../context.ts';
import { toHref } from '../context.ts';
import type { PageNode } from '../document.ts';
import { getData, getNodes, toClass, toPlainText } from '../document.ts';
import { Anchor, TitleIcon } from '../elements.tsx';
import { toTone } from '../theme/styles.ts';
import { shortenAddress } from '../view.ts';
import { Picture } from './media.tsx';
import { BlockText, Check } from './text.tsx';

interface Props {
  table: TableData;
  context: RenderContext;
  isFull: boolean;
}

const sides: Record<string, string> = { center: 'to-center', right: 'to-end' };

const getAlignment = ({ textAlignment, type }: ColumnDefinition): { class?: string } =>
  toClass(type === 'number' ? 'to-end' : sides[textAlignment ?? '']);

const maxPixels = 2000;

/** Returns a column's width in pixels, or in percent for older tables; undefined if no width is set. */
function getColumnWidth(
  { id }: ColumnDefinition,
  { view: { columnWidths, useNewSizing } }: TableData,
): string | undefined {
  const width = columnWidths?.[id];
  if (typeof width !== 'number' || !(width > 0)) return undefined;
  return useNewSizing === true ? `${Math.min(width, maxPixels)}px` : `${Math.min(width, 100)}%`;
}

function Header({ table, context }: Omit<Props, 'isFull'>): ComponentChildren {
  const { columns, view } = table;
  if (columns.every(({ title = '' }) => title === '')) return null;
  return (
    <thead {...toClass(view.hideHeader === true && 'hidden-head')}>
      <tr>
        {columns.map((column) => {
          const width = getColumnWidth(column, table);
          const widthClass = width === undefined ? undefined : context.sheet.addClass(`inline-size:${width}`);
          const classes = toClass(getAlignment(column).class, widthClass);
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

function Grid({ table, context, isFull }: Props): ComponentChildren {
  const { columns, records } = table;
  const titles = columns.flatMap(({ title }) => title || []).join(', ');
  return (
    // Wide tables scroll inside this element, which must be focusable for keyboard users.
    // biome-ignore lint/a11y/useSemanticElements: a fieldset belongs to a form, and a section is a landmark
    <div
      role="group"
      {...toClass('table', isFull && 'full', !isFull && hasStickyHead(table) && 'long')}
      tabIndex={0}
      aria-label={titles.slice(0, maxLabel) || context.texts.table}
    >
      <table>
        <Header table={table} context={context} />
        <tbody>
          {records.map(({ values }) => (
            <tr>
              {columns.map((column) => (
                <td {...getAlignment(column)}>
                  <Value column={column} value={values[column.id]} table={table} context={context} />
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

function Cover({ record: { values }, table: { view }, context }: CardProps): ComponentChildren {
  const getCover = (id: string | undefined) =>
    id === undefined ? undefined : (values[id] as { ref?: unknown } | undefined);
  const [day, night] = [getCover(view.coverDefinition), getCover(view.coverDefinitionDark)];
  if (day === undefined) return null;
  return (
    <Picture
      data={{ ref: day.ref, alt: '', ...(night === undefined ? {} : { refDark: night.ref }) }}
      context={context}
    />
  );
}

function Card(props: CardProps): ComponentChildren {
  const { record, table, context } = props;
  const { view, columns } = table;
  const { values } = record;
  const href = toHref(context.view, context.view.resolve(values[view.targetDefinition ?? ''])?.to);
  const reservedColumns = [view.targetDefinition, view.coverDefinition, view.coverDefinitionDark];
  const [first, ...rest] = columns.filter(({ id }) => !reservedColumns.includes(id) && values[id] !== undefined);
  const renderValue = (column: ColumnDefinition, isInLink = false) => (
    <Value column={column} value={values[column.id]} table={table} context={context} isInLink={isInLink} />
  );
  return (
    <li>
      <Cover {...props} />
      {first !== undefined && (
        <div class="card-title">
          {href === undefined ? (
            renderValue(first)
          ) : (
            <a class="whole" href={href}>
              {renderValue(first, true)}
            </a>
          )}
        </div>
      )}
      {rest.map((column) => (
        <div>
          {view.hideColumnTitle === false && column.title && <small>{column.title}</small>}
          {renderValue(column)}
        </div>
      ))}
    </li>
  );
}

/** A table, drawn as a grid with its own scrolling or as cards. */
export const Table: NodeComponent = ({ node, context }) => {
  const table = readTable(node);
  const isFull = getData(node).fullWidth === true;
  if (table.view.type !== 'cards') return <Grid table={table} context={context} isFull={isFull} />;
  return (
    <ul {...toClass('cards', table.view.cardSize === 'large' && 'large', isFull && 'full')}>
      {table.records.map((record) => (
        <Card record={record} table={table} context={context} />
      ))}
    </ul>
  );
};

interface Cell {
  column: ColumnDefinition;
  value: unknown;
  table: TableData;
  context: RenderContext;
  /** Whether the cell is inside a link and must not contain links. */
  isInLink?: boolean | undefined;
}

const maxStars = 10;

function ReferencedTitle({
  reference,
  context,
  isInLink,
}: { reference: unknown } & Pick<Cell, 'context' | 'isInLink'>) {
  const resolvedReference = context.view.resolve(reference);
  if (resolvedReference === undefined) return null;
  const inside = (
    <>
      <TitleIcon context={context} item={resolvedReference} />{' '}
      {resolvedReference.title ?? shortenAddress(resolvedReference.to)}
    </>
  );
  return isInLink ? (
    inside
  ) : (
    <Anchor context={context} to={resolvedReference.to} class="referred">
      {inside}
    </Anchor>
  );
}

const leading = new Set(['link', 'mention', 'button', 'annotation']);

/** Replaces links with their text. */
const removeLinks = (nodes: PageNode[]): PageNode[] =>
  nodes.flatMap((node): PageNode[] => {
    if (node.object !== 'inline' || !leading.has(node.type ?? '')) return [node];
    if (node.type === 'link') return removeLinks(getNodes(node));
    return [{ object: 'text', leaves: [{ object: 'leaf', text: toPlainText([node]), marks: [] }] }];
  });

const space: PageNode = { object: 'text', leaves: [{ object: 'leaf', text: ' ', marks: [] }] };

/** Returns the texts of a block on one line. */
const toLine = (node: PageNode, index: number): PageNode[] => {
  const nodes = [...getNodes(node), ...(node.fragments ?? [])];
  const hasBlocks = nodes.some(({ object }) => object === 'block' || object === 'fragment');
  return [...(index === 0 ? [] : [space]), ...(hasBlocks ? nodes.flatMap(toLine) : nodes)];
};

function CellText({ value, table, context, isInLink }: Cell): ComponentChildren {
  const blocks = table.texts.get(String(value)) ?? [];
  const [first, ...rest] = blocks;
  if (isInLink) return context.inlines(removeLinks(blocks.flatMap(toLine)));
  return first?.type === 'paragraph' && first.meta?.code === undefined && rest.length === 0 ? (
    <BlockText node={first} context={context} />
  ) : (
    context.blocks(blocks)
  );
}

function Stars({ column: { max = 5 }, value }: Cell): ComponentChildren {
  const stars = Math.max(1, Math.min(max, maxStars));
  const filledCount = Math.max(0, Math.min(stars, Math.round(Number(value) || 0)));
  return (
    <span role="img" class="stars" aria-label={`${filledCount}/${stars}`}>
      {'★'.repeat(filledCount)}
      {'☆'.repeat(stars - filledCount)}
    </span>
  );
}

const toList = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : []);

/** Whether a name is a user id, which visitors must not see. */
const isUserId = (name: string): boolean => /^[a-z]+_\w{16,}$/i.test(name);

const Tag = ({ text, tone }: { text: string; tone?: string | undefined }): ComponentChildren => (
  <span {...toClass('tag', tone && `on-${tone}`)}>{text}</span>
);

/** Renderers of cells, by column type. */
const values: Record<string, (cell: Cell) => ComponentChildren> = {
  text: CellText,
  checkbox: ({ value, context }) => <Check context={context} isDone={value === true} />,
  rating: Stars,
  'content-ref': ({ value, context, isInLink }) => (
    <ReferencedTitle reference={value} context={context} isInLink={isInLink} />
  ),
  image: ({ value, context }) => <Picture data={value as Record<string, unknown>} context={context} />,
  files: ({ value, context, isInLink }) =>
    (Array.isArray(value) ? value.map((file) => ({ kind: 'file', file })) : [value]).map((reference) => (
      <ReferencedTitle reference={reference} context={context} isInLink={isInLink} />
    )),
  users: ({ value, context }) =>
    toList(value).flatMap((user) => {
      const name = context.view.resolve({ kind: 'user', user })?.title ?? (isUserId(user) ? undefined : user);
      return name === undefined ? [] : [<Tag text={name} />];
    }),
  select: ({ value, column: { options = [] } }) =>
    toList(value).map((each) => {
      const { label = each, color } = options.find((option) => option.value === each) ?? {};
      return <Tag text={label} tone={toTone(color)} />;
    }),
};

/** The column types that tables render. Numbers need no renderer of their own. */
export const columnTypes = [...Object.keys(values), 'number'];

function Value(cell: Cell): ComponentChildren {
  const { value, column } = cell;
  if (value === undefined || value === null) return null;
  const draw = Object.hasOwn(values, column.type) ? values[column.type] : undefined;
  return draw === undefined ? String(value) : draw(cell);
}

const minRows = 12;
const minNarrowCharacters = 8;
/** The text column is at least this many characters wide. */
const textCharacters = 64;

const narrowTypes = new Set(['text', 'number', 'checkbox']);
const plainInlines = new Set(['link', 'emoji']);

const hasPlainText = (node: PageNode): boolean =>
  (node.object !== 'inline' || plainInlines.has(node.type ?? '')) && getNodes(node).every(hasPlainText);

const getLongestWordLength = (text: string): number =>
  text.split(/\s+/).reduce((longest, { length }) => Math.max(longest, length), 0);

/** Returns the minimum width of a column in characters, or Infinity if its cells contain more than plain text. */
function getMinCharacters({ id, type, title = '' }: ColumnDefinition, { records, texts }: TableData): number {
  if (!narrowTypes.has(type)) return Number.POSITIVE_INFINITY;
  const lengths = records.map(({ values }) => {
    if (type !== 'text') return String(values[id] ?? '').length;
    const nodes = texts.get(String(values[id])) ?? [];
    return nodes.every(hasPlainText) ? getLongestWordLength(toPlainText(nodes)) : Number.POSITIVE_INFINITY;
  });
  return lengths.reduce(
    (most, length) => Math.max(most, length),
    Math.max(minNarrowCharacters, getLongestWordLength(title)),
  );
}

/**
 * Whether a table is long and certainly not wider than the page's text. Such a table does not scroll by itself, so its
 * header can be sticky.
 */
function hasStickyHead(table: TableData): boolean {
  const { records, columns, view } = table;
  if (records.length < minRows || view.hideHeader === true || view.columnWidths !== undefined) return false;
  return columns.reduce((sum, column) => sum + getMinCharacters(column, table), 0) <= textCharacters;
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
interface TableData {
  view: TableView;
  columns: ColumnDefinition[];
  definition: ReadonlyMap<string, ColumnDefinition>;
  records: TableRecord[];
  texts: ReadonlyMap<string, PageNode[]>;
}

const toRecord = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};

/** Reads the data of a table node into a form that is ready to draw. */
function readTable(node: PageNode): TableData {
  const data = getData(node);
  const view = toRecord(data.view) as unknown as TableView;
  const definition = new Map(Object.entries(toRecord(data.definition)) as [string, ColumnDefinition][]);
  const records = Object.values(toRecord(data.records)) as (TableRecord & { orderIndex?: string })[];
  const texts = (node.fragments ?? []).map((node): [string, PageNode[]] => [
    String((node as { fragment?: string }).fragment ?? node.type),
    node.nodes ?? [],
  ]);
  const visibleColumns = view.columns ?? [...definition.keys()];
  return {
    view,
    columns: visibleColumns.flatMap((id) => definition.get(id) ?? []),
    definition,
    records: records.toSorted((a, b) => ((a.orderIndex ?? '') < (b.orderIndex ?? '') ? -1 : 1)),
    texts: new Map(texts),
  };
}
