import type { RecordOf } from '@octavo/db';
import { runBatch, selection, siteCustomizations } from '@octavo/db';
import type { Context, Handler } from '@octavo/runtime';
import { presentSite } from '@octavo/runtime';
import type { PublishedSite, publishing } from '@octavo/schema';
import { aliasedTable, sql } from 'drizzle-orm';
import { presentCustomization } from '../customization/customization-record.ts';
import { shownCustomizations } from '../customization/shown-customizations.ts';
import type { PublishingEnvironment } from '../environment.ts';
import { presentScript, scriptsOf } from '../scripts/site-scripts.ts';
import type { SiteSpaceRecord } from '../site-spaces/site-space-record.ts';
import { presentStructure } from '../structure/present-structure.ts';
import { shownStructure } from '../structure/shown-structure.ts';
import { selectStructure, structureReader } from '../structure/structure-record.ts';

const c = aliasedTable(siteCustomizations, 'c');
const lookRow = selection({ siteSpace: c.siteSpace, settings: c.settings, updatedAt: c.updatedAt });

/** All that is needed to show the site, as the caller sees it. One round trip, and for a visitor one more where links of the site lead to pages. */
export const getPublishedContentSite: Handler<
  typeof publishing.getPublishedContentSite,
  PublishingEnvironment
> = async ({ query: { shareKey } }, context) => {
  const { db, site, actor, visitor, urls } = context;
  const isVisitor = visitor !== undefined;
  const { looks, scripts, ...all } = await runBatch(db, {
    scripts: scriptsOf(site.id, site.organization),
    ...selectStructure({ site, actor: structureReader(site, { actor, visitor }) }),
    looks: lookRow.query(sql`SELECT ${lookRow} FROM site_customizations c WHERE c.site = ${site.id}`),
  });
  const shown = shownStructure(all, visitor);
  const siteSpaces = isVisitor ? shown.siteSpaces.length : site.siteSpaces;
  return {
    object: 'published-content-site',
    site: presentSite(site, urls, { siteSpaces, shareKey }),
    structure: presentStructure(shown, { site, urls, shareKey, isVisitor }, all.sections.length > 0),
    customizations: await customizationsOf(looks, shown.siteSpaces, context),
    scripts: scripts.map((script) => presentScript(script, site.id, urls)),
  };
};

/** How the site looks, and each of the site spaces that are shown. */
async function customizationsOf(
  looks: RecordOf<typeof lookRow>[],
  siteSpaces: SiteSpaceRecord[],
  {
    env,
    absorb,
    visitor,
  }: Pick<Context<typeof publishing.getPublishedContentSite, PublishingEnvironment>, 'env' | 'absorb' | 'visitor'>,
): Promise<PublishedSite['customizations']> {
  const found = new Map(looks.map((look) => [look.siteSpace, look]));
  const whole = found.get('') ?? null;
  const home = siteSpaces.find(({ isDefault, section }) => isDefault && section?.isDefault !== false);
  const site = { settings: presentCustomization({ whole, own: null }), space: (home ?? siteSpaces[0])?.space.id };
  const own = siteSpaces.map(({ id, space }) => ({
    settings: presentCustomization({ whole, own: found.get(id) ?? null }),
    space: space.id,
  }));
  const showing = { env, absorb, visitor };
  const [first = site.settings, ...rest] = await shownCustomizations([site, ...own], showing);
  return {
    site: first,
    siteSpaces: Object.fromEntries(siteSpaces.map(({ id }, index) => [id, rest[index] ?? first])),
  };
}
