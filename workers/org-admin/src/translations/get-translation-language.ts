import type { Row } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { orgAdmin } from '@octavo/schema';
import { notFound } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { OrgAdminEnvironment } from '../environment.ts';
import { presentLanguage, readLanguage } from './language-record.ts';

export const getTranslationLanguage: Handler<typeof orgAdmin.getTranslationLanguage, OrgAdminEnvironment> = async (
  { params },
  { db, organization, urls },
) => {
  const named = { organization: organization.id, id: params.translationSettingsId };
  const [row] = await db.all<Row>(sql`SELECT l.language, l.instructions
    FROM translation_settings t CROSS JOIN translation_languages l ON l.settings = t.id
    WHERE t.id = ${named.id} AND t.organization = ${named.organization} AND l.language = ${params.translationLanguage}`);
  if (row === undefined) throw notFound('translation language');
  return presentLanguage(readLanguage(row), named, urls);
};
