import type { ComponentChildren } from 'preact';
import { nodesOf } from '../document.ts';
import type { NodeComponent, PageDrawing } from '../drawing.ts';
import { hrefOf } from '../drawing.ts';
import { Anchor } from '../frame/anchor.tsx';
import { Picture } from './images.tsx';
import { type ColumnDefinition, readTable, type TableOfPage, type TableRecord } from './table-data.ts';

interface Cell {
  column: ColumnDefinition;
  value: unknown;
  table: TableOfPage;
  at: PageDrawing;
}

const maxStars = 10;

function Referred({ reference, at }: { reference: unknown; at: PageDrawing }): ComponentChildren {
  const found = at.view.resolve(reference);
  return found === undefined ? null : (
    <Anchor at={at} to={found.to}>
      {found.title ?? found.to}
    </Anchor>
  );
}

/** What a cell says, by the type of its column. */
function Value({ column, value, table, at }: Cell): ComponentChildren {
  if (value === undefined || value === null) return null;
  const { type, max = 5, options = [] } = column;
  const list = Array.isArray(value) ? value.map(String) : [];
  if (type === 'text') {
    const [first, ...rest] = table.texts.get(String(value)) ?? [];
    return first?.type === 'paragraph' && rest.length === 0
      ? at.inlines(nodesOf(first))
      : at.blocks(table.texts.get(String(value)) ?? []);
  }
  if (type === 'checkbox')
    return <span role="img" class={value === true ? 'check done' : 'check'} aria-label={value === true ? '☑' : '☐'} />;
  if (type === 'rating') {
    const stars = Math.min(max, maxStars);
    const given = Math.max(0, Math.min(stars, Math.round(Number(value))));
    return (
      <span role="img" class="stars" aria-label={`${given}/${stars}`}>
        {'★'.repeat(given)}
        {'☆'.repeat(stars - given)}
      </span>
    );
  }
  if (type === 'content-ref') return <Referred reference={value} at={at} />;
  if (type === 'image') return <Picture data={value as Record<string, unknown>} at={at} />;
  if (type === 'files' && list.length === 0) return <Referred reference={value} at={at} />;
  if (type === 'files') return list.map((file) => <Referred reference={{ kind: 'file', file }} at={at} />);
  if (type === 'users') return list.map((user) => <Referred reference={{ kind: 'user', user }} at={at} />);
  if (type === 'select')
    return list.map((each) => (
      <span class="tag">{options.find((option) => option.value === each)?.label ?? each}</span>
    ));
  return String(value);
}

const sides: Record<string, string> = { center: 'center', right: 'end' };

const Grid = ({ table, at }: { table: TableOfPage; at: PageDrawing }): ComponentChildren => {
  const { columns, records, view } = table;
  const classOf = ({ textAlignment, type }: ColumnDefinition) => {
    const side = type === 'number' ? 'end' : sides[textAlignment ?? ''];
    return side === undefined ? {} : { class: at.sheet.classOf(`text-align:${side}`) };
  };
  return (
    <section
      class="table"
      tabIndex={0}
      aria-label={
        columns
          .map(({ title }) => title ?? '')
          .join(', ')
          .slice(0, 100) || '…'
      }
    >
      <table>
        {view.hideHeader !== true && (
          <thead>
            <tr>
              {columns.map((column) => (
                <th scope="col" {...classOf(column)}>
                  {column.title}
                </th>
              ))}
            </tr>
          </thead>
        )}
        <tbody>
          {records.map(({ values }) => (
            <tr>
              {columns.map((column) => (
                <td {...classOf(column)}>
                  <Value column={column} value={values[column.id]} table={table} at={at} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
};

function Card({ record, table, at }: { record: TableRecord; table: TableOfPage; at: PageDrawing }): ComponentChildren {
  const { view, columns } = table;
  const { values } = record;
  const valueAt = (id: string | undefined) => (id === undefined ? undefined : values[id]);
  const href = hrefOf(at.view, at.view.resolve(valueAt(view.targetDefinition))?.to);
  const cover = valueAt(view.coverDefinition) as { ref?: unknown } | undefined;
  const dark = valueAt(view.coverDefinitionDark) as { ref?: unknown } | undefined;
  const aside = [view.targetDefinition, view.coverDefinition, view.coverDefinitionDark];
  const texts = columns.filter(({ id }) => !aside.includes(id) && values[id] !== undefined);
  const [first, ...rest] = texts;
  const title = first && <Value column={first} value={values[first.id]} table={table} at={at} />;
  return (
    <li>
      {cover !== undefined && (
        <Picture data={{ ref: cover.ref, alt: '', ...(dark === undefined ? {} : { refDark: dark.ref }) }} at={at} />
      )}
      <p class="card-title">
        {href === undefined || title === undefined ? (
          title
        ) : (
          <a class="whole" href={href}>
            {title}
          </a>
        )}
      </p>
      {rest.map((column) => (
        <p>
          <Value column={column} value={values[column.id]} table={table} at={at} />
        </p>
      ))}
    </li>
  );
}

/** A table as a grid, which scrolls within itself, or as cards. */
export const Table: NodeComponent = ({ node, at }) => {
  const table = readTable(node);
  if (table.view.type !== 'cards') return <Grid table={table} at={at} />;
  return (
    <ul class={table.view.cardSize === 'large' ? 'cards large' : 'cards'}>
      {table.records.map((record) => (
        <Card record={record} table={table} at={at} />
      ))}
    </ul>
  );
};
