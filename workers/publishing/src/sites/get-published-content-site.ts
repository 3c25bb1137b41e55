import type { RecordOf } from '@octavo/db';
import { runBatch, selection, siteCustomizations } from '@octavo/db';
import { isShownTo } from '@octavo/expression';
import type { Handler } from '@octavo/runtime';
import type { PublishedSite, publishing, Visitor } from '@octavo/schema';
import { shownCustomization } from '@octavo/schema';
import { aliasedTable, sql } from 'drizzle-orm';
import { presentCustomization } from '../customization/customization-record.ts';
import type { PublishingEnvironment } from '../environment.ts';
import { presentStructure } from '../structure/present-structure.ts';
import { shownStructure } from '../structure/shown-structure.ts';
import { selectStructure, structureReader } from '../structure/structure-record.ts';
import { presentSite } from './present-site.ts';

const c = aliasedTable(siteCustomizations, 'c');
const lookRow = selection({ siteSpace: c.siteSpace, settings: c.settings, updatedAt: c.updatedAt });

/** All that is needed to show the site, as the caller sees it. One round trip. */
export const getPublishedContentSite: Handler<
  typeof publishing.getPublishedContentSite,
  PublishingEnvironment
> = async ({ query: { shareKey } }, { db, site, actor, visitor, urls }) => {
  const isVisitor = visitor !== undefined;
  const { looks, ...all } = await runBatch(db, {
    ...selectStructure({ site, actor: structureReader(site, { actor, visitor }) }),
    looks: lookRow.query(sql`SELECT ${lookRow} FROM site_customizations c WHERE c.site = ${site.id}`),
  });
  const shown = shownStructure(all, visitor);
  const siteSpaces = isVisitor ? shown.siteSpaces.length : site.siteSpaces;
  return {
    object: 'published-content-site',
    site: presentSite(site, urls, { siteSpaces, shareKey }),
    structure: presentStructure(shown, { site, urls, shareKey, isVisitor }, all.sections.length > 0),
    customizations: customizationsOf(
      looks,
      shown.siteSpaces.map(({ id }) => id),
      visitor,
    ),
    scripts: [],
  };
};

/** How the site looks, and each of the site spaces that are shown. */
function customizationsOf(
  looks: RecordOf<typeof lookRow>[],
  shown: string[],
  visitor: Visitor | undefined,
): PublishedSite['customizations'] {
  const found = new Map(looks.map((look) => [look.siteSpace, look]));
  const whole = found.get('') ?? null;
  const lookOf = (own: RecordOf<typeof lookRow> | null) => {
    const look = presentCustomization({ whole, own });
    return visitor === undefined ? look : shownCustomization(look, (condition) => isShownTo(condition, visitor.claims));
  };
  return {
    site: lookOf(null),
    siteSpaces: Object.fromEntries(shown.map((id) => [id, lookOf(found.get(id) ?? null)])),
  };
}
