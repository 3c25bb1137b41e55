import type { Handler } from '@octavo/runtime';
import type { integrations } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { IntegrationsEnvironment } from '../environment.ts';
import { listInstalled } from './list-installed.ts';

export const listSpaceIntegrations: Handler<typeof integrations.listSpaceIntegrations, IntegrationsEnvironment> = (
  { query },
  context,
) => {
  const { id, organization } = context.space;
  const from = sql`space_installations n INDEXED BY space_installations_of_space
    CROSS JOIN integrations i ON i.name = n.integration WHERE n.space = ${id}`;
  return listInstalled(context, query, { from, organization });
};
