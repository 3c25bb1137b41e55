import type { ResourceDocumentation } from '../documentation.ts';
import { conditionText, externalLink } from './structure.ts';

const body = {
  title: 'The text of the link.',
  url: 'The URL that the link opens.',
  description: 'A short description of the link. Null removes it.',
  icon: 'The name of an icon of the icon set. Null removes it.',
  condition:
    'The expression over the claims of the visitor that must be true for the link to be visible. Null removes it.',
};

export const externalLinks: ResourceDocumentation = {
  operations: {
    addExternalLinkToSite: {
      description:
        'Adds a link to a URL outside of the site to its navigation, beside its sections. The site must have ' +
        'sections, otherwise the request returns 409. A site can have at most 100 external links.',
      body: {
        ...body,
        parent: 'The id of the section group to add the link to. If omitted, it is added to the top level.',
      },
      example: { body: { title: 'Status', url: 'https://status.acme.example', icon: 'signal' } },
    },
    updateSiteExternalLinkById: {
      description:
        'Changes an external link. Omitted fields are unchanged. A link that moves into or out of a group is ' +
        'placed last.',
      body: { ...body, parent: 'The id of the section group to move the link into. Null moves it to the top level.' },
      example: { body: { title: 'System status' } },
    },
    deleteSiteExternalLinkById: { description: 'Deletes an external link from the navigation of a site.' },
  },
  schemas: {
    SiteExternalLink: {
      description: 'A link beside the sections of a site to a URL outside of the site.',
      properties: {
        title: 'The text of the link.',
        description: 'A short description of the link. Absent if there is none.',
        icon: 'The name of the icon. Absent if there is none.',
        url: 'The URL that the link opens.',
        sectionGroup: 'The id of the section group. Absent for a link at the top level.',
        draft: 'Always false: drafts are not supported.',
        condition: conditionText,
      },
      example: externalLink,
    },
  },
};
