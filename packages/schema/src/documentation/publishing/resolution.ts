import { ids, siteUrl } from '../acme.ts';
import type { ResourceDocumentation } from '../documentation.ts';

const url = `${siteUrl}/guides/install`;

const content = {
  site: ids.site,
  siteSection: ids.section,
  siteSpace: ids.siteSpace,
  space: ids.space,
  organization: ids.organization,
  pathname: '/install',
  basePath: '/guides/',
  siteBasePath: '/',
  apiToken: 'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJleHAiOjE3NzI0OTYzMDB9.c2lnbmF0dXJl',
  complete: true,
  canonicalUrl: url,
} as const;

const redirectOnError =
  'Whether a visitor token that is no longer valid results in a redirect to the sign-in page instead of a 404.';

export const resolution: ResourceDocumentation = {
  operations: {
    resolvePublishedContentByUrl: {
      description:
        'Resolves a URL of a published site, or of a preview, to the content that it shows, and returns a visitor ' +
        'token to read that content with. If the URL redirects elsewhere, the redirect is returned instead. Returns ' +
        '404 if the URL belongs to no site, or to one that the visitor may not see.',
      body: {
        url: 'The URL that the visitor opened.',
        redirectOnError,
        visitor: 'The visitor of the site.',
        'visitor.jwtToken':
          "The visitor's token: a JSON Web Token that is signed with the private key of the site, or a preview pass.",
        'visitor.unsignedClaims':
          'Claims that the visitor sets, such as from cookies or parameters. They are available as ' +
          '`visitor.claims.unsigned`.',
      },
      example: { body: { url, visitor: { unsignedClaims: { plan: 'paid' } } } },
    },
    getPublishedContentByUrl: {
      description:
        'Resolves a URL of a published site to the content that it shows. Use the POST operation instead, which ' +
        'also accepts unsigned claims and keeps tokens out of URLs.',
      parameters: {
        url: 'The URL that the visitor opened.',
        visitorAuthToken:
          "The visitor's token: a JSON Web Token that is signed with the private key of the site, or a preview pass.",
        redirectOnError,
      },
    },
    getSitePublishingPreviewById: {
      description:
        'Returns a URL at which the caller can see a site for one hour, whether it is published or not. The preview ' +
        'shows only what the caller may open. It also works for change requests (`~/changes/<id>`) and revisions ' +
        '(`~/revisions/<id>`).',
      parameters: {
        siteSpace: 'The id of the site space to open. If omitted, the preview opens the root of the site.',
      },
      response: { url: 'The URL of the preview. It is a secret.' },
      example: {
        response: { url: `${siteUrl}/?jwt_token=eyJhbGciOiJIUzI1NiJ9.eyJleHAiOjE3NzI0NTk1MDB9.c2lnbmF0dXJl` },
      },
    },
  },
  schemas: {
    PublishedLookup: {
      description: 'The content that a URL of a site shows, or the URL that it redirects to.',
      example: content,
    },
    PublishedContent: {
      description: 'The content that a URL of a site shows.',
      properties: {
        site: 'The id of the site.',
        siteSection: 'The id of the section. Absent if the site has no sections.',
        siteSpace: 'The id of the site space.',
        space: 'The id of the space.',
        organization: 'The id of the organization.',
        changeRequest: 'The id of the previewed change request. Absent unless the URL is a preview of one.',
        revision: 'The id of the previewed revision. Absent unless the URL is a preview of one.',
        pathname: 'The part of the path within the space, with a leading slash.',
        basePath: 'The part of the path up to the space, with a leading and a trailing slash.',
        siteBasePath: 'The part of the path up to the site, with a leading and a trailing slash.',
        apiToken: 'The visitor token for all further requests. It expires at the time in its claim `exp`.',
        shareKey: 'The key of the share link in the URL. Absent if the site requires none.',
        complete: 'Whether the whole path names a page, and no section or site space can follow.',
        contextId: 'An identifier of the visitor context. Not set by this server.',
        canonicalUrl: 'The canonical URL of the page, or of the site space if there is no page.',
      },
      example: content,
    },
    PublishedRedirect: {
      description: 'The redirect of a URL.',
      properties: {
        target:
          '`content`: another URL of a site. `external`: a URL outside of it, such as the sign-in page. ' +
          '`application`: the app.',
        redirect: 'The URL to redirect to.',
      },
      example: { target: 'content', redirect: `${siteUrl}/get-started/install` },
    },
  },
};
