import { bytesOf, fitted, integrations, readRows, selection } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { integrations as contract } from '@octavo/schema';
import { aliasedTable, sql } from 'drizzle-orm';
import type { IntegrationsEnvironment } from '../environment.ts';
import { isShownTo } from './shown-integrations.ts';

/** So many of the integrations that are on a space are looked at, those installed last; of their blocks, what one answer has. */
const maxIntegrations = 100;

const i = aliasedTable(integrations, 'i');
const blocksRow = selection({ name: i.name, blocks: i.blocks });

/** Of the integrations that are active on a space, or on all spaces there, the blocks that they bring. */
export const listSpaceIntegrationsBlocks: Handler<
  typeof contract.listSpaceIntegrationsBlocks,
  IntegrationsEnvironment
> = async (_, { db, actor, space: { id, organization } }) => {
  const onSpace = sql`SELECT n.integration FROM space_installations n INDEXED BY space_installations_of_space
    CROSS JOIN installations x ON x.id = n.installation AND x.status = 'active'
    WHERE n.space = ${id} AND n.organization = ${organization} AND n.status = 'active'
    ORDER BY n.created_at DESC, n.installation DESC LIMIT ${maxIntegrations}`;
  const onAll = sql`SELECT x.integration FROM installations x INDEXED BY installations_on_all_spaces
    WHERE x.organization = ${organization} AND x.space_selection = 'all' AND x.status = 'active'
    ORDER BY x.created_at DESC, x.id DESC LIMIT ${maxIntegrations}`;
  const found = sql`SELECT i.name, ${bytesOf(blocksRow.fields)} AS size
    FROM (SELECT * FROM (${onSpace}) UNION SELECT * FROM (${onAll})) l CROSS JOIN integrations i ON i.name = l.integration
    WHERE i.unpublished_at IS NULL AND i.blocks IS NOT NULL AND ${isShownTo(actor)}`;
  const rows = await readRows(
    db,
    blocksRow.query(sql`SELECT ${blocksRow} FROM (${fitted({ found, order: sql`f.name` })}) l
      CROSS JOIN integrations i ON i.name = l.name ORDER BY l.name`),
  );
  return rows.map(({ name, blocks }) => ({ name, blocks: blocks ?? [] }));
};
