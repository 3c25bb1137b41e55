import type { ResourceDocumentation } from '../documentation.ts';

const publishingAuth = {
  object: 'publishing-auth',
  backend: 'custom',
  privateKey: '',
  fallbackURL: 'https://login.acme.example/docs',
} as const;

const privateKey = 'The key that signs visitor tokens with HS256. Empty unless this response is the one that shows it.';

export const auth: ResourceDocumentation = {
  operations: {
    getSitePublishingAuthById: {
      description:
        'Returns the visitor authentication of a site. The first response contains the private key; it is shown ' +
        'only once, and an audit event records who received it.',
    },
    updateSitePublishingAuthById: {
      description:
        'Changes the visitor authentication of a site. Omitted fields are unchanged. Like the first read, the ' +
        'response shows the private key if it was never shown.',
      body: {
        backend: 'The system that signs in visitors: `custom`, or an integration.',
        integration:
          'The name of the integration that signs in visitors. It must be installed on the site with the scope ' +
          '`site:visitor:auth`. Null removes it.',
        fallbackURL: 'The URL to which visitors without a valid token are sent. Null removes it.',
      },
      example: { body: { backend: 'custom', fallbackURL: 'https://login.acme.example/docs' } },
    },
    regenerateSitePublishingAuthById: {
      description:
        'Creates a new private key, which the response contains. All tokens that were signed with the old key ' +
        'become invalid, and all visitor sessions end.',
      example: { response: { ...publishingAuth, privateKey: 'x3V9mKq8ZpR1tYw6NbM4sLd7GhJ2fKc9QeTaUiOyPzE' } },
    },
  },
  schemas: {
    PublishingAuth: {
      description: 'The visitor authentication of a site with the visibility `visitor-auth`.',
      properties: {
        backend: 'The system that signs in visitors.',
        privateKey,
        fallbackURL: 'The URL to which visitors without a valid token are sent. Absent if none is set.',
        integration: 'The name of the integration that signs in visitors. Absent if none is set.',
      },
      example: publishingAuth,
    },
  },
};
