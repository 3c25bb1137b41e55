import { is } from 'drizzle-orm';
import { getTableConfig, SQLiteTable } from 'drizzle-orm/sqlite-core';
import * as collaboration from '../../packages/db/src/tables/collaboration.ts';
import * as content from '../../packages/db/src/tables/content.ts';
import * as integrations from '../../packages/db/src/tables/integrations.ts';
import * as operator from '../../packages/db/src/tables/operator.ts';
import * as orgAdmin from '../../packages/db/src/tables/org-admin.ts';
import * as publishing from '../../packages/db/src/tables/publishing.ts';
import * as search from '../../packages/db/src/tables/search.ts';

interface Table {
  /** The name of the drizzle declaration. Undefined for a table that is only kept for the previous version. */
  variable?: string;
  name: string;
}

const listTables = (module: object): Table[] =>
  Object.entries(module).flatMap(([variable, value]) =>
    is(value, SQLiteTable) ? [{ variable, name: getTableConfig(value).name }] : [],
  );

const formerTables = [
  ...['search_sections', 'search_pages', 'search_conditions'],
  ...['search_index', 'search_index_titles', 'search_index_headings'],
].map((name) => ({ name }));

/** The tables that each worker owns. */
export const ownedTables: Record<string, Table[]> = {
  collaboration: listTables(collaboration),
  content: [...listTables(content), ...listTables(search), ...formerTables],
  'org-admin': listTables(orgAdmin),
  publishing: listTables(publishing),
  integrations: listTables(integrations),
  operator: listTables(operator),
  gateway: [],
};

const statement = /\b(?:INSERT(?:\s+OR\s+\w+)?\s+INTO|REPLACE\s+INTO|UPDATE|DELETE\s+FROM)\s+(?!SET\b)(\S+)/g;

/** Returns the tables that a piece of SQL writes. */
export const findWrittenTables = (sql: string): string[] => [...sql.matchAll(statement)].map(([, name]) => name ?? '');
