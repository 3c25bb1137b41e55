import type { Row } from '@octavo/db';
import { text } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { orgAdmin } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { OrgAdminEnvironment } from '../environment.ts';
import { isConfigured } from './provider-record.ts';
import { serviceOf } from './service-urls.ts';

export const listSSOProviderLoginsInOrganization: Handler<
  typeof orgAdmin.listSSOProviderLoginsInOrganization,
  OrgAdminEnvironment
> = async (_, { db, organization, urls }) => {
  const rows = await db.all<Row>(sql`
    SELECT p.id, p.label FROM saml_providers p WHERE p.organization = ${organization.id} AND ${isConfigured}
    ORDER BY p.created_at, p.id`);
  const items = rows.map((row) => {
    const id = text(row, 'id');
    return { id, label: text(row, 'label'), startURL: serviceOf(urls, id).startURL };
  });
  return { items };
};
