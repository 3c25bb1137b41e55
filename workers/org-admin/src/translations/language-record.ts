import type { Row } from '@octavo/db';
import { json, text } from '@octavo/db';
import type { Urls } from '@octavo/runtime';
import type { TranslationLanguage, TranslationLanguageSettings } from '@octavo/schema';
import type { Named } from './settings-record.ts';
import { pathOf } from './settings-record.ts';

type LanguageRecord = Pick<TranslationLanguageSettings, 'language' | 'instructions'>;

/** Of a row of `translation_languages`, by column. */
export const readLanguage = (row: Row): LanguageRecord => ({
  language: text(row, 'language') as TranslationLanguage,
  instructions: json(row, 'instructions'),
});

export function presentLanguage(
  { language, instructions }: LanguageRecord,
  settings: Named,
  urls: Urls,
): TranslationLanguageSettings {
  return {
    object: 'translation-language-settings',
    language,
    instructions,
    urls: { location: urls.location(`${pathOf(settings)}/languages/${language}`) },
  };
}
