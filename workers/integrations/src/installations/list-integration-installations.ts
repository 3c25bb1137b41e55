import {
  after,
  bytesOf,
  decodeCursor,
  fitted,
  fittingAt,
  givenOfFitted,
  installationRow,
  joinIntegration,
  lookThrough,
  paginateMatches,
  readRows,
  selection,
} from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { integrations } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { IntegrationsEnvironment } from '../environment.ts';
import { isPerson } from './configured-by.ts';
import { presentInstallation } from './present-installation.ts';

const listedRow = selection({ installation: installationRow.fields, ...fittingAt });

type Endpoint = typeof integrations.listIntegrationInstallations;

export const listIntegrationInstallations: Handler<Endpoint, IntegrationsEnvironment> = async (
  { query: { page, limit, externalId } },
  { env, db, urls, actor, integration: { integration } },
) => {
  const cursor = decodeCursor(page, ['number', 'string']);
  const [from, order] =
    externalId === undefined
      ? [
          sql`installations i INDEXED BY installations_of_integration ${joinIntegration}
            WHERE i.integration = ${integration.name} AND ${after(cursor, sql`i.created_at`, sql`i.id`)}`,
          sql`i.created_at DESC, i.id DESC`,
        ]
      : [
          sql`installation_external_ids x CROSS JOIN installations i ON i.id = x.installation ${joinIntegration}
            WHERE x.integration = ${integration.name} AND x.kind = 'installation' AND x.external_id = ${externalId}
              AND ${after(cursor, sql`x.created_at`, sql`x.installation`)}`,
          sql`x.created_at DESC, x.installation DESC`,
        ];
  const columns = sql`i.id, i.created_at, ${bytesOf(installationRow.fields)} AS size`;
  const keys = fitted({
    found: lookThrough({ columns, from: sql`FROM ${from}`, order, matches: undefined, limit }),
    order: sql`f.created_at DESC, f.id DESC`,
  });
  const found = listedRow.query(sql`SELECT ${listedRow.with(givenOfFitted)} FROM (${keys}) l
    CROSS JOIN installations i ON i.id = l.id ${joinIntegration} ORDER BY l.created_at DESC, l.id DESC`);
  const view = { env, urls, toPeople: isPerson(actor) };
  const { items, ...rest } = paginateMatches(await readRows(db, found), limit, {
    item: ({ installation }) => presentInstallation(installation, view),
    cursorOf: ({ installation: { createdAt, id } }) => [createdAt, id],
  });
  return { ...rest, items: await Promise.all(items) };
};
