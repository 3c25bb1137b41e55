import { after, decodeCursor, paginate, readRows } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { orgAdmin } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { OrgAdminEnvironment } from '../environment.ts';
import { presentSettings, settingsRow } from './settings-record.ts';

export const listTranslationSettings: Handler<typeof orgAdmin.listTranslationSettings, OrgAdminEnvironment> = async (
  { query },
  { db, organization, urls },
) => {
  const cursor = decodeCursor(query.page, ['number', 'string']);
  const found = settingsRow.query(sql`
    SELECT ${settingsRow} FROM translation_settings t
    WHERE t.organization = ${organization.id} AND ${after(cursor, sql`t.created_at`, sql`t.id`)}
    ORDER BY t.created_at DESC, t.id DESC LIMIT ${query.limit + 1}`);
  return paginate(await readRows(db, found), query.limit, {
    item: (settings) => presentSettings(settings, urls),
    cursorOf: ({ createdAt, id }) => [createdAt, id],
  });
};
