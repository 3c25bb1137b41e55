import type { Query, RecordOf } from '@octavo/db';
import {
  countBytes,
  decodeCursor,
  fitExpressions,
  fitFields,
  fitRows,
  isAfterCursor,
  paginateMatches,
  readRows,
  scanRows,
  selection,
} from '@octavo/db';
import type { List, PageQuery } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import type { IntegrationsEnvironment } from '../environment.ts';
import { isPerson } from '../installations/presenter.ts';
import type { ContentInstallationShapes } from './presenter.ts';
import { presentContentInstallation } from './presenter.ts';
import type { ContentKind, ContentReader } from './queries.ts';
import { contentKinds, joinInstallation, readContents } from './queries.ts';

interface ListedInstallation {
  query: PageQuery & { extended: boolean; externalId?: string | undefined };
  /** The installation, or the name of the integration, whose installations on spaces or sites are listed. */
  of: { installation: string } | { integration: string };
}

const listedRows = {
  space: selection({ placed: contentKinds.space.row.fields, ...fitFields }),
  site: selection({ placed: contentKinds.site.row.fields, ...fitFields }),
};

/** Lists installations on spaces or on sites. */
export async function listContentInstallations<Kind extends ContentKind>(
  kind: Kind,
  { query, of }: ListedInstallation,
  context: ContentReader & { env: IntegrationsEnvironment },
): Promise<List<ContentInstallationShapes[Kind]>> {
  const { env, db, urls, actor } = context;
  const from =
    'installation' in of
      ? selectFromInstallation(kind, of.installation, query)
      : selectFromIntegration(kind, of.integration, query);
  const listedRecords = await readRows(db, readPage(kind, selectKeys(kind, from, query.limit)));
  const { items: records, ...rest } = paginateMatches(listedRecords, query.limit, {
    item: ({ placed }) => placed,
    getCursor: ({ placed: { createdAt, installation, place } }) =>
      'installation' in of ? [createdAt, place] : [createdAt, installation, place],
  });
  const contentsById = query.extended ? await readContents(kind, records, context) : new Map();
  const view = { env, urls, toPeople: isPerson(actor) };
  const items = records.map((record) =>
    presentContentInstallation(kind, record, { ...view, content: contentsById.get(record.place) }),
  );
  return { ...rest, items: await Promise.all(items) };
}

/** The FROM and WHERE clauses, and the order that the index provides. */
interface ListRead {
  from: SQL;
  order: SQL;
}

const selectKeys = (kind: ContentKind, { from, order }: ListRead, limit: number): SQL => {
  const { column, row } = contentKinds[kind];
  const columns = sql`x.installation, x.${column} AS target, x.created_at, ${countBytes(row.fields)} AS size`;
  return scanRows({ columns, from: sql`FROM ${from}`, order, matches: undefined, limit });
};

function readPage(kind: ContentKind, pageKeys: SQL): Query<RecordOf<(typeof listedRows)[ContentKind]>> {
  const { table, column } = contentKinds[kind];
  const keys = fitRows({ match: pageKeys, order: sql`f.created_at DESC, f.installation DESC, f.target DESC` });
  return listedRows[kind].query(sql`SELECT ${listedRows[kind].with(fitExpressions)} FROM (${keys}) l
    CROSS JOIN ${table} x ON x.installation = l.installation AND x.${column} = l.target ${joinInstallation(kind)}
    ORDER BY l.created_at DESC, l.installation DESC, l.target DESC`);
}

function selectFromInstallation(kind: ContentKind, installation: string, { page }: PageQuery): ListRead {
  const { table, column } = contentKinds[kind];
  const cursor = decodeCursor(page, ['number', 'string']);
  return {
    from: sql`${table} x INDEXED BY ${table}_by_age ${joinInstallation(kind)}
      WHERE x.installation = ${installation} AND ${isAfterCursor(cursor, sql`x.created_at`, sql`x.${column}`)}`,
    order: sql`x.created_at DESC, x.${column} DESC`,
  };
}

function selectFromIntegration(
  kind: ContentKind,
  integration: string,
  { page, externalId }: ListedInstallation['query'],
): ListRead {
  const { table, column } = contentKinds[kind];
  const cursor = decodeCursor(page, ['number', 'string', 'string']);
  if (externalId !== undefined) return selectByExternalId(kind, integration, { externalId, cursor });
  return {
    from: sql`${table} x INDEXED BY ${table}_of_integration ${joinInstallation(kind)}
      WHERE x.integration = ${integration} AND ${isAfter(cursor, sql`x.installation, x.${column}`, sql`x.created_at`)}`,
    order: sql`x.created_at DESC, x.installation DESC, x.${column} DESC`,
  };
}

function selectByExternalId(
  kind: ContentKind,
  integration: string,
  { externalId, cursor }: { externalId: string; cursor: (string | number)[] | undefined },
): ListRead {
  const { table, column } = contentKinds[kind];
  return {
    from: sql`installation_external_ids e CROSS JOIN ${table} x ON x.installation = e.installation AND x.${column} = e.target
      ${joinInstallation(kind)}
      WHERE e.integration = ${integration} AND e.kind = ${kind} AND e.external_id = ${externalId}
        AND ${isAfter(cursor, sql`e.installation, e.target`, sql`e.created_at`)}`,
    order: sql`e.created_at DESC, e.installation DESC, e.target DESC`,
  };
}

const isAfter = (cursor: (string | number)[] | undefined, ids: SQL, time: SQL): SQL =>
  cursor === undefined ? sql`1` : sql`(${time}, ${ids}) < (${cursor[0]}, ${cursor[1]}, ${cursor[2]})`;
