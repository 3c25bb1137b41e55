import {
  after,
  contains,
  decodeCursor,
  lookedAt,
  lookThrough,
  paginateMatches,
  readRows,
  redirectRow,
  selection,
} from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { publishing } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { PublishingEnvironment } from '../environment.ts';
import { presentRedirect } from './present-redirect.ts';

const listedRow = selection({ redirect: redirectRow.fields, ...lookedAt });

export const listSiteRedirects: Handler<typeof publishing.listSiteRedirects, PublishingEnvironment> = async (
  { query: { page, limit, search, draft } },
  { db, site },
) => {
  const cursor = decodeCursor(page, ['number', 'string']);
  const { source, draft: isDraft } = listedRow.names.redirect;
  const isOfKind = draft ? sql`${isDraft} = 1` : sql`${isDraft} = 0`;
  const found = lookThrough({
    columns: listedRow.getSQL(),
    from: sql`FROM site_redirects sr INDEXED BY site_redirects_by_age
      WHERE sr.site = ${site.id} AND ${after(cursor, sql`sr.created_at`, sql`sr.id`)}`,
    order: sql`sr.created_at DESC, sr.id DESC`,
    matches: search ? sql`(${isOfKind} AND ${contains([source], search)})` : isOfKind,
    limit,
  });
  return paginateMatches(await readRows(db, listedRow.query(found)), limit, {
    item: ({ redirect }) => presentRedirect(redirect),
    cursorOf: ({ redirect }) => [redirect.createdAt, redirect.id],
  });
};
