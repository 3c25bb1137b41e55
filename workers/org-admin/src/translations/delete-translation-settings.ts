import { CommitConflict, translationSettings } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { orgAdmin } from '@octavo/schema';
import { notFound } from '@octavo/schema';
import type { OrgAdminEnvironment } from '../environment.ts';
import { areThese, mustBeThere } from './settings-record.ts';

export const deleteTranslationSettings: Handler<
  typeof orgAdmin.deleteTranslationSettings,
  OrgAdminEnvironment
> = async ({ params }, { db, organization, commit }) => {
  const named = { organization: organization.id, id: params.translationSettingsId };
  try {
    await commit(
      [mustBeThere(db, named), db.delete(translationSettings).where(areThese(named))],
      [{ type: 'translation.deleted', organization: named.organization, data: { translation: named.id } }],
    );
  } catch (error) {
    throw error instanceof CommitConflict ? notFound('translation settings') : error;
  }
  return undefined;
};
