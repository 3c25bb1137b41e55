import type { Check, RecordOf } from '@octavo/db';
import { computed, parsed, selection, translationSettings } from '@octavo/db';
import type { Urls } from '@octavo/runtime';
import type { OrganizationId, TranslationLanguage, TranslationSettings } from '@octavo/schema';
import { notFound, timestamp } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { aliasedTable, sql } from 'drizzle-orm';

/** Translation settings by the organization and the id that the path names. */
export interface Named {
  organization: OrganizationId;
  id: string;
}

const t = aliasedTable(translationSettings, 't');

/** Of `translation_settings t`. */
export const settingsRow = selection({
  id: t.id,
  organization: t.organization,
  title: t.title,
  createdAt: t.createdAt,
  updatedAt: t.updatedAt,
  languages: computed(
    parsed<TranslationLanguage[]>(),
    sql`(SELECT json_group_array(l.language ORDER BY l.language) FROM translation_languages l WHERE l.settings = t.id)`,
  ),
});

export type SettingsRecord = RecordOf<typeof settingsRow>;

export const selectSettings = ({ organization, id }: Named) =>
  settingsRow.query(sql`
  SELECT ${settingsRow} FROM translation_settings t WHERE t.id = ${id} AND t.organization = ${organization}`);

/** The condition that names them, in a statement on their table alone. */
export const areThese = ({ organization, id }: Named): SQL => sql`id = ${id} AND organization = ${organization}`;

export const settingsExist = (named: Named): Check => ({
  holds: sql`EXISTS (SELECT 1 FROM translation_settings WHERE ${areThese(named)})`,
  otherwise: () => notFound('translation settings'),
});

/** Marks the settings as changed now: two changes within one millisecond move the time all the same. */
export const touched = (named: Named): SQL => sql`UPDATE translation_settings
  SET updated_at = MAX(updated_at + 1, ${Date.now()}) WHERE ${areThese(named)}`;

export const pathOf = ({ organization, id }: Named): string => `/orgs/${organization}/translations/${id}`;

/** Only admins see translation settings, and they may change them (permissions.md, section 5). */
export const presentSettings = (settings: SettingsRecord, urls: Urls): TranslationSettings => ({
  object: 'translation-settings',
  id: settings.id,
  title: settings.title,
  languages: settings.languages,
  createdAt: timestamp(settings.createdAt),
  updatedAt: timestamp(settings.updatedAt),
  permissions: { view: true, edit: true },
  urls: { location: urls.location(pathOf(settings)) },
});
