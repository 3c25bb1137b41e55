import { CommitConflict, translationSettings } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { orgAdmin } from '@octavo/schema';
import { notFound } from '@octavo/schema';
import type { OrgAdminEnvironment } from '../environment.ts';
import { areThese, mustBeThere, presentSettings, selectSettings, touched } from './settings-record.ts';

export const updateTranslationSettings: Handler<
  typeof orgAdmin.updateTranslationSettings,
  OrgAdminEnvironment
> = async ({ params, body: { title } }, { db, organization, commit, urls }) => {
  const named = { organization: organization.id, id: params.translationSettingsId };
  const rename = db.update(translationSettings).set({ title }).where(areThese(named));
  try {
    const write = [mustBeThere(db, named), rename, db.run(touched(named))];
    const rows = await commit({ write, renamed: db.all(selectSettings(named)) }, [
      { type: 'translation.updated', organization: named.organization, data: { translation: named.id } },
    ]);
    const [row = {}] = rows.renamed;
    return presentSettings(row, urls);
  } catch (error) {
    throw error instanceof CommitConflict ? notFound('translation settings') : error;
  }
};
