import { ids } from '../acme.ts';
import type { ResourceDocumentation } from '../documentation.ts';
import { conditionText, documentPosition, section, sectionGroup, shareKey } from './structure.ts';

const icon = 'The name of an icon of the icon set.';

export const sections: ResourceDocumentation = {
  operations: {
    listSiteSections: {
      description:
        'Lists the sections of a site, in navigation order, including those in groups. For visitors, hidden ' +
        'sections are omitted.',
      parameters: { shareKey },
    },
    addSectionToSite: {
      description:
        'Adds a section with a first space to a site. If the site has no sections yet, its site spaces first move ' +
        'into a section that has the title of the site. The path is derived from the title. The caller must be able ' +
        'to see the space. A site can have at most 100 sections.',
      body: {
        spaceId: 'The id of the first space of the section.',
        title: 'The name of the section. If omitted or null, it is the title of the space.',
        icon,
      },
      example: { body: { spaceId: ids.space, title: 'Guides', icon: 'book-open' } },
    },
    updateSiteSectionById: {
      description:
        'Changes a section. Omitted fields are unchanged. Returns 409 if another section has the path. Earlier ' +
        'paths redirect to the current one. A section that moves into or out of a group is placed last.',
      body: {
        title: 'The name of the section.',
        path: 'The path segment in URLs, unique in the site. The URL of the default section omits it.',
        defaultSiteSpace: 'The id of the site space to show at the root of the section.',
        condition:
          'The expression over the claims of the visitor that must be true for the section to be visible. ' +
          'Null removes it.',
        icon: `${icon} Null removes it.`,
        description: 'A short description of the section. Null removes it.',
        siteSectionGroupId: 'The id of the section group to move the section into. Null moves it to the top level.',
      },
      example: { body: { title: 'Guides', description: 'Learn how to use Acme' } },
    },
    deleteSiteSectionById: {
      description:
        'Deletes a section with its site spaces. The spaces themselves are not deleted. If the section was the ' +
        'default, the first remaining one becomes the default.',
    },
    moveSiteSection: {
      description: 'Moves a section among its siblings. Use the operation that sorts the structure of a site instead.',
      body: documentPosition('section', 'siteSection'),
      example: { body: { position: { after: { type: 'site-section', siteSection: ids.section } } } },
    },
    listSiteSectionGroups: { description: 'Lists the section groups of a site, in navigation order.' },
    addSectionGroupToSite: {
      description:
        'Adds a section group to the top level of a site. The site must have sections, otherwise the request ' +
        'returns 409. A site can have at most 50 groups.',
      body: {
        title: 'The name of the group.',
        icon,
        sections: 'The ids of sections to move into the group, in this order.',
      },
      example: { body: { title: 'Developers', icon: 'code', sections: [ids.section] } },
    },
    updateSiteSectionGroupById: {
      description: 'Changes the title or the icon of a section group. Omitted fields are unchanged.',
      body: { title: 'The name of the group.', icon: `${icon} Null removes it.` },
      example: { body: { title: 'Developers' } },
    },
    deleteSiteSectionGroupById: {
      description: 'Deletes a section group. Its sections and external links move to the end of the top level.',
    },
    addSectionToGroup: {
      description: 'Moves a section to the end of a section group. Returns the group.',
      body: { sectionId: 'The id of the section.' },
      example: { body: { sectionId: ids.section } },
    },
    removeSectionFromGroup: { description: 'Moves a section of a section group to the end of the top level.' },
    moveSiteSectionGroup: {
      description:
        'Moves a section group among its siblings. Use the operation that sorts the structure of a site instead.',
      body: documentPosition('section group', 'siteSectionGroup'),
      example: { body: { position: { after: { type: 'site-section-group', siteSectionGroup: ids.sectionGroup } } } },
    },
  },
  schemas: {
    SiteSection: {
      description: 'A section of a site, with one or more spaces as variants.',
      properties: {
        title: 'The name of the section.',
        description: 'A short description of the section. Absent if there is none.',
        default: 'Whether the section is shown at the root of the site.',
        path: 'The path segment in URLs. The URL of the default section omits it.',
        condition: conditionText,
        sectionGroup: 'The id of the section group. Absent for a section at the top level.',
        icon: 'The name of the icon. Absent if there is none.',
        siteSpaces: 'The site spaces of the section that the caller can see, in navigation order.',
        'urls.published': 'The URL of the published section. Absent if the site is not published.',
      },
      example: section,
    },
    SiteSectionGroup: {
      description: 'A group of sections and external links in the navigation of a site.',
      properties: {
        title: 'The name of the group.',
        icon: 'The name of the icon. Absent if there is none.',
        sections: 'The sections of the group.',
        children: 'The sections and external links of the group, in navigation order.',
      },
      example: sectionGroup,
    },
  },
};
