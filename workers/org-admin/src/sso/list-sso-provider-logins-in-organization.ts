import { readRows, samlProviders, selection } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { orgAdmin } from '@octavo/schema';
import { aliasedTable, sql } from 'drizzle-orm';
import type { OrgAdminEnvironment } from '../environment.ts';
import { isConfigured } from './provider-record.ts';
import { serviceOf } from './service-urls.ts';

const p = aliasedTable(samlProviders, 'p');
const loginRow = selection({ id: p.id, label: p.label });

export const listSSOProviderLoginsInOrganization: Handler<
  typeof orgAdmin.listSSOProviderLoginsInOrganization,
  OrgAdminEnvironment
> = async (_, { db, organization, urls }) => {
  const logins = loginRow.query(sql`
    SELECT ${loginRow} FROM saml_providers p WHERE p.organization = ${organization.id} AND ${isConfigured}
    ORDER BY p.created_at, p.id`);
  const found = await readRows(db, logins);
  return { items: found.map((login) => ({ ...login, startURL: serviceOf(urls, login.id).startURL })) };
};
