import { ids } from '../acme.ts';
import type { ResourceDocumentation } from '../documentation.ts';
import { customization } from './customization.ts';
import { script, site } from './sites.ts';
import { externalLink, section } from './structure.ts';

export const publishedSite: ResourceDocumentation = {
  operations: {},
  schemas: {
    PublishedSite: {
      description: 'Everything that a client needs to render a site.',
      properties: {
        site: 'The site itself.',
        structure: 'The structure of the site, without items that are hidden from the visitor.',
        customizations: 'The customizations, without links that are hidden from the visitor.',
        'customizations.site': 'The customization of the site.',
        'customizations.siteSpaces': 'The complete customization of each site space, by its id.',
        scripts: 'The scripts that integrations add to the pages.',
      },
      example: {
        object: 'published-content-site',
        site,
        structure: { type: 'sections', structure: [section, externalLink] },
        customizations: { site: customization, siteSpaces: { [ids.siteSpace]: customization } },
        scripts: [script],
      },
    },
  },
};
