import { ids, siteUrl } from '../acme.ts';
import type { ResourceDocumentation } from '../documentation.ts';

export const shareLinks: ResourceDocumentation = {
  operations: {
    listSiteShareLinks: { description: 'Lists the share links of a site, newest first.' },
    createSiteShareLink: {
      description:
        'Creates an active share link. It admits visitors to the site if the visibility of the site is ' +
        '`share-link`. A site can have at most 100 share links.',
      body: { name: 'A name for the link, such as its recipient.' },
      example: { body: { name: 'Partners' } },
    },
    updateSiteShareLinkById: {
      description:
        'Renames a share link, or enables or disables it. A disabled link admits no visitors, and ends the sessions ' +
        'of those who used it. Omitted fields are unchanged.',
      body: { active: 'Whether the link admits visitors.', name: 'The name of the link.' },
      example: { body: { active: false } },
    },
    deleteSiteShareLinkById: {
      description: 'Deletes a share link. It stops admitting visitors, including those who used it before.',
    },
  },
  schemas: {
    ShareLink: {
      description: 'A URL with a secret key that admits visitors to a site with the visibility `share-link`.',
      properties: {
        name: 'The name of the link.',
        active: 'Whether the link admits visitors.',
        'urls.published': 'The URL of the site with the key. It is a secret.',
      },
      example: {
        object: 'share-link',
        id: ids.shareLink,
        createdAt: '2026-02-18T09:00:00.000Z',
        name: 'Partners',
        active: true,
        urls: { published: `${siteUrl}/k7GhQ2mXv9Lp4RtYw8ZbNc3d/` },
      },
    },
  },
};
