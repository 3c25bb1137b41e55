import type { ListingMember } from '@octavo/db';
import {
  computed,
  countBytes,
  decodeCursor,
  fitFields,
  fitRows,
  fromQuery,
  installations,
  integrationRow,
  paginateMatches,
  readRows,
  scanRows,
  selection,
  selectSpaceRank,
  toListingMember,
} from '@octavo/db';
import type { integrations, OrganizationId, QueryOf, SiteId, SpaceId } from '@octavo/schema';
import { invalid } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { aliasedTable, sql } from 'drizzle-orm';
import { contentKinds } from '../content-installations/queries.ts';
import { handler } from '../handler.ts';
import { presentIntegration } from '../integrations/presenter.ts';
import { mayInstallIn, readVisibleIntegrations } from '../integrations/queries.ts';

type Endpoint = typeof integrations.listOrganizationIntegrationsStatus;

const x = aliasedTable(installations, 'x');

const listedRow = selection({
  id: computed(String, sql`x.id`),
  target: computed(String, sql`x.target`),
  status: x.status,
  createdAt: x.createdAt,
  integration: x.integration,
  rank: fromQuery(Number),
  mayInstall: fromQuery(Boolean),
  ...fitFields,
});

/**
 * Lists installations of an organization, its spaces or its sites. Spaces are limited to those that the caller sees.
 */
export const listOrganizationIntegrationsStatus = handler(
  'listOrganizationIntegrationsStatus',
  async ({ query }, { db, urls, actor, organization, membership }) => {
    checkFilter(query);
    const { page, limit, target } = query;
    const cursor = decodeCursor(page, ['number', 'string', 'string']);
    const member = toListingMember(actor.id, membership.role);
    const result = scanRows({
      columns: listedRow.with({
        rank: target === 'space' ? rankOnSpace(member) : sql`1`,
        mayInstall: mayInstallIn(actor, organization.id),
      }),
      from: sql`FROM (${selectInstalled(query, organization.id)}) x WHERE ${isAfter(cursor)}`,
      order: sql`x.created_at DESC, x.id DESC, x.target DESC`,
      matches: target === 'space' ? sql`${listedRow.names.rank} > 0` : undefined,
      limit,
    });
    const { items: records, ...rest } = paginateMatches(await readRows(db, listedRow.query(addSize(result))), limit, {
      item: (record) => record,
      getCursor: ({ createdAt, id, target: on }) => [createdAt, id, on],
    });
    const names = records.map(({ integration }) => integration);
    const integrationsByName = await readVisibleIntegrations(db, actor, names);
    const items = records.flatMap(({ integration: name, status, target: on, id, mayInstall }) => {
      const integration = integrationsByName.get(name);
      if (integration === undefined) return [];
      const targetSql = targets[target](on === '' ? organization.id : on);
      const installation = mayInstall ? { installation: id } : {};
      return [{ status, ...installation, integration: presentIntegration(integration, urls), target: targetSql }];
    });
    return { ...rest, count: items.length, items };
  },
);

/** Limits the size of a page. Each item includes the whole integration. */
const addSize = (selection: SQL): SQL =>
  fitRows({
    match: sql`SELECT l.*, COALESCE((SELECT ${countBytes(integrationRow.fields, 'g')} FROM integrations g
      WHERE g.name = l.integration), 0) AS size FROM (${selection}) l`,
    order: sql`f.created_at DESC, f.id DESC, f.target DESC`,
  });

const targets = {
  organization: (organizationId: OrganizationId) => ({ type: 'organization' as const, organizationId }),
  space: (spaceId: SpaceId) => ({ type: 'space' as const, spaceId }),
  site: (siteId: SiteId) => ({ type: 'site' as const, siteId }),
};

const isAfter = (cursor: (string | number)[] | undefined): SQL =>
  cursor === undefined ? sql`1` : sql`(x.created_at, x.id, x.target) < (${cursor[0]}, ${cursor[1]}, ${cursor[2]})`;

const rankOnSpace = (member: ListingMember): SQL =>
  sql`COALESCE((SELECT ${selectSpaceRank(member)} FROM spaces s WHERE s.id = x.target AND s.deleted_at IS NULL), 0)`;

function checkFilter({ target, space, site }: QueryOf<Endpoint>): void {
  const fault = [
    space !== undefined && target !== 'space' ? 'space' : undefined,
    site !== undefined && target !== 'site' ? 'site' : undefined,
  ].find((field) => field !== undefined);
  if (fault !== undefined) throw invalid([{ path: `query.${fault}`, message: `is only allowed with target=${fault}` }]);
}

function selectInstalled({ target, ...targetIds }: QueryOf<Endpoint>, organization: OrganizationId): SQL {
  if (target === 'organization') {
    return sql`SELECT id, '' AS target, status, created_at, integration
      FROM installations INDEXED BY installations_of_organization WHERE organization = ${organization}`;
  }
  const { table, column } = contentKinds[target];
  const targetId = targetIds[target];
  const [index, condition] =
    targetId === undefined
      ? [sql`${table}_of_organization`, sql`organization = ${organization}`]
      : [sql`${table}_of_${column}`, sql`${column} = ${targetId} AND organization = ${organization}`];
  return sql`SELECT installation AS id, ${column} AS target, status, created_at, integration
    FROM ${table} INDEXED BY ${index} WHERE ${condition}`;
}
