import { commitChecked, translationLanguages } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { orgAdmin } from '@octavo/schema';
import { notFound } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { OrgAdminEnvironment } from '../environment.ts';
import { settingsExist, touched } from './settings-record.ts';

export const deleteTranslationLanguage: Handler<
  typeof orgAdmin.deleteTranslationLanguage,
  OrgAdminEnvironment
> = async ({ params }, { db, organization, commit }) => {
  const named = { organization: organization.id, id: params.translationSettingsId };
  const it = sql`settings = ${named.id} AND language = ${params.translationLanguage}`;
  const notThere = () => notFound('translation language');
  const checks = [
    { ...settingsExist(named), otherwise: notThere },
    { holds: sql`EXISTS (SELECT 1 FROM translation_languages WHERE ${it})`, otherwise: notThere },
  ];
  await commitChecked(db, checks, (guards) =>
    commit(
      [...guards, db.delete(translationLanguages).where(it), db.run(touched(named))],
      [{ type: 'translation.updated', organization: named.organization, data: { translation: named.id } }],
    ),
  );
  return undefined;
};
