import { decodeCursor, paginate, runBatch } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { orgAdmin } from '@octavo/schema';
import { notFound } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { OrgAdminEnvironment } from '../environment.ts';
import { languageRow, presentLanguage } from './language-record.ts';
import { selectSettings } from './settings-record.ts';

export const listTranslationLanguages: Handler<typeof orgAdmin.listTranslationLanguages, OrgAdminEnvironment> = async (
  { params, query },
  { db, organization, urls },
) => {
  const named = { organization: organization.id, id: params.translationSettingsId };
  const [language = ''] = decodeCursor(query.page, ['string']) ?? [];
  const { settings, languages } = await runBatch(db, {
    settings: selectSettings(named),
    languages: languageRow.query(sql`SELECT ${languageRow}
      FROM translation_settings t CROSS JOIN translation_languages l ON l.settings = t.id
      WHERE t.id = ${named.id} AND t.organization = ${named.organization} AND l.language > ${language}
      ORDER BY l.language LIMIT ${query.limit + 1}`),
  });
  if (settings.length === 0) throw notFound('translation settings');
  return paginate(languages, query.limit, {
    item: (found) => presentLanguage(found, named, urls),
    cursorOf: (found) => [found.language],
  });
};
