import type { Row } from '@octavo/db';
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
  const [row] = await db.all<Row>(selectSettings(named));
  if (row === undefined) throw notFound('translation settings');
  return presentSettings(row, urls);
};
