import { keyIn } from '@octavo/runtime';
import type { SiteExternalLink, SiteSection, SiteSectionGroup, SiteStructure } from '@octavo/schema';
import type { StructureView } from '../site-spaces/present-site-space.ts';
import { presentSiteSpace } from '../site-spaces/present-site-space.ts';
import type { Arranged, ArrangedGroup, ArrangedSection } from './arrange.ts';
import { arrange, siteSpacesInOrder } from './arrange.ts';
import type { LinkRecord, StructureRecord } from './structure-record.ts';

export function presentSection(record: ArrangedSection, view: StructureView): SiteSection {
  const { id, title, description, path, icon, condition, isDefault, group } = record;
  const place = { shareKey: keyIn(view.site, view.shareKey), section: { path, isDefault } };
  return {
    object: 'site-section',
    id,
    title,
    ...(description === null ? {} : { description }),
    default: isDefault,
    path,
    ...shownCondition(condition, view),
    ...(group === null ? {} : { sectionGroup: group }),
    ...(icon === null ? {} : { icon }),
    siteSpaces: record.siteSpaces.map((each) => presentSiteSpace(each, view)),
    urls: view.site.published ? { published: view.urls.published(view.site, place) } : {},
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
  ...shownCondition(record.condition, view),
});

const shownCondition = (condition: string | null, { isVisitor }: StructureView) =>
  condition === null || isVisitor ? {} : { condition };

export function presentGroup({ id, title, icon, children }: ArrangedGroup, view: StructureView): SiteSectionGroup {
  const shown = children.map((each) =>
    each.kind === 'section' ? presentSection(each, view) : presentLink(each, view),
  );
  return {
    object: 'site-section-group',
    id,
    title,
    ...(icon === null ? {} : { icon }),
    sections: shown.filter((each) => each.object === 'site-section'),
    children: shown,
  };
}

const presentArranged = (each: Arranged, view: StructureView) => {
  if (each.kind === 'section') return presentSection(each, view);
  return each.kind === 'group' ? presentGroup(each, view) : presentLink(each, view);
};

/** @param hasSections Also where none of them is shown. */
export function presentStructure(shown: StructureRecord, view: StructureView, hasSections: boolean): SiteStructure {
  if (hasSections) {
    return { type: 'sections', structure: arrange(shown).map((each) => presentArranged(each, view)) };
  }
  const siteSpaces = siteSpacesInOrder({ ...shown, sections: [], groups: [], links: [] });
  return { type: 'siteSpaces', structure: siteSpaces.map(({ item }) => presentSiteSpace(item, view)) };
}
