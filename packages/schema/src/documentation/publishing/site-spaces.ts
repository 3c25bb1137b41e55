import { ids } from '../acme.ts';
import type { ResourceDocumentation } from '../documentation.ts';
import { conditionText, documentPosition, shareKey, siteSpace } from './structure.ts';

export const siteSpaces: ResourceDocumentation = {
  operations: {
    listSiteSpaces: {
      description:
        'Lists the site spaces of a site, in navigation order. Site spaces that the caller cannot see are omitted.',
      parameters: {
        shareKey,
        default: 'With true, lists only the site space at the root of the site; with false, all others.',
      },
    },
    addSpaceToSite: {
      description:
        'Adds a space to a site. Its path is derived from the title of the space. The first site space of a section ' +
        'is its default. A site can have at most 200 site spaces. The caller must be able to see the space.',
      body: {
        spaceId: 'The id of the space.',
        sectionId:
          'The id of the section to add it to. If omitted, it is the default section, or the top level of a site ' +
          'without sections.',
      },
      example: { body: { spaceId: ids.space } },
    },
    updateSiteSpaceById: {
      description:
        'Changes the path, the condition or the space of a site space. Omitted fields are unchanged. Returns 409 if ' +
        'a sibling has the path. Earlier paths redirect to the current one.',
      body: {
        path: 'The path segment in URLs, unique among the siblings. The URL of a default site space omits it.',
        condition:
          'The expression over the claims of the visitor that must be true for the site space to be visible. ' +
          'Null removes it.',
        spaceId: 'The id of the space to show instead.',
      },
      example: { body: { path: 'guide', condition: 'visitor.claims.plan == "paid"' } },
    },
    deleteSiteSpaceById: {
      description:
        'Removes a space from a site. The space itself is not deleted. If the site space was the default, the first ' +
        'remaining sibling becomes the default.',
    },
    moveSiteSpace: {
      description:
        'Moves a site space among its siblings. Use the operation that sorts the structure of a site instead.',
      body: documentPosition('site space', 'siteSpace'),
      example: { body: { position: { before: { type: 'site-space', siteSpace: ids.siteSpace } } } },
    },
  },
  schemas: {
    SiteSpace: {
      description: 'A space in a site, as one of the variants of a section.',
      properties: {
        path: 'The path segment in URLs. The URL of a default site space omits it.',
        section: 'The id of the section. Absent if the site has no sections.',
        space: 'The space, with the permissions of the caller.',
        title: 'The title of the space.',
        default: 'Whether it is shown at the root of its section, or of a site without sections.',
        condition: conditionText,
        hasAdvancedCustomizationFeature: 'Whether the site space can have its own customization. Always true.',
        'urls.published': 'The URL of the published site space. Absent if the site is not published.',
      },
      example: siteSpace,
    },
  },
};
