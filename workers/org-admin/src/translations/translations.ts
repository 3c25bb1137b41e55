import type { Check, Parameter, RecordOf } from '@octavo/db';
import {
  commitChecked,
  computed,
  decodeCursor,
  decodeTimeCursor,
  fromJson,
  getOnlyRow,
  paginate,
  prepareQuery,
  readRow,
  readRows,
  runBatch,
  selection,
  translationLanguages,
  translationSettings,
} from '@octavo/db';
import type { Urls } from '@octavo/runtime';
import type {
  OrganizationId,
  TranslationLanguage,
  TranslationLanguageSettings,
  TranslationSettings,
} from '@octavo/schema';
import { createId, formatTimestamp, notFound } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { aliasedTable, and, desc, eq, sql } from 'drizzle-orm';
import { handler } from '../handler.ts';

export const listTranslationSettings = handler(
  'listTranslationSettings',
  async ({ query }, { db, organization, urls }) => {
    const languages = await readRows(
      db,
      settingsOfOrganization(organization.id, ...decodeTimeCursor(query.page), query.limit + 1),
    );
    return paginate(languages, query.limit, {
      item: (settings) => presentSettings(settings, urls),
      getCursor: ({ createdAt, id }) => [createdAt, id],
    });
  },
);

export const createTranslationSettings = handler(
  'createTranslationSettings',
  async ({ body: { title } }, { db, organization: { id: organization }, commit, urls }) => {
    const id = createId('translation');
    const now = Date.now();
    await commit(
      [db.insert(translationSettings).values({ id, organization, title, createdAt: now, updatedAt: now })],
      [{ type: 'translation.created', organization, data: { translation: id } }],
    );
    return presentSettings({ id, organization, title, createdAt: now, updatedAt: now, languages: [] }, urls);
  },
);

export const getTranslationSettings = handler(
  'getTranslationSettings',
  async ({ params }, { db, organization, urls }) => {
    const key = { organization: organization.id, id: params.translationSettingsId };
    const settings = await readRow(db, settingsById(key.organization, key.id));
    if (settings === undefined) throw notFound('translation settings');
    return presentSettings(settings, urls);
  },
);

export const updateTranslationSettings = handler(
  'updateTranslationSettings',
  async ({ params, body: { title } }, { db, organization, commit, urls }) => {
    const key = { organization: organization.id, id: params.translationSettingsId };
    const rename = db.update(translationSettings).set({ title }).where(isSettings(key));
    const write = [rename, db.run(touchSettings(key))];
    const { renamed } = await commitChecked(db, [createSettingsExistenceCheck(key)], (guards) =>
      commit({ guards, write, renamed: settingsById(key.organization, key.id) }, [
        { type: 'translation.updated', organization: key.organization, data: { translation: key.id } },
      ]),
    );
    return presentSettings(getOnlyRow(renamed), urls);
  },
);

export const deleteTranslationSettings = handler(
  'deleteTranslationSettings',
  async ({ params }, { db, organization, commit }) => {
    const key = { organization: organization.id, id: params.translationSettingsId };
    await commitChecked(db, [createSettingsExistenceCheck(key)], (guards) =>
      commit(
        [...guards, db.delete(translationSettings).where(isSettings(key))],
        [{ type: 'translation.deleted', organization: key.organization, data: { translation: key.id } }],
      ),
    );
    return undefined;
  },
);

export const listTranslationLanguages = handler(
  'listTranslationLanguages',
  async ({ params, query }, { db, organization, urls }) => {
    const key = { organization: organization.id, id: params.translationSettingsId };
    const [language = ''] = decodeCursor(query.page, ['string']) ?? [];
    const { settings, languages } = await runBatch(db, {
      settings: settingsById(key.organization, key.id),
      languages: languagesAfter(key.organization, key.id, String(language), query.limit + 1),
    });
    if (settings.length === 0) throw notFound('translation settings');
    return paginate(languages, query.limit, {
      item: (language) => presentLanguage(language, key, urls),
      getCursor: (language) => [language.language],
    });
  },
);

export const getTranslationLanguage = handler(
  'getTranslationLanguage',
  async ({ params }, { db, organization, urls }) => {
    const key = { organization: organization.id, id: params.translationSettingsId };
    const language = await readRow(db, languageOf(key.organization, key.id, params.translationLanguage));
    if (language === undefined) throw notFound('translation language');
    return presentLanguage(language, key, urls);
  },
);

export const createOrUpdateTranslationLanguage = handler(
  'createOrUpdateTranslationLanguage',
  async ({ params, body }, { db, organization, commit, urls }) => {
    const key = { organization: organization.id, id: params.translationSettingsId };
    const language = params.translationLanguage;
    const { instructions } = body;
    const put = db
      .insert(translationLanguages)
      .values({ settings: key.id, language, instructions })
      .onConflictDoUpdate({
        target: [translationLanguages.settings, translationLanguages.language],
        set: { instructions },
      });
    await commitChecked(db, [createSettingsExistenceCheck(key)], (guards) =>
      commit(
        [...guards, put, db.run(touchSettings(key))],
        [{ type: 'translation.updated', organization: key.organization, data: { translation: key.id } }],
      ),
    );
    return presentLanguage({ language, instructions }, key, urls);
  },
);

