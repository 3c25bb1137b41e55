import type { Parameter } from '@octavo/db';
import { commitChecked, getOnlyRow, prepareQuery, readRow, selection, siteAdaptiveSchemas } from '@octavo/db';
import { createTemplateConditions } from '@octavo/expression';
import type { SiteId } from '@octavo/schema';
import { formatTimestamp, notFound } from '@octavo/schema';
import { aliasedTable, eq, sql } from 'drizzle-orm';
import { handler } from '../handler.ts';
import { createSiteExistenceCheck } from '../sites/write-site.ts';

export const getSiteAdaptiveSchema = handler('getSiteAdaptiveSchema', async (_, { db, site }) => {
  const schema = await readRow(db, adaptiveSchemaBySite(site.id));
  if (schema === undefined) throw notFound('adaptive schema');
  return {
    object: 'site-adaptive-schema',
    jsonSchema: schema.jsonSchema,
    updatedAt: formatTimestamp(schema.updatedAt),
  };
});

export const updateSiteAdaptiveSchema = handler(
  'updateSiteAdaptiveSchema',
  async ({ body: { jsonSchema } }, { db, site, commit }) => {
    const updatedAt = Date.now();
    const upsert = db
      .insert(siteAdaptiveSchemas)
      .values({ site: site.id, jsonSchema, updatedAt })
      .onConflictDoUpdate({
        target: siteAdaptiveSchemas.site,
        set: { jsonSchema, updatedAt: sql`MAX(updated_at + 1, ${updatedAt})` },
      });
    const { written } = await commitChecked(db, [createSiteExistenceCheck(site)], (guards) =>
      commit({ guards, put: upsert, written: adaptiveSchemaBySite(site.id) }, [
        { type: 'site.adaptive_schema_updated', organization: site.organization, data: { site: site.id } },
      ]),
    );
    const row = getOnlyRow(written);
    return { object: 'site-adaptive-schema', jsonSchema: row.jsonSchema, updatedAt: formatTimestamp(row.updatedAt) };
  },
);

export const listSiteAdaptiveTemplateConditions = handler(
  'listSiteAdaptiveTemplateConditions',
  async (_, { db, site }) => ({
    items: createTemplateConditions((await readRow(db, adaptiveSchemaBySite(site.id)))?.jsonSchema),
  }),
);

const sa = aliasedTable(siteAdaptiveSchemas, 'sa');
const schemaRow = selection({ jsonSchema: sa.jsonSchema, updatedAt: sa.updatedAt });

const adaptiveSchemaBySite = prepareQuery(schemaRow, (select, site: Parameter<SiteId>) =>
  select.from(sa).where(eq(sa.site, site)),
);
