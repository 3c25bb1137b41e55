import { after, decodeCursor, paginate, readRows } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { orgAdmin } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { OrgAdminEnvironment } from '../environment.ts';
import { presentSamlProvider } from './present-saml-provider.ts';
import { selectProviders } from './provider-record.ts';

export const listSAMLProvidersInOrganizationById: Handler<
  typeof orgAdmin.listSAMLProvidersInOrganizationById,
  OrgAdminEnvironment
> = async ({ query }, { db, actor, organization, membership, urls }) => {
  const cursor = decodeCursor(query.page, ['number', 'string']);
  const page = sql`WHERE p.organization = ${organization.id} AND ${after(cursor, sql`p.created_at`, sql`p.id`)}
    ORDER BY p.created_at DESC, p.id DESC LIMIT ${query.limit + 1}`;
  const providers = await readRows(db, selectProviders(page, actor.id));
  return paginate(providers, query.limit, {
    item: (provider) => presentSamlProvider(provider, { membership, urls }),
    cursorOf: ({ createdAt, id }) => [createdAt, id],
  });
};
