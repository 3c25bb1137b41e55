import type { CallerRecord, Database } from '@octavo/db';
import {
  after,
  bytesOf,
  decodeCursor,
  fitted,
  fittingAt,
  given,
  givenOfFitted,
  integrationRow,
  lookThrough,
  paginateMatches,
  readRows,
  selection,
  shownIntegrationRow,
} from '@octavo/db';
import type { Urls } from '@octavo/runtime';
import type { Integration, List, OrganizationId } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import { filteredColumns, matchesOf } from './filters.ts';
import { presentIntegration } from './present-integration.ts';
import { counted, isShownTo, joinOwner, shownBy, withPlaces } from './shown-integrations.ts';

const installedRow = selection({
  ...shownIntegrationRow.fields,
  ...fittingAt,
  installation: given(String),
  installedAt: given(Number),
});

interface Listing {
  db: Database;
  actor: CallerRecord;
  urls: Urls;
}

interface Wanted {
  page?: string | undefined;
  limit: number;
  search?: string | undefined;
}

/**
 * A page of the integrations that are active on a space or a site, those installed last first. One that its owner has made
 * private is shown to the owner alone.
 *
 * @param from installations `n` on the one space or site, from their index
 */
export async function listInstalled(
  { db, actor, urls }: Listing,
  { page, limit, search }: Wanted,
  { from, organization }: { from: SQL; organization: OrganizationId },
): Promise<List<Integration>> {
  const cursor = decodeCursor(page, ['number', 'string']);
  const found = lookThrough({
    columns: sql`${filteredColumns}, n.installation AS installation, n.created_at AS installed_at,
      ${bytesOf(integrationRow.fields)} AS size`,
    from: sql`FROM ${from} AND n.organization = ${organization} AND n.status = 'active'
        AND i.unpublished_at IS NULL AND ${isShownTo(actor)}
        AND ${after(cursor, sql`n.created_at`, sql`n.installation`)}`,
    order: sql`n.created_at DESC, n.installation DESC`,
    matches: search === undefined ? undefined : matchesOf({ search }),
    limit,
  });
  const keys = fitted({
    found: sql`SELECT l.name, l.installation, l.installed_at, l.matches, l.place, l.size FROM (${found}) l`,
    order: sql`f.installed_at DESC, f.installation DESC`,
  });
  const given = { ...shownBy(actor), ...givenOfFitted };
  const rows = await readRows(
    db,
    installedRow.query(sql`${withPlaces(actor)}
      SELECT ${installedRow.with({ ...given, installation: sql`l.installation`, installedAt: sql`l.installed_at` })}
      FROM (${keys}) l CROSS JOIN integrations i ON i.name = l.name ${joinOwner(actor)}
      ORDER BY l.installed_at DESC, l.installation DESC`),
  );
  return paginateMatches(rows, limit, {
    item: (row) => presentIntegration(counted(actor, row), urls),
    cursorOf: ({ installedAt, installation }) => [installedAt, installation],
  });
}