export const deleteTranslationLanguage = handler(
  'deleteTranslationLanguage',
  async ({ params }, { db, organization, commit }) => {
    const key = { organization: organization.id, id: params.translationSettingsId };
    const it = sql`settings = ${key.id} AND language = ${params.translationLanguage}`;
    const createNotFound = () => notFound('translation language');
    const checks = [
      { ...createSettingsExistenceCheck(key), createError: createNotFound },
      { condition: sql`EXISTS (SELECT 1 FROM translation_languages WHERE ${it})`, createError: createNotFound },
    ];
    await commitChecked(db, checks, (guards) =>
      commit(
        [...guards, db.delete(translationLanguages).where(it), db.run(touchSettings(key))],
        [{ type: 'translation.updated', organization: key.organization, data: { translation: key.id } }],
      ),
    );
    return undefined;
  },
);

/** Identifies translation settings by the organization and id of the path. */
interface SettingsKey {
  organization: OrganizationId;
  id: string;
}

const t = aliasedTable(translationSettings, 't');

const settingsRow = selection({
  id: t.id,
  organization: t.organization,
  title: t.title,
  createdAt: t.createdAt,
  updatedAt: t.updatedAt,
  languages: computed(
    fromJson<TranslationLanguage[]>(),
    sql`(SELECT json_group_array(l.language ORDER BY l.language) FROM translation_languages l WHERE l.settings = t.id)`,
  ),
});

type SettingsRecord = RecordOf<typeof settingsRow>;

const settingsById = prepareQuery(
  settingsRow,
  (select, organization: Parameter<OrganizationId>, id: Parameter<string>) =>
    select.from(t).where(and(eq(t.id, id), eq(t.organization, organization))),
);

const settingsOfOrganization = prepareQuery(
  settingsRow,
  (
    select,
    organization: Parameter<OrganizationId>,
    time: Parameter<number>,
    id: Parameter<string>,
    limit: Parameter<number>,
  ) =>
    select
      .from(t)
      .where(and(eq(t.organization, organization), sql`(${t.createdAt}, ${t.id}) < (${time}, ${id})`))
      .orderBy(desc(t.createdAt), desc(t.id))
      .limit(limit),
);

/** A condition for statements that use only `translation_settings`. */
const isSettings = ({ organization, id }: SettingsKey): SQL => sql`id = ${id} AND organization = ${organization}`;

const createSettingsExistenceCheck = (key: SettingsKey): Check => ({
  condition: sql`EXISTS (SELECT 1 FROM translation_settings WHERE ${isSettings(key)})`,
  createError: () => notFound('translation settings'),
});

/** Sets the update time, which increases even with two changes within a millisecond. */
const touchSettings = (key: SettingsKey): SQL => sql`UPDATE translation_settings
  SET updated_at = MAX(updated_at + 1, ${Date.now()}) WHERE ${isSettings(key)}`;

const getSettingsPath = ({ organization, id }: SettingsKey): string => `/orgs/${organization}/translations/${id}`;

/** Only admins see translation settings, and they may change them. */
const presentSettings = (settings: SettingsRecord, urls: Urls): TranslationSettings => ({
  object: 'translation-settings',
  id: settings.id,
  title: settings.title,
  languages: settings.languages,
  createdAt: formatTimestamp(settings.createdAt),
  updatedAt: formatTimestamp(settings.updatedAt),
  permissions: { view: true, edit: true },
  urls: { location: urls.location(getSettingsPath(settings)) },
});

const l = aliasedTable(translationLanguages, 'l');

const languageRow = selection({
  language: l.language,
  instructions: l.instructions,
});

const languageOf = prepareQuery(
  languageRow,
  (
    select,
    organization: Parameter<OrganizationId>,
    settings: Parameter<string>,
    language: Parameter<TranslationLanguage>,
  ) =>
    select
      .from(t)
      .crossJoin(l)
      .where(and(eq(t.id, settings), eq(t.organization, organization), eq(l.settings, t.id), eq(l.language, language))),
);

const languagesAfter = prepareQuery(
  languageRow,
  (
    select,
    organization: Parameter<OrganizationId>,
    settings: Parameter<string>,
    language: Parameter<string>,
    limit: Parameter<number>,
  ) =>
    select
      .from(t)
      .crossJoin(l)
      .where(
        and(
          eq(t.id, settings),
          eq(t.organization, organization),
          eq(l.settings, t.id),
          sql`${l.language} > ${language}`,
        ),
      )
      .orderBy(l.language)
      .limit(limit),
);

const presentLanguage = (
  { language, instructions }: RecordOf<typeof languageRow>,
  settings: SettingsKey,
  urls: Urls,
): TranslationLanguageSettings => ({
  object: 'translation-language-settings',
  language,
  instructions,
  urls: { location: urls.location(`${getSettingsPath(settings)}/languages/${language}`) },
});
