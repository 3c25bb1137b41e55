import { decodeCursor, paginate } from '@octavo/db';
import { getShareKey, presentSpace, presentToVisitor } from '@octavo/runtime';
import type {
  List,
  PageQuery,
  SiteExternalLink,
  SiteSection,
  SiteSectionGroup,
  SiteSpace,
  SiteStructure,
  Space,
} from '@octavo/schema';
import type {
  GroupRecord,
  LinkRecord,
  SectionRecord,
  SiteSpaceRecord,
  StructureRecord,
  StructureView,
} from './queries.ts';

export function presentSection(record: ArrangedSection, view: StructureView): SiteSection {
  const { id, title, description, path, icon, condition, isDefault, group } = record;
  const location = { shareKey: getShareKey(view.site, view.shareKey), section: { path, isDefault } };
  return {
    object: 'site-section',
    id,
    title,
    ...(description === null ? {} : { description }),
    default: isDefault,
    path,
    ...presentCondition(condition, view),
    ...(group === null ? {} : { sectionGroup: group }),
    ...(icon === null ? {} : { icon }),
    siteSpaces: record.siteSpaces.map((each) => presentSiteSpace(each, view)),
    urls: view.site.published ? { published: view.urls.published(view.site, location) } : {},
  };
}

export const presentLink = (record: LinkRecord, view: StructureView): SiteExternalLink => ({
  object: 'site-external-link',
  id: record.id,
  title: record.title,
  ...(record.description === null ? {} : { description: record.description }),
  ...(record.icon === null ? {} : { icon: record.icon }),
  url: record.url,
  ...(record.group === null ? {} : { sectionGroup: record.group }),
  draft: false,
  ...presentCondition(record.condition, view),
});

const presentCondition = (condition: string | null, { isVisitor }: StructureView) =>
  condition === null || isVisitor ? {} : { condition };

export function presentGroup({ id, title, icon, children }: ArrangedGroup, view: StructureView): SiteSectionGroup {
  const presented = children.map((each) =>
    each.kind === 'section' ? presentSection(each, view) : presentLink(each, view),
  );
  return {
    object: 'site-section-group',
    id,
    title,
    ...(icon === null ? {} : { icon }),
    sections: presented.filter((each) => each.object === 'site-section'),
    children: presented,
  };
}

const presentItem = (arranged: ArrangedItem, view: StructureView) => {
  if (arranged.kind === 'section') return presentSection(arranged, view);
  return arranged.kind === 'group' ? presentGroup(arranged, view) : presentLink(arranged, view);
};

/** @param hasSections Whether the site has sections, even if none of them is shown. */
export function presentStructure(structure: StructureRecord, view: StructureView, hasSections: boolean): SiteStructure {
  if (hasSections) {
    return { type: 'sections', structure: buildTopLevel(structure).map((arranged) => presentItem(arranged, view)) };
  }
  const siteSpaces = orderSiteSpaces({ ...structure, sections: [], groups: [], links: [] });
  return { type: 'siteSpaces', structure: siteSpaces.map(({ item }) => presentSiteSpace(item, view)) };
}

/** Visitors get the URL of the space in the site they visit. */
function presentPublishedUrls(
  { space, section, path, isDefault }: SiteSpaceRecord,
  { site, urls, shareKey }: StructureView,
): Space {
  const location = {
    ...site,
    site: site.id,
    section: section === null || section.isDefault ? null : section.path,
    siteSpace: isDefault ? null : path,
  };
  return presentToVisitor({ ...space, publishedAt: site.published ? location : null }, urls, {
    shareKey: getShareKey(site, shareKey),
    hasEditLinks: site.editLinks,
  });
}

export function presentSiteSpace(record: SiteSpaceRecord, view: StructureView): SiteSpace {
  const { site, urls, shareKey, isVisitor } = view;
  const { id, path, condition, isDefault, section } = record;
  const location = {
    shareKey: getShareKey(site, shareKey),
    section: section ?? undefined,
    siteSpace: { path, isDefault },
  };
  return {
    object: 'site-space',
    id,
    path,
    ...(section === null ? {} : { section: section.id }),
    space: isVisitor ? presentPublishedUrls(record, view) : presentSpace(record.space, record.role, urls),
    title: record.space.title,
    default: isDefault,
    ...(condition === null || isVisitor ? {} : { condition }),
    hasAdvancedCustomizationFeature: true,
    urls: site.published ? { published: urls.published(site, location) } : {},
  };
}

