import { CommitConflict, must, translationLanguages } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { orgAdmin } from '@octavo/schema';
import { notFound } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { OrgAdminEnvironment } from '../environment.ts';
import { mustBeThere, touched } from './settings-record.ts';

export const deleteTranslationLanguage: Handler<
  typeof orgAdmin.deleteTranslationLanguage,
  OrgAdminEnvironment
> = async ({ params }, { db, organization, commit }) => {
  const named = { organization: organization.id, id: params.translationSettingsId };
  const it = sql`settings = ${named.id} AND language = ${params.translationLanguage}`;
  const isThere = must(db, sql`EXISTS (SELECT 1 FROM translation_languages WHERE ${it})`);
  try {
    await commit(
      [mustBeThere(db, named), isThere, db.delete(translationLanguages).where(it), db.run(touched(named))],
      [{ type: 'translation.updated', organization: named.organization, data: { translation: named.id } }],
    );
  } catch (error) {
    throw error instanceof CommitConflict ? notFound('translation language') : error;
  }
  return undefined;
};
