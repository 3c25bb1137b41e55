import type { RecordOf } from '@octavo/db';
import { selection, translationLanguages } from '@octavo/db';
import type { Urls } from '@octavo/runtime';
import type { TranslationLanguageSettings } from '@octavo/schema';
import { aliasedTable } from 'drizzle-orm';
import type { Named } from './settings-record.ts';
import { pathOf } from './settings-record.ts';

const l = aliasedTable(translationLanguages, 'l');

/** Of `translation_languages l`. */
export const languageRow = selection({
  language: l.language,
  instructions: l.instructions,
});

export const presentLanguage = (
  { language, instructions }: RecordOf<typeof languageRow>,
  settings: Named,
  urls: Urls,
): TranslationLanguageSettings => ({
  object: 'translation-language-settings',
  language,
  instructions,
  urls: { location: urls.location(`${pathOf(settings)}/languages/${language}`) },
});
