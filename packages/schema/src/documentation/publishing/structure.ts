import { ids, siteUrl, space } from '../acme.ts';
import type { ResourceDocumentation } from '../documentation.ts';

export const siteSpace = {
  object: 'site-space',
  id: ids.siteSpace,
  path: 'guide',
  section: ids.section,
  space,
  title: 'User guide',
  default: true,
  hasAdvancedCustomizationFeature: true,
  urls: { published: siteUrl },
} as const;

export const section = {
  object: 'site-section',
  id: ids.section,
  title: 'Guides',
  description: 'Learn how to use Acme',
  default: true,
  path: 'guides',
  icon: 'book-open',
  siteSpaces: [siteSpace],
  urls: { published: siteUrl },
} as const;

export const externalLink = {
  object: 'site-external-link',
  id: ids.externalLink,
  title: 'Status',
  icon: 'signal',
  url: 'https://status.acme.example',
  draft: false,
} as const;

export const sectionGroup = {
  object: 'site-section-group',
  id: ids.sectionGroup,
  title: 'Developers',
  icon: 'code',
  sections: [{ ...section, sectionGroup: ids.sectionGroup }],
  children: [{ ...section, sectionGroup: ids.sectionGroup }],
} as const;

/** Descriptions that all items of a site's structure share. */
export const conditionText =
  'The expression over the claims of the visitor that must be true for the item to be visible. Absent if there is ' +
  'none, and for visitors.';
export const shareKey = 'The key of a share link, which is added to URLs of a site with the visibility `share-link`.';

/** Describes the `position` of a move operation; `id` is the name of the field with the sibling's id. */
export const documentPosition = (kind: string, id: string): Record<string, string> => ({
  position: 'The new position among the siblings. If omitted, the item moves to the end.',
  'position.before': `The sibling that the item is placed before.`,
  'position.before.type': 'The kind of the sibling.',
  [`position.before.${id}`]: `The id of the ${kind}.`,
  'position.after': `The sibling that the item is placed after.`,
  'position.after.type': 'The kind of the sibling.',
  [`position.after.${id}`]: `The id of the ${kind}.`,
});

const structureType = 'Whether the site has sections or only site spaces.';

export const structure: ResourceDocumentation = {
  operations: {
    getSiteStructure: {
      description:
        'Returns the structure of a site: its sections, section groups and external links in navigation order, or ' +
        'its site spaces if it has no sections. Site spaces that the caller cannot see are left out.',
      parameters: { shareKey },
    },
    sortSiteStructure: {
      description:
        'Moves a site space, section, section group or external link among its siblings. It cannot move an item ' +
        'into or out of a section or group. Returns the moved item. Returns 400 if the sibling does not exist.',
      body: {
        item: 'The item to move.',
        'item.type': 'The kind of the item.',
        'item.id': 'The id of the item.',
        ...documentPosition('sibling', 'id'),
      },
      example: {
        body: {
          item: { type: 'site-section', id: ids.section },
          position: { before: { type: 'site-section-group', id: ids.sectionGroup } },
        },
        response: section,
      },
    },
  },
  schemas: {
    SiteStructure: {
      description: 'The structure of a site, in navigation order.',
      properties: {
        type: structureType,
        structure: 'The items of the top level: sections, section groups and external links, or site spaces.',
      },
      example: { type: 'sections', structure: [section, externalLink] },
    },
  },
};
