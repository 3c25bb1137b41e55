import { readRow } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { orgAdmin } from '@octavo/schema';
import { notFound } from '@octavo/schema';
import type { OrgAdminEnvironment } from '../environment.ts';
import { presentSettings, selectSettings } from './settings-record.ts';

export const getTranslationSettings: Handler<typeof orgAdmin.getTranslationSettings, OrgAdminEnvironment> = async (
  { params },
  { db, organization, urls },
) => {
  const named = { organization: organization.id, id: params.translationSettingsId };
  const settings = await readRow(db, selectSettings(named));
  if (settings === undefined) throw notFound('translation settings');
  return presentSettings(settings, urls);
};
