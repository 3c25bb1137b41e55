import { selection, siteAdaptiveSchemas, statement } from '@octavo/db';
import type { SiteId } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { aliasedTable, sql } from 'drizzle-orm';

const sa = aliasedTable(siteAdaptiveSchemas, 'sa');
const schemaRow = selection({ jsonSchema: sa.jsonSchema, updatedAt: sa.updatedAt });

export const adaptiveSchemaOf = statement((site: SQL<SiteId>) =>
  schemaRow.query(sql`SELECT ${schemaRow} FROM site_adaptive_schemas sa WHERE sa.site = ${site}`),
);
