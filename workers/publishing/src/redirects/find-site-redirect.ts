import type { Database, RedirectRecord } from '@octavo/db';
import { readRow, redirectRow, statement } from '@octavo/db';
import type { SiteId } from '@octavo/schema';
import { notFound } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';

const redirectById = statement((site: SQL<SiteId>, id: SQL<string>) =>
  redirectRow.query(sql`SELECT ${redirectRow} FROM site_redirects sr WHERE sr.id = ${id} AND sr.site = ${site}`),
);

/** @throws ApiError not_found */
export async function getSiteRedirect(db: Database, site: SiteId, id: string): Promise<RedirectRecord> {
  const found = await readRow(db, redirectById(site, id));
  if (found === undefined) throw notFound('redirect');
  return found;
}
