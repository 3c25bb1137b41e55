import type { Parameter, RecordOf } from '@octavo/db';
import { prepareQuery, runBatch, selection, siteCustomizations } from '@octavo/db';
import { isShownTo } from '@octavo/expression';
import type { Context } from '@octavo/runtime';
import { presentSite } from '@octavo/runtime';
import type {
  PublishedSite,
  publishing,
  SiteCustomization,
  SiteId,
  SiteLink,
  SpaceId,
  VisibilityTarget,
} from '@octavo/schema';
import { getLinkTargets, toVisibleCustomization } from '@octavo/schema';
import { aliasedTable, eq } from 'drizzle-orm';
import { presentCustomization } from '../customization/customization.ts';
import type { PublishingEnvironment } from '../environment.ts';
import { handler } from '../handler.ts';
import { presentScript, selectScripts } from '../scripts/scripts.ts';
import { presentStructure } from '../structure/presenter.ts';
import type { SiteSpaceRecord } from '../structure/queries.ts';
import { filterStructure, getStructureReader, selectStructure } from '../structure/queries.ts';

const c = aliasedTable(siteCustomizations, 'c');
const lookRow = selection({ siteSpace: c.siteSpace, settings: c.settings, updatedAt: c.updatedAt });
const customizationsBySite = prepareQuery(lookRow, (select, site: Parameter<SiteId>) =>
  select.from(c).where(eq(c.site, site)),
);

/**
 * Returns everything needed to render the site for the caller. One round trip, and one more for a visitor if the site's
 * links refer to pages.
 */
export const getPublishedContentSite = handler('getPublishedContentSite', ({ query: { shareKey } }, context) =>
  readPublishedSite(shareKey, context),
);

type PublishedContext = Context<typeof publishing.getPublishedContentSite, PublishingEnvironment>;
type SiteContext = Pick<PublishedContext, 'db' | 'site' | 'visitor' | 'urls' | 'env' | 'callWorker'> &
  Partial<Pick<PublishedContext, 'actor'>>;

/** Reads a site for a caller who is authorized to see it. */
export async function readPublishedSite(shareKey: string | undefined, context: SiteContext): Promise<PublishedSite> {
  const { db, site, actor, visitor, urls } = context;
  const isVisitor = visitor !== undefined;
  const { looks, scripts, ...all } = await runBatch(db, {
    scripts: selectScripts(site.id, site.organization),
    ...selectStructure({ site, actor: getStructureReader(site, { actor, visitor }) }),
    looks: customizationsBySite(site.id),
  });
  const visibleStructure = filterStructure(all, visitor);
  const siteSpaces = isVisitor ? visibleStructure.siteSpaces.length : site.siteSpaces;
  return {
    object: 'published-content-site',
    site: presentSite(site, urls, { siteSpaces, shareKey }),
    structure: presentStructure(visibleStructure, { site, urls, shareKey, isVisitor }, all.sections.length > 0),
    customizations: await readCustomizations(looks, visibleStructure.siteSpaces, context),
    scripts: scripts.map((script) => presentScript(script, site.id, urls)),
  };
}

/** Reads the customizations of the site and of each visible site space. */
async function readCustomizations(
  looks: RecordOf<typeof lookRow>[],
  siteSpaces: SiteSpaceRecord[],
  viewer: Viewer,
): Promise<PublishedSite['customizations']> {
  const customizations = new Map(looks.map((customization) => [customization.siteSpace, customization]));
  const siteCustomization = customizations.get('') ?? null;
  const home = siteSpaces.find(({ isDefault, section }) => isDefault && section?.isDefault !== false);
  const site = {
    settings: presentCustomization({ whole: siteCustomization, own: null }),
    space: (home ?? siteSpaces[0])?.space.id,
  };
  const ownCustomizations = siteSpaces.map(({ id, space }) => ({
    settings: presentCustomization({ whole: siteCustomization, own: customizations.get(id) ?? null }),
    space: space.id,
  }));
  const [first = site.settings, ...rest] = await filterCustomizations([site, ...ownCustomizations], viewer);
  return {
    site: first,
    siteSpaces: Object.fromEntries(siteSpaces.map(({ id }, index) => [id, rest[index] ?? first])),
  };
}

/** A customization, with the space that its links refer to by default. */
interface CustomizedSpace {
  settings: SiteCustomization;
  space: SpaceId | undefined;
}

type Viewer = Pick<SiteContext, 'env' | 'callWorker' | 'visitor'>;

/** Maximum number of link targets looked up. Links beyond this limit are left out. */
const maxLinkTargets = 500;

/**
 * Returns the page or space that must be visible for a link to work. Collections and specifications have no URL in a
 * site.
 */
function getTarget(to: SiteLink, home: SpaceId | undefined): VisibilityTarget | undefined {
  if (to.kind === 'url' || to.kind === 'collection' || to.kind === 'openapi') return undefined;
  const space = (to.space as SpaceId | undefined) ?? home;
  if (space === undefined) return undefined;
  return to.kind === 'page' || to.kind === 'anchor' ? { space, page: to.page } : { space };
}

const getTargetKey = ({ space, page }: VisibilityTarget): string => `${space} ${page ?? ''}`;

/**
 * Removes the parts of customizations that a visitor may not see, such as links to hidden pages. Calls the content
 * worker once if any link refers to a page or space.
 */
async function filterCustomizations(
  looks: CustomizedSpace[],
  { env, callWorker, visitor }: Viewer,
): Promise<SiteCustomization[]> {
  if (visitor === undefined) return looks.map(({ settings }) => settings);
  const isShown = (condition: string | undefined) => isShownTo(condition, visitor.claims);
  const targetsByKey = new Map(
    looks.flatMap(({ settings, space }) =>
      getLinkTargets(settings, isShown).flatMap((to) => {
        const target = getTarget(to, space);
        return target === undefined ? [] : [[getTargetKey(target), target] as const];
      }),
    ),
  );
  const targets = [...targetsByKey.values()].slice(0, maxLinkTargets);
  const visibility =
    targets.length === 0 ? [] : await callWorker((bookmark) => env.CONTENT.areShown({ visitor, targets }, bookmark));
  const visibleKeys = new Set(targets.filter((_, index) => visibility[index]).map(getTargetKey));
  return looks.map(({ settings, space }) =>
    toVisibleCustomization(settings, {
      isConditionMet: isShown,
      isTargetVisible: (to) => {
        const target = getTarget(to, space);
        return to.kind === 'url' || (target !== undefined && visibleKeys.has(getTargetKey(target)));
      },
    }),
  );
}
