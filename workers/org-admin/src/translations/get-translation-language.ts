import { readRow } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { orgAdmin } from '@octavo/schema';
import { notFound } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { OrgAdminEnvironment } from '../environment.ts';
import { languageRow, presentLanguage } from './language-record.ts';

export const getTranslationLanguage: Handler<typeof orgAdmin.getTranslationLanguage, OrgAdminEnvironment> = async (
  { params },
  { db, organization, urls },
) => {
  const named = { organization: organization.id, id: params.translationSettingsId };
  const wanted = languageRow.query(sql`SELECT ${languageRow}
    FROM translation_settings t CROSS JOIN translation_languages l ON l.settings = t.id
    WHERE t.id = ${named.id} AND t.organization = ${named.organization} AND l.language = ${params.translationLanguage}`);
  const found = await readRow(db, wanted);
  if (found === undefined) throw notFound('translation language');
  return presentLanguage(found, named, urls);
};
