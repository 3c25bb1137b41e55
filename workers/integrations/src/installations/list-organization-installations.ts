import {
  after,
  bytesOf,
  contains,
  decodeCursor,
  fitted,
  fittingAt,
  givenOfFitted,
  installationRow,
  integrationRow,
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
import { presentIntegration } from '../integrations/present-integration.ts';
import { presentInstallation } from './present-installation.ts';
import { readShownByName } from './shown-by-name.ts';

const listedRow = selection({ installation: installationRow.fields, ...fittingAt });

/** Each is given with the whole of its integration. */
const bytes = sql`${bytesOf(installationRow.fields)} + ${bytesOf(integrationRow.fields, 'g')}`;

export const listOrganizationInstallations: Handler<
  typeof integrations.listOrganizationInstallations,
  IntegrationsEnvironment
> = async ({ query: { page, limit, search } }, { env, db, urls, actor, organization }) => {
  const cursor = decodeCursor(page, ['number', 'string']);
  const found = lookThrough({
    columns: sql`i.id AS id, i.created_at AS created_at, g.name AS name, g.title AS title, ${bytes} AS size`,
    from: sql`FROM installations i INDEXED BY installations_of_organization ${joinIntegration}
      WHERE i.organization = ${organization.id} AND ${after(cursor, sql`i.created_at`, sql`i.id`)}`,
    order: sql`i.created_at DESC, i.id DESC`,
    matches: search ? contains([sql`name`, sql`title`], search) : undefined,
    limit,
  });
  const keys = fitted({ found, order: sql`f.created_at DESC, f.id DESC` });
  const listed = listedRow.query(sql`SELECT ${listedRow.with(givenOfFitted)} FROM (${keys}) l
    CROSS JOIN installations i ON i.id = l.id ${joinIntegration} ORDER BY l.created_at DESC, l.id DESC`);
  const { items: records, ...rest } = paginateMatches(await readRows(db, listed), limit, {
    item: ({ installation }) => installation,
    cursorOf: ({ installation }) => [installation.createdAt, installation.id],
  });
  const shown = await readShownByName(
    db,
    actor,
    records.map(({ integration }) => integration.name),
  );
  const items = records.flatMap((record) => {
    const integration = shown.get(record.integration.name);
    return integration === undefined ? [] : [{ record, integration: presentIntegration(integration, urls) }];
  });
  const both = items.map(async ({ record, integration }) => ({
    integration,
    installation: await presentInstallation(record, { env, urls, toPeople: true }),
  }));
  return { ...rest, count: both.length, items: await Promise.all(both) };
};
