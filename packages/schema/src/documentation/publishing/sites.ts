import { createAppUrl, createLocationUrl, createPageUrl, ids, sitePath, siteUrl } from '../acme.ts';
import type { ResourceDocumentation } from '../documentation.ts';

export const site = {
  object: 'site',
  id: ids.site,
  type: 'basic',
  title: 'Acme Docs',
  icon: { emoji: '1f4d8' },
  hostname: 'docs.acme.example',
  basename: 'docs',
  visibility: 'public',
  published: true,
  siteSpaces: 2,
  createdAt: '2026-01-15T12:00:00.000Z',
  adaptiveContent: { enabled: false },
  agentsContext: 'included',
  features: [{ id: 'sites-custom-domain', plan: 'ultimate', frozen: false }],
  urls: { location: createLocationUrl(sitePath), app: createAppUrl(sitePath), published: siteUrl },
} as const;

export const script = {
  script: createPageUrl(`/integrations/analytics/installations/${ids.installation}/sites/${ids.site}/script.js`),
  contentSecurityPolicy: "connect-src 'self' https://count.example.com",
  cookies: false,
} as const;

const settings = {
  title: 'The name of the site.',
  visibility: 'The audience of the site once it is published.',
};

export const sites: ResourceDocumentation = {
  operations: {
    listSites: {
      description:
        'Lists the sites of the organization that the caller can see, newest first. Members see all sites; guests ' +
        'see the sites that include a space they can see. With filters, a page searches at most 5,000 sites, so it ' +
        'can be short or empty although there is a `next`.',
      parameters: {
        space: 'Lists only sites that include the space with this id.',
        title: 'Lists only sites whose title contains this text. Case is ignored.',
        published: 'Lists only published sites, or only unpublished ones.',
        type: 'Lists only sites of these types.',
      },
    },
    createSite: {
      description:
        'Creates a site. It is not published until you publish it. The `basename` is derived from the title. An ' +
        'organization can have at most 1,000 sites.',
      body: {
        ...settings,
        title: 'The name of the site. If omitted, it is the title of the organization.',
        type: 'The type of the site. All types have the same features on this server.',
        spaces:
          'The ids of the spaces to include, of which the first is the default, or the kind of space to create for ' +
          'the site: `empty`, or `sample` with example pages.',
      },
      example: { body: { title: 'Acme Docs', visibility: 'public', spaces: [ids.space] } },
    },
    getSiteById: {
      description: 'Returns a site. For a visitor, `siteSpaces` counts only the site spaces that the visitor can see.',
    },
    updateSiteById: {
      description:
        'Changes settings of a site. Omitted fields are unchanged. A new visibility ends all visitor sessions. ' +
        'Returns 409 if a URL belongs to another site, or a host to another organization. Earlier URLs of the site ' +
        'redirect to the current one.',
      body: {
        ...settings,
        basename: 'The last part of the URL on the host of the organization. Unique in the organization.',
        adaptiveContent: 'The settings of adaptive content.',
        'adaptiveContent.enabled': 'Whether adaptive content is enabled.',
        agentsContext: 'Whether the site is available to AI agents.',
        defaultSiteSpace:
          'The id of the site space to show at the root of the site, or of the default section if the site ' +
          'has sections.',
        defaultSiteSection: 'The id of the section to show at the root of the site.',
        proxy: 'The host and path at which a proxy serves the site, such as `acme.example/docs`. Null removes it.',
        hostname: 'The custom host of the site, of at least three labels. Null removes it.',
      },
      example: { body: { title: 'Acme Docs', hostname: 'docs.acme.example', agentsContext: 'included' } },
    },
    deleteSiteById: {
      description:
        'Deletes a site with its structure, settings, redirects and share links. Its spaces are not deleted. This ' +
        'cannot be undone.',
    },
    publishSite: { description: 'Publishes a site to the audience that its visibility defines.' },
    unpublishSite: { description: 'Unpublishes a site. All visitor sessions end immediately.' },
    getPublishedContentSite: {
      description:
        'Returns everything that a client needs to render a site: the site, its structure, its customizations and ' +
        'the scripts of integrations. For a visitor, everything that is hidden from them is left out.',
      parameters: {
        shareKey: 'The key of a share link, which is added to URLs of a site with the visibility `share-link`.',
      },
    },
    listSiteIntegrationScripts: {
      description:
        'Lists the scripts that integrations add to the pages of the site, the first installed first. Only active ' +
        'installations with the scope `site:script:inject` add scripts.',
      example: { response: [script] },
    },
  },
  schemas: {
    Site: {
      description: 'A documentation site, which publishes spaces.',
      properties: {
        type: 'The type of the site. All types have the same features on this server.',
        title: settings.title,
        icon: 'The icon of the site. Absent if none is set.',
        hostname: 'The custom host of the site. Absent if none is set.',
        basename: 'The last part of the URL on the host of the organization.',
        proxy: 'The proxy that serves the site. Absent if none is set.',
        'proxy.origin': 'The host and path at which the proxy serves the site.',
        'proxy.target': 'The URL that the proxy forwards requests to.',
        visibility: 'The audience of the site once it is published.',
        published: 'Whether the site is published.',
        siteSpaces: 'The number of site spaces. For a visitor, only those that the visitor can see.',
        adaptiveContent: 'The settings of adaptive content.',
        'adaptiveContent.enabled': 'Whether adaptive content is enabled.',
        ads: 'The state of advertising. Absent: this server shows no ads.',
        agentsContext: 'Whether the site is available to AI agents.',
        features: 'The features of the site. A self-hosted server has no plans, so every site has the same ones.',
        'urls.app': 'The URL of the site in the app.',
        'urls.published': 'The URL of the published site. Absent if the site is not published.',
      },
      example: site,
    },
    SiteType: { description: 'The type of a site. All types have the same features on this server.', example: 'basic' },
    SiteVisibility: {
      description:
        'The audience of a published site. `public`: everyone, and search engines may index it. `unlisted`: ' +
        'everyone who knows the URL. `share-link`: visitors with a share link. `visitor-auth`: visitors with a ' +
        'signed token.',
      example: 'public',
    },
    AgentsContext: { description: 'The availability of a site to AI agents.', example: 'included' },
    SiteAds: {
      description: 'The state of advertising on a site. Not used by this server.',
      properties: {
        status: 'The status of the application for ads.',
        submittable: 'Whether the site can apply for ads.',
        topic: 'The topic of the ads.',
        reason: 'The reason of the rejection.',
        zoneId: 'The id of the ad zone.',
      },
      example: { status: 'pending', submittable: false },
    },
    SiteFeature: {
      description: 'A feature of a site.',
      properties: {
        id: 'The name of the feature.',
        plan: 'The site type that includes the feature.',
        frozen: 'Whether the feature stays enabled but cannot be changed. Always false on this server.',
        customizations: 'The customizations that the feature allows. Absent on this server.',
      },
      example: site.features[0],
    },
    SiteIcon: {
      description: 'The icon of a site: an image for each color scheme, an emoji, or neither.',
      properties: {
        icon: 'The images of the icon.',
        'icon.light': 'The URL of the image for light backgrounds.',
        'icon.dark': 'The URL of the image for dark backgrounds.',
        emoji: 'The emoji, or its code points, such as `1f4d8`.',
      },
      example: site.icon,
    },
    SiteScript: {
      description: 'A script that an integration adds to the pages of a site.',
      properties: {
        script: 'The URL of the script. Anyone can load it.',
        contentSecurityPolicy:
          'The Content-Security-Policy directives that the script needs. Absent if the integration declares none.',
        cookies:
          'Whether the script may set cookies, so that the client must ask for consent before it loads the script.',
      },
      example: script,
    },
  },
};
