import { commitChecked, onlyRow, siteAdaptiveSchemas } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { publishing } from '@octavo/schema';
import { timestamp } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { PublishingEnvironment } from '../environment.ts';
import { siteThere } from '../sites/write-site.ts';
import { adaptiveSchemaOf } from './find-adaptive-schema.ts';

export const updateSiteAdaptiveSchema: Handler<
  typeof publishing.updateSiteAdaptiveSchema,
  PublishingEnvironment
> = async ({ body: { jsonSchema } }, { db, site, commit }) => {
  const updatedAt = Date.now();
  const put = db
    .insert(siteAdaptiveSchemas)
    .values({ site: site.id, jsonSchema, updatedAt })
    .onConflictDoUpdate({
      target: siteAdaptiveSchemas.site,
      set: { jsonSchema, updatedAt: sql`MAX(updated_at + 1, ${updatedAt})` },
    });
  const { written } = await commitChecked(db, [siteThere(site)], (guards) =>
    commit({ guards, put, written: adaptiveSchemaOf(site.id) }, [
      { type: 'site.adaptive_schema_updated', organization: site.organization, data: { site: site.id } },
    ]),
  );
  const row = onlyRow(written);
  return { object: 'site-adaptive-schema', jsonSchema: row.jsonSchema, updatedAt: timestamp(row.updatedAt) };
};
