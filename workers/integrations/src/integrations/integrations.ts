import { countBytes, fitRows, integrations, readRows, selection } from '@octavo/db';
import { aliasedTable, sql } from 'drizzle-orm';
import { handler } from '../handler.ts';
import { presentIntegration } from './presenter.ts';
import { findListed, isShownTo, listInstalled, selectOrganizations } from './queries.ts';

export const getIntegrationByName = handler('getIntegrationByName', (_, { integration, urls }) =>
  presentIntegration(integration, urls),
);

/** Lists public integrations, and the integrations of organizations in which the caller has a role. */
export const listIntegrations = handler('listIntegrations', ({ query }, context) =>
  findListed(context, query, selectOrganizations(context.actor)),
);

/** Lists public integrations, and the integrations of the organization. */
export const listOrganizationIntegrations = handler('listOrganizationIntegrations', ({ query }, context) =>
  findListed(context, query, sql`SELECT ${context.organization.id} AS organization`),
);

export const listSiteIntegrations = handler('listSiteIntegrations', ({ query }, context) => {
  const { id, organization } = context.site;
  const from = sql`site_installations n INDEXED BY site_installations_of_site
    CROSS JOIN integrations i ON i.name = n.integration WHERE n.site = ${id}`;
  return listInstalled(context, query, { from, organization });
});

export const listSpaceIntegrations = handler('listSpaceIntegrations', ({ query }, context) => {
  const { id, organization } = context.space;
  const from = sql`space_installations n INDEXED BY space_installations_of_space
    CROSS JOIN integrations i ON i.name = n.integration WHERE n.space = ${id}`;
  return listInstalled(context, query, { from, organization });
});

/** Maximum number of integrations, newest installations first. */
const maxIntegrations = 100;

const i = aliasedTable(integrations, 'i');
const blocksRow = selection({ name: i.name, blocks: i.blocks });

/** Lists the blocks of the integrations that are active on the space or on all spaces. */
export const listSpaceIntegrationsBlocks = handler(
  'listSpaceIntegrationsBlocks',
  async (_, { db, actor, space: { id, organization } }) => {
    const onSpace = sql`SELECT n.integration FROM space_installations n INDEXED BY space_installations_of_space
    CROSS JOIN installations x ON x.id = n.installation AND x.status = 'active'
    WHERE n.space = ${id} AND n.organization = ${organization} AND n.status = 'active'
    ORDER BY n.created_at DESC, n.installation DESC LIMIT ${maxIntegrations}`;
    const onAll = sql`SELECT x.integration FROM installations x INDEXED BY installations_on_all_spaces
    WHERE x.organization = ${organization} AND x.space_selection = 'all' AND x.status = 'active'
    ORDER BY x.created_at DESC, x.id DESC LIMIT ${maxIntegrations}`;
    const selectSizes = sql`SELECT i.name, ${countBytes(blocksRow.fields)} AS size
    FROM (SELECT * FROM (${onSpace}) UNION SELECT * FROM (${onAll})) l CROSS JOIN integrations i ON i.name = l.integration
    WHERE i.unpublished_at IS NULL AND i.blocks IS NOT NULL AND ${isShownTo(actor)}`;
    const rows = await readRows(
      db,
      blocksRow.query(sql`SELECT ${blocksRow} FROM (${fitRows({ match: selectSizes, order: sql`f.name` })}) l
      CROSS JOIN integrations i ON i.name = l.name ORDER BY l.name`),
    );
    return rows.map(({ name, blocks }) => ({ name, blocks: blocks ?? [] }));
  },
);
