import { ids, siteUrl } from '../acme.ts';
import type { ResourceDocumentation } from '../documentation.ts';
import { shareKey } from './structure.ts';

const destination = { kind: 'site-page', siteSpaceId: ids.siteSpace, pageId: ids.page } as const;

const redirect = {
  object: 'site-redirect',
  id: ids.redirect,
  source: '/install',
  draft: false,
  captureWildcard: false,
  permanent: true,
  destination,
  createdAt: '2026-02-24T08:00:00.000Z',
} as const;

const texts = {
  source: 'The path in the site, with a leading slash. With `/*` at its end, it matches all paths below it.',
  captureWildcard: 'Whether the part of the path that `/*` matched is appended to the destination.',
  draft: 'Whether the redirect is a draft, which has no effect.',
  permanent: 'Whether the redirect is permanent, so that clients may remember it.',
  destination: 'The destination of the redirect.',
};

const bulkTexts = {
  source: 'The source that identifies the redirect.',
  intent:
    '`live` and `draft` set or delete the live redirect or the draft with this source. `publish` makes the draft ' +
    'live and replaces a live redirect.',
  captureWildcard: `${texts.captureWildcard} If omitted, it is unchanged, and false for a new redirect.`,
  permanent: `${texts.permanent} If omitted, it is unchanged, and false for a new redirect.`,
  destination: 'The destination. Null deletes the redirect.',
};

export const redirects: ResourceDocumentation = {
  operations: {
    listSiteRedirects: {
      description: 'Lists the redirects of a site, newest first: the live ones, or the drafts.',
      parameters: {
        search:
          'Lists only redirects whose source contains this text. Case is ignored. A page searches at most 5,000 ' +
          'rows, so it can be short or empty although there is a `next`.',
        draft: 'With true, lists the drafts instead of the live redirects.',
      },
    },
    createSiteRedirect: {
      description:
        'Creates a redirect from a path of a site. Returns 400 if the destination redirects back to the source. Returns ' +
        '409 if a redirect with the same source exists, among live redirects or among drafts. A site can have at ' +
        'most 5,000 redirects.',
      body: texts,
      example: { body: { source: '/install', permanent: true, destination } },
    },
    bulkUpsertSiteRedirects: {
      description:
        'Creates, updates, deletes or publishes up to 500 redirects, all or nothing. Each source can occur only ' +
        'once for each intent.',
      body: { redirects: 'The changes, in their order.' },
      response: { results: 'The result of each change, in the same order.' },
      example: {
        body: {
          redirects: [
            { source: '/install', destination },
            { source: '/old/*', destination: null },
          ],
        },
        response: {
          results: [
            { status: 'created', source: '/install', draft: false, id: ids.redirect },
            { status: 'deleted', source: '/old/*', draft: false },
          ],
        },
      },
    },
    getSiteRedirectById: { description: 'Returns a redirect of a site.' },
    updateSiteRedirectById: {
      description: 'Changes a redirect. Omitted fields are unchanged. Returns 409 if another redirect has the source.',
      body: texts,
      example: { body: { permanent: false } },
    },
    deleteSiteRedirectById: { description: 'Deletes a redirect.' },
    getSiteRedirectBySource: {
      description:
        'Finds the destination of a path: of a configured redirect, or of a page or space that once had the path. ' +
        'Returns 404 if the path is a page, or if nothing that the caller may see has or had it.',
      parameters: { shareKey, source: 'The path in the site, with a leading slash.' },
      response: {
        redirect:
          'The redirect. For a former path, its `id` is that of the page or site space, and `createdAt` is the time ' +
          'when it left the path.',
        target: 'The URL of the destination.',
      },
      example: { response: { redirect, target: `${siteUrl}/get-started/install` } },
    },
  },
  schemas: {
    SiteRedirect: {
      description: 'A redirect from a path of a site.',
      properties: { ...texts, updatedAt: 'The time of the last change. Absent if the redirect was never changed.' },
      example: redirect,
    },
    RedirectDestination: {
      description: 'The destination of a redirect: a section, a site space, a page, or a URL outside of the site.',
      properties: {
        kind: 'The kind of destination.',
        siteSectionId: 'The id of the section.',
        siteSpaceId: 'The id of the site space.',
        pageId: 'The id of the page, in the space of the site space.',
        anchor: 'The anchor of the page to scroll to, without `#`.',
        url: 'The URL outside of the site.',
      },
      example: destination,
    },
    RedirectSource: {
      description: 'A path in a site, with a leading slash. With `/*` at its end, it matches all paths below it.',
      example: '/install',
    },
    BulkRedirect: {
      description: 'A change to a redirect: it is created, updated, deleted or published.',
      properties: bulkTexts,
      example: { source: '/install', intent: 'live', destination },
    },
    BulkRedirectResult: {
      description: 'The result of a change to a redirect.',
      properties: {
        status: 'The change that was made.',
        source: 'The source of the redirect.',
        draft: 'Whether the redirect is a draft.',
        id: 'The id of the redirect. Absent if it was deleted.',
      },
      example: { status: 'created', source: '/install', draft: false, id: ids.redirect },
    },
  },
};
