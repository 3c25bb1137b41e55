import type { ComponentChildren } from 'preact';
import { classesOf, dataOf } from '../document.ts';
import type { NodeComponent, PageDrawing } from '../drawing.ts';
import { hrefOf } from '../drawing.ts';
import { Picture } from './images.tsx';
import { type ColumnDefinition, readTable, type TableOfPage, type TableRecord } from './table-data.ts';
import { keepsHead } from './table-head.ts';
import { Value } from './table-values.tsx';

interface Props {
  table: TableOfPage;
  at: PageDrawing;
  isFull: boolean;
}

const sides: Record<string, string> = { center: 'to-center', right: 'to-end' };

const sideOf = ({ textAlignment, type }: ColumnDefinition): { class?: string } =>
  classesOf(type === 'number' ? 'to-end' : sides[textAlignment ?? '']);

const maxPixels = 2000;

/** The width of a column, of those that their author gave one: pixels, in older tables parts of a hundred. */
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
    // A wide table scrolls in it, also by the keyboard.
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is of a form, a section a landmark
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

/** A table as a grid, which scrolls within itself, or as cards. */
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
