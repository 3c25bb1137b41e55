import { translationSettings } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { orgAdmin } from '@octavo/schema';
import { newId } from '@octavo/schema';
import type { OrgAdminEnvironment } from '../environment.ts';
import { presentSettings } from './settings-record.ts';

export const createTranslationSettings: Handler<
  typeof orgAdmin.createTranslationSettings,
  OrgAdminEnvironment
> = async ({ body: { title } }, { db, organization: { id: organization }, commit, urls }) => {
  const id = newId('translation');
  const now = Date.now();
  await commit(
    [db.insert(translationSettings).values({ id, organization, title, createdAt: now, updatedAt: now })],
    [{ type: 'translation.created', organization, data: { translation: id } }],
  );
  return presentSettings({ id, organization, title, createdAt: now, updatedAt: now, languages: [] }, urls);
};
