import { createLocationUrl, ids, organizationPath } from '../acme.ts';
import type { ResourceDocumentation } from '../documentation.ts';

const path = `${organizationPath}/translations/${ids.translation}`;

const settingsExample = {
  object: 'translation-settings',
  id: ids.translation,
  title: 'Product documentation',
  languages: ['de', 'fr'],
  createdAt: '2026-02-14T10:00:00.000Z',
  updatedAt: '2026-02-20T16:30:00.000Z',
  permissions: { view: true, edit: true },
  urls: { location: createLocationUrl(path) },
} as const;

const instructions = { markdown: 'Address the reader formally. Do not translate product names.' };

const instructionProperties = {
  instructions: 'The instructions for translations into this language, as Markdown or as a document.',
  'instructions.markdown': 'The instructions as Markdown.',
  'instructions.object': 'Set if the instructions are a document, whose other fields are stored unchanged.',
};

export const translations: ResourceDocumentation = {
  operations: {
    listTranslationSettings: { description: 'Lists the translation settings of the organization, newest first.' },
    createTranslationSettings: {
      description:
        'Creates translation settings without languages. The server stores the settings; it does not translate.',
      body: { title: 'The name of the settings.' },
      example: { body: { title: 'Product documentation' } },
    },
    getTranslationSettings: { description: 'Returns translation settings.' },
    updateTranslationSettings: {
      description: 'Renames translation settings.',
      body: { title: 'The new name of the settings.' },
      example: { body: { title: 'Product documentation' } },
    },
    deleteTranslationSettings: { description: 'Deletes translation settings with their languages.' },
    listTranslationLanguages: { description: 'Lists the languages of translation settings, by language code.' },
    getTranslationLanguage: { description: 'Returns a language of translation settings, with its instructions.' },
    createOrUpdateTranslationLanguage: {
      description: 'Adds a language to translation settings, or replaces the instructions of an existing one.',
      body: instructionProperties,
      example: { body: { instructions } },
    },
    deleteTranslationLanguage: { description: 'Removes a language from translation settings.' },
  },
  schemas: {
    TranslationLanguage: { description: 'A language, by its code.', example: 'de' },
    TranslationSettings: {
      description: 'A named set of languages with instructions for translators.',
      properties: {
        title: 'The name of the settings.',
        languages: 'The languages, by code.',
        'permissions.view': 'Whether the caller may read the settings.',
        'permissions.edit': 'Whether the caller may change the settings.',
      },
      example: settingsExample,
    },
    TranslationLanguageSettings: {
      description: 'A language of translation settings.',
      properties: { language: 'The code of the language.', ...instructionProperties },
      example: {
        object: 'translation-language-settings',
        language: 'de',
        instructions,
        urls: { location: createLocationUrl(`${path}/languages/de`) },
      },
    },
  },
};
