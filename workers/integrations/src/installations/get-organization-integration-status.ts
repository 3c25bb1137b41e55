import { given, installations, readRow, selection } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { integrations } from '@octavo/schema';
import { notFound } from '@octavo/schema';
import { aliasedTable, sql } from 'drizzle-orm';
import type { IntegrationsEnvironment } from '../environment.ts';
import { installsIn } from '../integrations/shown-integrations.ts';

const i = aliasedTable(installations, 'i');
const statusRow = selection({ status: i.status, id: i.id, mayInstall: given(Boolean) });

export const getOrganizationIntegrationStatus: Handler<
  typeof integrations.getOrganizationIntegrationStatus,
  IntegrationsEnvironment
> = async ({ params }, { db, actor, organization }) => {
  const found =
    statusRow.query(sql`SELECT ${statusRow.with({ mayInstall: installsIn(actor, organization.id) })} FROM integrations g
    CROSS JOIN installations i ON i.integration = g.name AND i.organization = ${organization.id}
    WHERE g.name = ${params.integrationName} AND g.unpublished_at IS NULL`);
  const row = await readRow(db, found);
  if (row === undefined) throw notFound('installation');
  return { status: row.status, ...(row.mayInstall && { installation: row.id }) };
};