/** A section with its site spaces. */
interface ArrangedSection extends SectionRecord {
  kind: 'section';
  siteSpaces: SiteSpaceRecord[];
}
interface ArrangedLink extends LinkRecord {
  kind: 'link';
}
interface ArrangedGroup extends GroupRecord {
  kind: 'group';
  children: (ArrangedSection | ArrangedLink)[];
}
type ArrangedItem = ArrangedSection | ArrangedLink | ArrangedGroup;

interface PositionedItem {
  position: string;
  id: string;
}

/** Compares positions by bytes, like SQL. */
export const comparePositions = (one: PositionedItem, other: PositionedItem): number =>
  one.position < other.position || (one.position === other.position && one.id < other.id) ? -1 : 1;

/** Builds the top level of a site with sections. */
export function buildTopLevel({ sections, groups, links, siteSpaces }: StructureRecord): ArrangedItem[] {
  const bySection = Map.groupBy(siteSpaces, ({ section }) => section?.id);
  const items = [
    ...sections.map((each) => ({ ...each, kind: 'section' as const, siteSpaces: bySection.get(each.id) ?? [] })),
    ...links.map((each) => ({ ...each, kind: 'link' as const })),
  ].sort(comparePositions);
  const groupIds = new Set(groups.map(({ id }) => id));
  const byGroup = Map.groupBy(items, ({ group }) => (group !== null && groupIds.has(group) ? group : null));
  const filled = groups.map((each) => ({ ...each, kind: 'group' as const, children: byGroup.get(each.id) ?? [] }));
  return [...(byGroup.get(null) ?? []), ...filled].sort(comparePositions);
}

/** A list item with its sort key within the site. */
interface Ordered<Item> {
  item: Item;
  order: string[];
}

/** Returns the sections of a site in navigation order. */
export const orderSections = (top: ArrangedItem[]): Ordered<ArrangedSection>[] =>
  top.flatMap((arranged) => {
    const order = [arranged.position, arranged.id];
    if (arranged.kind === 'section') return [{ item: arranged, order: [...order, '', ''] }];
    if (arranged.kind === 'link') return [];
    return arranged.children.flatMap((child) =>
      child.kind === 'section' ? [{ item: child, order: [...order, child.position, child.id] }] : [],
    );
  });

/** Returns the site spaces of a site in navigation order. */
export function orderSiteSpaces(structure: StructureRecord): Ordered<SiteSpaceRecord>[] {
  const emptyCells = ['', '', '', ''];
  const root = structure.siteSpaces
    .filter(({ section }) => section === null)
    .map((item) => ({ item, order: [...emptyCells, item.position, item.id] }));
  const inSections = orderSections(buildTopLevel(structure)).flatMap(({ item: { siteSpaces }, order }) =>
    siteSpaces.map((item) => ({ item, order: [...order, item.position, item.id] })),
  );
  return [...root, ...inSections];
}

interface PageFormat<Item, Given> {
  /** The number of elements in `order`. */
  depth: number;
  present: (item: Item) => Given;
}

/** Returns one page of a list that is in memory. The cursor is a sort key, so it stays valid if the item is deleted. */
export function paginateItems<Item, Given>(
  all: Ordered<Item>[],
  { page, limit }: PageQuery,
  { depth, present }: PageFormat<Item, Given>,
): List<Given> {
  const cursor = decodeCursor(page, Array<'string'>(depth).fill('string'));
  const rest = cursor === undefined ? all : all.filter(({ order }) => isAfter(order, cursor));
  return paginate(rest, limit, { item: ({ item }) => present(item), getCursor: ({ order }) => order });
}

function isAfter(order: string[], cursor: (string | number)[]): boolean {
  const at = order.findIndex((part, index) => part !== cursor[index]);
  return at >= 0 && (order[at] ?? '') > String(cursor[at] ?? '');
}
