import { is } from 'drizzle-orm';
import { getTableConfig, SQLiteTable } from 'drizzle-orm/sqlite-core';
import * as collaboration from '../../packages/db/src/collaboration.ts';
import * as computedContents from '../../packages/db/src/computed-contents.ts';
import * as content from '../../packages/db/src/content.ts';
import * as imports from '../../packages/db/src/imports.ts';
import * as installations from '../../packages/db/src/installations.ts';
import * as integrationEvents from '../../packages/db/src/integration-events.ts';
import * as integrations from '../../packages/db/src/integrations.ts';
import * as openapi from '../../packages/db/src/openapi.ts';
import * as orgAdmin from '../../packages/db/src/org-admin.ts';
import * as publishing from '../../packages/db/src/publishing.ts';
import * as search from '../../packages/db/src/search.ts';
import * as sites from '../../packages/db/src/sites.ts';
import * as webhooks from '../../packages/db/src/webhooks.ts';

interface Table {
  /** The name of its declaration; none for a search index, which only SQL writes. */
  variable?: string;
  name: string;
}

const tablesIn = (module: object): Table[] =>
  Object.entries(module).flatMap(([variable, value]) =>
    is(value, SQLiteTable) ? [{ variable, name: getTableConfig(value).name }] : [],
  );

const searchIndexes = ['search_index', 'search_index_titles', 'search_index_headings'].map((name) => ({ name }));

/** The tables of each worker. */
export const ownedTables: Record<string, Table[]> = {
  collaboration: tablesIn(collaboration),
  content: [...tablesIn(content), ...tablesIn(imports), ...tablesIn(search), ...searchIndexes],
  'org-admin': tablesIn(orgAdmin),
  publishing: [...tablesIn(publishing), ...tablesIn(openapi), ...tablesIn(sites)],
  integrations: [
    ...tablesIn(integrations),
    ...tablesIn(computedContents),
    ...tablesIn(integrationEvents),
    ...tablesIn(installations),
    ...tablesIn(webhooks),
  ],
  gateway: [],
};

const statement = /\b(?:INSERT(?:\s+OR\s+\w+)?\s+INTO|REPLACE\s+INTO|UPDATE|DELETE\s+FROM)\s+(?!SET\b)(\S+)/gi;

/** The tables that a piece of SQL writes. */
export const tablesWrittenBy = (sql: string): string[] => [...sql.matchAll(statement)].map(([, name]) => name ?? '');
