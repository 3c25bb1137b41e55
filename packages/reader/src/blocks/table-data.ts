import { dataOf, type ShownNode } from '../document.ts';

export interface ColumnDefinition {
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

export interface TableRecord {
  values: Record<string, unknown>;
}

/** A table as it is drawn: the columns that are shown, the records in their order, and the texts of cells by their names. */
export interface TableOfPage {
  view: TableView;
  columns: ColumnDefinition[];
  definition: ReadonlyMap<string, ColumnDefinition>;
  records: TableRecord[];
  texts: ReadonlyMap<string, ShownNode[]>;
}

const recordOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};

/** Reads the data of a table, each part of it once. */
export function readTable(node: ShownNode): TableOfPage {
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
