import * as z from 'zod';
import { contract } from '../endpoint.ts';
import { Id } from '../ids.ts';
import { list, PageQuery } from '../list.ts';
import { createLineSchema } from '../text.ts';
import { Timestamp } from '../time.ts';

const languages = [
  ...['en', 'fr', 'de', 'es', 'it', 'pt', 'ru', 'ja', 'zh', 'ko', 'ar', 'hi'],
  ...['nl', 'pl', 'tr', 'sv', 'no', 'da', 'fi', 'el', 'cs', 'hu', 'ro', 'th'],
  ...['vi', 'id', 'ms', 'he', 'uk', 'sk', 'bg', 'hr', 'lt', 'lv', 'et', 'sl'],
] as const;

export const TranslationLanguage = z.enum(languages).meta({ id: 'TranslationLanguage' });
export type TranslationLanguage = z.infer<typeof TranslationLanguage>;

const Title = createLineSchema(1, 100);

export const TranslationSettings = z
  .object({
    object: z.literal('translation-settings'),
    id: z.string(),
    title: Title,
    languages: z.array(TranslationLanguage),
    createdAt: Timestamp,
    updatedAt: Timestamp,
    permissions: z.object({ view: z.boolean(), edit: z.boolean() }),
    urls: z.object({ location: z.string() }),
  })
  .meta({ id: 'TranslationSettings' });
export type TranslationSettings = z.infer<typeof TranslationSettings>;

const maxInstructionsLength = 100_000;

/**
 * Instructions for translations into a language: Markdown, or a document in the GitBook-compatible format, which is
 * stored unchanged.
 */
export const TranslationInstructions = z.union([
  z.object({ markdown: z.string().max(maxInstructionsLength) }),
  z
    .looseObject({ object: z.literal('document') })
    .refine(
      (document) => JSON.stringify(document).length <= maxInstructionsLength,
      `must have at most ${maxInstructionsLength} characters as JSON`,
    ),
]);

export const TranslationLanguageSettings = z
  .object({
    object: z.literal('translation-language-settings'),
    language: TranslationLanguage,
    instructions: TranslationInstructions,
    urls: z.object({ location: z.string() }),
  })
  .meta({ id: 'TranslationLanguageSettings' });
export type TranslationLanguageSettings = z.infer<typeof TranslationLanguageSettings>;

const organizationParams = z.object({ organizationId: Id });
const params = organizationParams.extend({ translationSettingsId: Id });
const languageParams = params.extend({ translationLanguage: TranslationLanguage });
const adminAccess = { access: { organization: 'admin' }, scope: 'unscoped' } as const;

export const translationEndpoints = contract({
  listTranslationSettings: {
    ...adminAccess,
    method: 'GET',
    path: '/v1/orgs/:organizationId/translations',
    summary: 'List the translation settings of an organization',
    params: organizationParams,
    query: PageQuery,
    response: list(TranslationSettings),
    success: 200,
  },
  createTranslationSettings: {
    ...adminAccess,
    method: 'POST',
    path: '/v1/orgs/:organizationId/translations',
    summary: 'Create translation settings',
    params: organizationParams,
    body: z.object({ title: Title }),
    response: TranslationSettings,
    success: 201,
  },
  getTranslationSettings: {
    ...adminAccess,
    method: 'GET',
    path: '/v1/orgs/:organizationId/translations/:translationSettingsId',
    summary: 'Get translation settings',
    params,
    response: TranslationSettings,
    success: 200,
  },
  updateTranslationSettings: {
    ...adminAccess,
    method: 'PUT',
    path: '/v1/orgs/:organizationId/translations/:translationSettingsId',
    summary: 'Rename translation settings',
    params,
    body: z.object({ title: Title }),
    response: TranslationSettings,
    success: 200,
  },
  deleteTranslationSettings: {
    ...adminAccess,
    method: 'DELETE',
    path: '/v1/orgs/:organizationId/translations/:translationSettingsId',
    summary: 'Delete translation settings',
    params,
    success: 205,
  },
  listTranslationLanguages: {
    ...adminAccess,
    method: 'GET',
    path: '/v1/orgs/:organizationId/translations/:translationSettingsId/languages',
    summary: 'List the languages of translation settings',
    params,
    query: PageQuery,
    response: list(TranslationLanguageSettings),
    success: 200,
  },
  getTranslationLanguage: {
    ...adminAccess,
    method: 'GET',
    path: '/v1/orgs/:organizationId/translations/:translationSettingsId/languages/:translationLanguage',
    summary: 'Get a language of translation settings',
    params: languageParams,
    response: TranslationLanguageSettings,
    success: 200,
  },
  createOrUpdateTranslationLanguage: {
    ...adminAccess,
    method: 'PUT',
    path: '/v1/orgs/:organizationId/translations/:translationSettingsId/languages/:translationLanguage',
    summary: 'Add or update a language of translation settings',
    params: languageParams,
    body: z.object({ instructions: TranslationInstructions }),
    response: TranslationLanguageSettings,
    success: 200,
  },
  deleteTranslationLanguage: {
    ...adminAccess,
    method: 'DELETE',
    path: '/v1/orgs/:organizationId/translations/:translationSettingsId/languages/:translationLanguage',
    summary: 'Remove a language from translation settings',
    params: languageParams,
    success: 205,
  },
});
