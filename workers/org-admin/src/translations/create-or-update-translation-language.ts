import { commitChecked, translationLanguages } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { orgAdmin } from '@octavo/schema';
import type { OrgAdminEnvironment } from '../environment.ts';
import { presentLanguage } from './language-record.ts';
import { settingsExist, touched } from './settings-record.ts';

export const createOrUpdateTranslationLanguage: Handler<
  typeof orgAdmin.createOrUpdateTranslationLanguage,
  OrgAdminEnvironment
> = async ({ params, body }, { db, organization, commit, urls }) => {
  const named = { organization: organization.id, id: params.translationSettingsId };
  const language = params.translationLanguage;
  const { instructions } = body;
  const put = db
    .insert(translationLanguages)
    .values({ settings: named.id, language, instructions })
    .onConflictDoUpdate({
      target: [translationLanguages.settings, translationLanguages.language],
      set: { instructions },
    });
  await commitChecked(db, [settingsExist(named)], (guards) =>
    commit(
      [...guards, put, db.run(touched(named))],
      [{ type: 'translation.updated', organization: named.organization, data: { translation: named.id } }],
    ),
  );
  return presentLanguage({ language, instructions }, named, urls);
};
