import type { Handler } from '@octavo/runtime';
import type { integrations } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { IntegrationsEnvironment } from '../environment.ts';
import { listInstalled } from './list-installed.ts';

export const listSiteIntegrations: Handler<typeof integrations.listSiteIntegrations, IntegrationsEnvironment> = (
  { query },
  context,
) => {
  const { id, organization } = context.site;
  const from = sql`site_installations n INDEXED BY site_installations_of_site
    CROSS JOIN integrations i ON i.name = n.integration WHERE n.site = ${id}`;
  return listInstalled(context, query, { from, organization });
};
