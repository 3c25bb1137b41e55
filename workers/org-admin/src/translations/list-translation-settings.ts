import type { Row } from '@octavo/db';
import { after, decodeCursor, number, paginate, text } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { orgAdmin } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { OrgAdminEnvironment } from '../environment.ts';
import { presentSettings, settingsColumns } from './settings-record.ts';

export const listTranslationSettings: Handler<typeof orgAdmin.listTranslationSettings, OrgAdminEnvironment> = async (
  { query },
  { db, organization, urls },
) => {
  const cursor = decodeCursor(query.page, ['number', 'string']);
  const rows = await db.all<Row>(sql`
    SELECT ${settingsColumns} FROM translation_settings t
    WHERE t.organization = ${organization.id} AND ${after(cursor, sql`t.created_at`, sql`t.id`)}
    ORDER BY t.created_at DESC, t.id DESC LIMIT ${query.limit + 1}`);
  return paginate(rows, query.limit, {
    item: (row) => presentSettings(row, urls),
    cursorOf: (row) => [number(row, 'created_at'), text(row, 'id')],
  });
};
