import type { SiteSpaceRecord } from '../site-spaces/site-space-record.ts';
import type { GroupRecord, LinkRecord, SectionRecord, StructureRecord } from './structure-record.ts';

/** A section with its site spaces. */
export interface ArrangedSection extends SectionRecord {
  kind: 'section';
  siteSpaces: SiteSpaceRecord[];
}
export interface ArrangedLink extends LinkRecord {
  kind: 'link';
}
export interface ArrangedGroup extends GroupRecord {
  kind: 'group';
  children: (ArrangedSection | ArrangedLink)[];
}
export type Arranged = ArrangedSection | ArrangedLink | ArrangedGroup;

interface Positioned {
  position: string;
  id: string;
}

/** Positions sort as bytes, as SQL sorts them. */
export const byPosition = (one: Positioned, other: Positioned): number =>
  one.position < other.position || (one.position === other.position && one.id < other.id) ? -1 : 1;

/** The top level of a site that has sections. */
export function arrange({ sections, groups, links, siteSpaces }: StructureRecord): Arranged[] {
  const bySection = Map.groupBy(siteSpaces, ({ section }) => section?.id);
  const items = [
    ...sections.map((each) => ({ ...each, kind: 'section' as const, siteSpaces: bySection.get(each.id) ?? [] })),
    ...links.map((each) => ({ ...each, kind: 'link' as const })),
  ].sort(byPosition);
  const known = new Set(groups.map(({ id }) => id));
  const byGroup = Map.groupBy(items, ({ group }) => (group !== null && known.has(group) ? group : null));
  const filled = groups.map((each) => ({ ...each, kind: 'group' as const, children: byGroup.get(each.id) ?? [] }));
  return [...(byGroup.get(null) ?? []), ...filled].sort(byPosition);
}

/** What is in a list, and its place in the order of the whole site. */
export interface Ordered<Item> {
  item: Item;
  order: string[];
}

/** The sections of a site, those of groups at the places of these. */
export const sectionsInOrder = (top: Arranged[]): Ordered<ArrangedSection>[] =>
  top.flatMap((each) => {
    const order = [each.position, each.id];
    if (each.kind === 'section') return [{ item: each, order: [...order, '', ''] }];
    if (each.kind === 'link') return [];
    return each.children.flatMap((child) =>
      child.kind === 'section' ? [{ item: child, order: [...order, child.position, child.id] }] : [],
    );
  });

/** The site spaces of a site, section by section. */
export function siteSpacesInOrder(structure: StructureRecord): Ordered<SiteSpaceRecord>[] {
  const none = ['', '', '', ''];
  const root = structure.siteSpaces
    .filter(({ section }) => section === null)
    .map((item) => ({ item, order: [...none, item.position, item.id] }));
  const inSections = sectionsInOrder(arrange(structure)).flatMap(({ item: { siteSpaces }, order }) =>
    siteSpaces.map((item) => ({ item, order: [...order, item.position, item.id] })),
  );
  return [...root, ...inSections];
}
