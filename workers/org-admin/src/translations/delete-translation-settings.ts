import { commitChecked, translationSettings } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { orgAdmin } from '@octavo/schema';
import type { OrgAdminEnvironment } from '../environment.ts';
import { areThese, settingsExist } from './settings-record.ts';

export const deleteTranslationSettings: Handler<
  typeof orgAdmin.deleteTranslationSettings,
  OrgAdminEnvironment
> = async ({ params }, { db, organization, commit }) => {
  const named = { organization: organization.id, id: params.translationSettingsId };
  await commitChecked(db, [settingsExist(named)], (guards) =>
    commit(
      [...guards, db.delete(translationSettings).where(areThese(named))],
      [{ type: 'translation.deleted', organization: named.organization, data: { translation: named.id } }],
    ),
  );
  return undefined;
};
