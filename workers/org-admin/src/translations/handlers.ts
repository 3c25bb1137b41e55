import { createOrUpdateTranslationLanguage } from './create-or-update-translation-language.ts';
import { createTranslationSettings } from './create-translation-settings.ts';
import { deleteTranslationLanguage } from './delete-translation-language.ts';
import { deleteTranslationSettings } from './delete-translation-settings.ts';
import { getTranslationLanguage } from './get-translation-language.ts';
import { getTranslationSettings } from './get-translation-settings.ts';
import { listTranslationLanguages } from './list-translation-languages.ts';
import { listTranslationSettings } from './list-translation-settings.ts';
import { updateTranslationSettings } from './update-translation-settings.ts';

export const translationsHandlers = {
  listTranslationSettings,
  createTranslationSettings,
  getTranslationSettings,
  updateTranslationSettings,
  deleteTranslationSettings,
  listTranslationLanguages,
  getTranslationLanguage,
  createOrUpdateTranslationLanguage,
  deleteTranslationLanguage,
};
