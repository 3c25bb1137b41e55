import type { Check, Database, RecordOf } from '@octavo/db';
import {
  abortUnless,
  commitChecked,
  commitCheckedOnce,
  getOnlyRow,
  nullable,
  prepareStatement,
  readRow,
  readRows,
  retryOnConflict,
  selection,
  siteCustomizations,
  siteSpaces,
} from '@octavo/db';
import { isCondition } from '@octavo/expression';
import type { ActorContext, Settings } from '@octavo/runtime';
import { makeFileUrlsPermanent } from '@octavo/runtime';
import type { CustomizationChanges, Issue, NewEvent, OrganizationId, SiteCustomization, SiteId } from '@octavo/schema';
import {
  alignPageActions,
  countCustomizationBytes,
  describeBytes,
  invalid,
  maxCustomizationBytes,
  mergeCustomization,
  mergeCustomizations,
  notFound,
} from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { aliasedTable, sql } from 'drizzle-orm';
import { handler } from '../handler.ts';
import { presentCustomization } from '../sites/published-site.ts';

export const getSiteCustomizationById = handler('getSiteCustomizationById', async (_, { db, site }) =>
  presentCustomization(getOnlyRow(await readRows(db, customizationBySiteSpace(site.id, '')))),
);

export const updateSiteCustomizationById = handler(
  'updateSiteCustomizationById',
  async ({ body: changes }, context) => {
    const { site, env, db, commit } = context;
    requireValidCustomization(changes, env);
    const body = await makeFileUrlsPermanent(changes, site.organization, context);
    return writeCustomization(
      { site, siteSpace: '' },
      ({ whole }) =>
        mergeCustomization(
          {},
          alignPageActions(body, {
            before: mergeCustomizations(whole?.settings),
            after: mergeCustomizations(mergeCustomization({}, body)),
          }),
        ),
      { db, commit },
    );
  },
);

export const getSiteSpaceCustomizationById = handler(
  'getSiteSpaceCustomizationById',
  async ({ params }, { db, site }) => {
    const customization = await readRow(db, customizationBySiteSpace(site.id, params.siteSpaceId));
    if (customization === undefined) throw notFound('site space');
    return presentCustomization(customization);
  },
);

export const overrideSiteSpaceCustomizationById = handler(
  'overrideSiteSpaceCustomizationById',
  async ({ params, body: changes }, context) => {
    const { site, env, db, commit } = context;
    requireValidCustomization(changes, env);
    const body = await makeFileUrlsPermanent(changes, site.organization, context);
    return writeCustomization(
      { site, siteSpace: params.siteSpaceId },
      ({ whole, own }) => {
        const before = mergeCustomizations(whole?.settings, own?.settings);
        const after = mergeCustomizations(whole?.settings, mergeCustomization(own?.settings, body));
        return mergeCustomization(own?.settings, alignPageActions(body, { before, after }));
      },
      { db, commit },
    );
  },
);

export const deleteSiteSpaceCustomizationById = handler(
  'deleteSiteSpaceCustomizationById',
  async ({ params }, { site, db, commit }) => {
    const customized = { site, siteSpace: params.siteSpaceId };
    const remove = db.delete(siteCustomizations).where(sql`site = ${site.id} AND site_space = ${params.siteSpaceId}`);
    await commitChecked(db, [createTargetExistenceCheck(customized)], (guards) =>
      commit([...guards, remove], [createCustomizedEvent(customized)]),
    );
    return undefined;
  },
);

const siteTable = aliasedTable(siteCustomizations, 'whole');
const spaceTable = aliasedTable(siteCustomizations, 'own');

const toRow = (table: typeof siteTable) => nullable({ updatedAt: table.updatedAt, settings: table.settings });

const customizationRow = selection({
  siteSpace: nullable(aliasedTable(siteSpaces, 'ss').id),
  whole: toRow(siteTable),
  own: toRow(spaceTable),
});

/** The settings of a site and of one of its site spaces. */
type CustomizationRecord = RecordOf<typeof customizationRow>;

/** Returns one row if the site space is '' (the site itself) or belongs to the site. */
const customizationBySiteSpace = prepareStatement((site: SQL<SiteId>, siteSpace: SQL<string>) =>
  customizationRow.query(sql`
    SELECT ${customizationRow} FROM (SELECT ${siteSpace} AS id) asked
    LEFT JOIN site_spaces ss ON ss.id = asked.id AND ss.site = ${site}
    LEFT JOIN site_customizations whole ON whole.site = ${site} AND whole.site_space = ''
    LEFT JOIN site_customizations own ON own.site = ${site} AND own.site_space = ss.id
    WHERE asked.id = '' OR ss.id IS NOT NULL`),
);

interface CustomizationTarget {
  site: { id: SiteId; organization: OrganizationId };
  /** The id of the site space; '' for the site itself. */
  siteSpace: string;
}

type WriteContext = { db: Database } & Pick<ActorContext, 'commit'>;
type Change = (before: CustomizationRecord) => CustomizationChanges;

