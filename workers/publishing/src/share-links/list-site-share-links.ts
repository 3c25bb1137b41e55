import { after, decodeCursor, paginate, readRows } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { publishing } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { PublishingEnvironment } from '../environment.ts';
import { presentShareLink, shareLinkRow } from './share-link-record.ts';

export const listSiteShareLinks: Handler<typeof publishing.listSiteShareLinks, PublishingEnvironment> = async (
  { query: { page, limit } },
  context,
) => {
  const { db, site } = context;
  const cursor = decodeCursor(page, ['number', 'string']);
  const links = shareLinkRow.query(sql`SELECT ${shareLinkRow} FROM site_share_links k
    WHERE k.site = ${site.id} AND ${after(cursor, sql`k.created_at`, sql`k.id`)}
    ORDER BY k.created_at DESC, k.id DESC LIMIT ${limit + 1}`);
  const found = paginate(await readRows(db, links), limit, {
    item: (record) => record,
    cursorOf: ({ createdAt, id }) => [createdAt, id],
  });
  return { ...found, items: await Promise.all(found.items.map((record) => presentShareLink(record, context))) };
};
