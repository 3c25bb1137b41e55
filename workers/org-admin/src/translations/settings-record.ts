import type { Check, Row } from '@octavo/db';
import { number, text } from '@octavo/db';
import type { Urls } from '@octavo/runtime';
import type { TranslationLanguage, TranslationSettings } from '@octavo/schema';
import { notFound, timestamp } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';

/** Translation settings by the organization and the id that the path names. */
export interface Named {
  organization: string;
  id: string;
}

/** Of `translation_settings t`. */
export const settingsColumns = sql`t.id, t.organization, t.title, t.created_at, t.updated_at,
  (SELECT json_group_array(l.language ORDER BY l.language) FROM translation_languages l WHERE l.settings = t.id) AS languages`;

export const selectSettings = ({ organization, id }: Named): SQL => sql`
  SELECT ${settingsColumns} FROM translation_settings t WHERE t.id = ${id} AND t.organization = ${organization}`;

/** The condition that names them, in a statement on their table alone. */
export const areThese = ({ organization, id }: Named): SQL => sql`id = ${id} AND organization = ${organization}`;

export const settingsExist = (named: Named): Check => ({
  holds: sql`EXISTS (${selectSettings(named)})`,
  otherwise: () => notFound('translation settings'),
});

/** Marks the settings as changed now: two changes within one millisecond move the time all the same. */
export const touched = (named: Named): SQL => sql`UPDATE translation_settings
  SET updated_at = MAX(updated_at + 1, ${Date.now()}) WHERE ${areThese(named)}`;

export const pathOf = ({ organization, id }: Named): string => `/orgs/${organization}/translations/${id}`;

/** Only admins see translation settings, and they may change them (permissions.md, section 5). */
export function presentSettings(row: Row, urls: Urls): TranslationSettings {
  const [id, organization] = [text(row, 'id'), text(row, 'organization')];
  return {
    object: 'translation-settings',
    id,
    title: text(row, 'title'),
    languages: JSON.parse(text(row, 'languages')) as TranslationLanguage[],
    createdAt: timestamp(number(row, 'created_at')),
    updatedAt: timestamp(number(row, 'updated_at')),
    permissions: { view: true, edit: true },
    urls: { location: urls.location(pathOf({ organization, id })) },
  };
}