/**
 * Computes settings from the current ones and writes them. Retries if the current ones change meanwhile. @throws
 * ApiError not_found, invalid
 */
const writeCustomization = (
  customized: CustomizationTarget,
  change: Change,
  context: WriteContext,
): Promise<SiteCustomization> => retryOnConflict(() => writeOnce(customized, change, context));

async function writeOnce(
  customized: CustomizationTarget,
  change: Change,
  { db, commit }: WriteContext,
): Promise<SiteCustomization> {
  const { site, siteSpace } = customized;
  const before = await readRow(db, customizationBySiteSpace(site.id, siteSpace));
  if (before === undefined) throw notFound('site space');
  const last = (siteSpace === '' ? before.whole : before.own)?.updatedAt ?? null;
  const stored = { settings: limitSize(change(before)), updatedAt: Math.max(Date.now(), (last ?? 0) + 1) };
  const isAsBefore = sql`(SELECT c.updated_at FROM site_customizations c
    WHERE c.site = ${site.id} AND c.site_space = ${siteSpace}) IS ${last}`;
  const upsert = db
    .insert(siteCustomizations)
    .values({ site: site.id, siteSpace, ...stored })
    .onConflictDoUpdate({ target: [siteCustomizations.site, siteCustomizations.siteSpace], set: stored });
  await commitCheckedOnce(db, [createTargetExistenceCheck(customized)], (guards) =>
    commit([...guards, abortUnless(db, isAsBefore), upsert], [createCustomizedEvent(customized)]),
  );
  return presentCustomization(siteSpace === '' ? { ...before, whole: stored } : { ...before, own: stored });
}

/** The limit applies to the merged settings, not only to the request. */
function limitSize(settings: CustomizationChanges): CustomizationChanges {
  if (countCustomizationBytes(settings) <= maxCustomizationBytes) return settings;
  const message = `must have at most ${describeBytes(maxCustomizationBytes)} as JSON, including the existing settings`;
  throw invalid([{ path: 'body', message }]);
}

const createTargetExistenceCheck = ({ site, siteSpace }: CustomizationTarget): Check => ({
  condition:
    siteSpace === ''
      ? sql`EXISTS (SELECT 1 FROM sites WHERE id = ${site.id})`
      : sql`EXISTS (SELECT 1 FROM site_spaces WHERE id = ${siteSpace} AND site = ${site.id})`,
  createError: () => notFound(siteSpace === '' ? 'site' : 'site space'),
});

const createCustomizedEvent = ({ site, siteSpace }: CustomizationTarget): NewEvent => ({
  type: 'site.customized',
  organization: site.organization,
  data: { site: site.id, ...(siteSpace === '' ? {} : { siteSpace }) },
});

type NamedUrl = [place: string, url: string | null | undefined];

const toThemedImages = (field: string, urls: { light: string; dark: string } | null | undefined): NamedUrl[] => [
  [`${field}.light`, urls?.light],
  [`${field}.dark`, urls?.dark],
];

function listFontFiles({ styling }: CustomizationChanges): NamedUrl[] {
  return (['font', 'headingFont', 'monospaceFont'] as const).flatMap((name) => {
    const font = styling?.[name];
    const faces = typeof font === 'object' ? (font?.fontFaces ?? []) : [];
    return faces.flatMap(({ sources }, face) =>
      sources.map(({ url }, index): NamedUrl => [`styling.${name}.fontFaces.${face}.sources.${index}.url`, url]),
    );
  });
}

const listFileUrls = (settings: CustomizationChanges): NamedUrl[] => [
  ...toThemedImages('favicon.icon', settings.favicon && 'icon' in settings.favicon ? settings.favicon.icon : undefined),
  ...toThemedImages('header.logo', settings.header?.logo),
  ...toThemedImages('footer.logo', settings.footer?.logo),
  ['socialPreview.url', settings.socialPreview?.url],
  ...listFontFiles(settings),
];

/** Images and fonts must be loaded over https, or from this server, which may use plain http. */
function findFileFaults(settings: CustomizationChanges, { OCTAVO_PUBLIC_URL: base }: Settings): Issue[] {
  const origin = new URL(base).origin;
  return listFileUrls(settings).flatMap(([field, url]) => {
    if (url == null || url.startsWith('https:') || new URL(url).origin === origin) return [];
    return [{ path: `body.${field}`, message: 'must be an https URL' }];
  });
}

const findConditionFaults = ({ header }: CustomizationChanges): Issue[] =>
  (header?.links ?? []).flatMap(({ condition }, index) =>
    condition === undefined || isCondition(condition)
      ? []
      : [{ path: `body.header.links.${index}.condition`, message: 'must be an expression that uses visitor.claims' }],
  );

/** @throws ApiError invalid */
function requireValidCustomization(settings: CustomizationChanges, env: Settings): void {
  const faults = [...findFileFaults(settings, env), ...findConditionFaults(settings)];
  if (faults.length > 0) throw invalid(faults.slice(0, 20));
}
