import type { Row } from '@octavo/db';
import { text } from '@octavo/db';
import type { Urls } from '@octavo/runtime';
import type { TranslationLanguage, TranslationLanguageSettings } from '@octavo/schema';
import type { Named } from './settings-record.ts';
import { pathOf } from './settings-record.ts';

/** A row of `translation_languages`, by column. */
export function presentLanguage(row: Row, settings: Named, urls: Urls): TranslationLanguageSettings {
  const language = text(row, 'language') as TranslationLanguage;
  return {
    object: 'translation-language-settings',
    language,
    instructions: JSON.parse(text(row, 'instructions')) as TranslationLanguageSettings['instructions'],
    urls: { location: urls.location(`${pathOf(settings)}/languages/${language}`) },
  };
}
