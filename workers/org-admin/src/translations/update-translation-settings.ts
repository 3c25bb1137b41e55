import { commitChecked, onlyRow, translationSettings } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { orgAdmin } from '@octavo/schema';
import type { OrgAdminEnvironment } from '../environment.ts';
import { areThese, presentSettings, selectSettings, settingsExist, touched } from './settings-record.ts';

export const updateTranslationSettings: Handler<
  typeof orgAdmin.updateTranslationSettings,
  OrgAdminEnvironment
> = async ({ params, body: { title } }, { db, organization, commit, urls }) => {
  const named = { organization: organization.id, id: params.translationSettingsId };
  const rename = db.update(translationSettings).set({ title }).where(areThese(named));
  const write = [rename, db.run(touched(named))];
  const { renamed } = await commitChecked(db, [settingsExist(named)], (guards) =>
    commit({ guards, write, renamed: selectSettings(named) }, [
      { type: 'translation.updated', organization: named.organization, data: { translation: named.id } },
    ]),
  );
  return presentSettings(onlyRow(renamed), urls);
};
