import { createAppUrl, createLocationUrl, createPageUrl, organization } from '../acme.ts';
import type { ResourceDocumentation } from '../documentation.ts';
import { manifest, manifestParts } from './manifest.ts';

const publicEndpoint = createPageUrl('/integrations/weather');

export const integration = {
  object: 'integration',
  name: 'weather',
  version: 3,
  ...manifest,
  previewImages: [createPageUrl('/integration-images/4hT2kQ9vXbN7cLmR0sWd-png')],
  verified: false,
  owner: organization,
  urls: {
    location: createLocationUrl('/integrations/weather'),
    icon: createPageUrl('/integration-images/8sKd02LmQx4RtYpB7nVc-png'),
    app: createAppUrl('/integrations/weather'),
    assets: `${publicEndpoint}/assets`,
    publicEndpoint,
    publicContentEndpoint: publicEndpoint,
  },
  permissions: { admin: true, install: true },
} as const;

const search =
  'Lists only integrations whose name or title contains this text. Case is ignored. A page searches at most 5,000 ' +
  'rows, so it can be short or empty although there is a `next`.';

const filters = {
  search,
  category: 'Lists only integrations of this category.',
  blockDomain: 'Lists only integrations with a block for URLs of this domain.',
  blocks: 'With true, lists only integrations that have blocks; with false, only those that have none.',
  contentSources:
    'With true, lists only integrations that have content sources; with false, only those that have none.',
  owner: 'The id or hostname of an organization. Lists only its integrations.',
  scope: 'Lists only integrations that request this scope.',
  target: 'Lists only integrations with this target.',
};

const fields = {
  title: 'The name shown to people.',
  description: 'A short description.',
  summary: 'A long description in Markdown.',
  visibility: 'The users who can find the integration.',
  target: 'The kind of object on which the integration can be installed.',
  scopes: 'The permissions that the integration requests where it is installed.',
  categories: 'The categories in which people find the integration.',
  blocks: 'The blocks that the integration adds to the editor.',
  contentSources: 'The sources from which the integration generates pages.',
  configurations: 'The configuration that an installation requires in the organization, on a space, and on a site.',
  externalLinks: 'Links to more information.',
  contentSecurityPolicy:
    'The Content-Security-Policy for the content and the scripts of the integration, as one string or by directive.',
};

export const integrations: ResourceDocumentation = {
  operations: {
    listIntegrations: {
      description:
        'Lists the public integrations, and the private and unlisted ones of organizations in which the caller has ' +
        'a role, newest first.',
      parameters: filters,
    },
    listOrganizationIntegrations: {
      description:
        'Lists the integrations that the organization can install: the public ones and its own, newest first.',
      parameters: filters,
    },
    listSpaceIntegrations: {
      description:
        'Lists the integrations that are active on a space and that the caller can see, the most recently ' +
        'installed first.',
      parameters: { search },
    },
    listSpaceIntegrationsBlocks: {
      description:
        'Lists the blocks that integrations add to a space: those that are active on it, and those that are active ' +
        'on all spaces.',
      example: { response: [{ name: 'weather', blocks: manifest.blocks }] },
    },
    listSiteIntegrations: {
      description:
        'Lists the integrations that are active on a site and that the caller can see, the most recently ' +
        'installed first.',
      parameters: { search },
    },
    getIntegrationByName: {
      description:
        'Returns an integration. Returns 404 for a private integration if the caller has no role in the ' +
        'organization that owns it.',
    },
    publishIntegration: {
      description:
        'Publishes an integration, or a new version of it. Each version replaces all fields: omitted ones are ' +
        'removed, except for `secrets`. The caller must be an admin of the organization that publishes. Returns 403 ' +
        'if the name belongs to another organization. An organization can have at most 200 integrations.',
      body: {
        ...fields,
        runtime: 'The version of the runtime. Both values run in the same one.',
        icon: 'The icon: a PNG, JPEG, GIF or WebP in base64, with at most 256 KB and 2048 pixels per side.',
        previewImages:
          'The preview images: PNG, JPEG, GIF or WebP in base64, with at most 1 MB and 8192 pixels per side.',
        script: 'The code of the integration: a JavaScript module, with at most 5 MB.',
        organization: 'The id or hostname of the organization that publishes.',
        secrets:
          'Secrets that only the script receives, by name. They are encrypted and never returned. If omitted, those ' +
          'of the previous version are kept; `{}` removes them.',
        events:
          'The types of events to receive. If omitted, the integration receives all that its scopes allow. An ' +
          'extension of this server.',
        webhook: 'A URL to which events of the installations are posted. An extension of this server.',
      },
      example: {
        body: {
          title: manifest.title,
          description: manifest.description,
          target: manifest.target,
          scopes: manifest.scopes,
          blocks: manifest.blocks,
          configurations: manifest.configurations,
          script: "export default { fetch: () => new Response('Hello') };",
          organization: 'acme',
          secrets: { API_KEY: 'k-83hd72kd' },
        },
      },
    },
    unpublishIntegration: {
      description:
        'Unpublishes an integration. It stops working immediately and is uninstalled everywhere in the background; ' +
        'after that, its name is available again. The caller must be an admin of the organization that owns it.',
    },
  },
  schemas: {
    Integration: {
      description: 'An integration: a script that organizations can install.',
      properties: {
        ...fields,
        name: 'The unique name of the integration.',
        version: 'The number of the version, which increases with each publication.',
        summary: `${fields.summary} Absent if there is none.`,
        previewImages: 'The URLs of the preview images.',
        verified: 'Whether the operator of the server has verified the integration.',
        blocks: `${fields.blocks} Absent if there are none.`,
        contentSources: `${fields.contentSources} Absent if there are none.`,
        configurations: `${fields.configurations} Absent if it requires none.`,
        contentSecurityPolicy: `${fields.contentSecurityPolicy} Absent if there is none.`,
        owner:
          'The organization that owns the integration. Other users see only what is shown to users who are ' +
          'not members.',
        'urls.icon': 'The URL of the icon. Absent if there is none.',
        'urls.app': 'The URL of the integration in the app.',
        'urls.assets': 'The URL below which the script serves assets.',
        'urls.publicEndpoint': 'The public URL at which the script answers requests.',
        'urls.publicContentEndpoint': 'The public URL at which the script serves content.',
        'permissions.admin': 'Whether the caller is an admin of the organization that owns the integration.',
        'permissions.install': 'Whether the caller can install the integration somewhere.',
        events:
          'The types of events that the integration receives. Absent if it receives all that its scopes allow. Only ' +
          'admins of the owner see it. An extension of this server.',
        webhook:
          'The URL to which events of the installations are posted. Absent if there is none. Only admins of the ' +
          'owner see it. An extension of this server.',
      },
      example: integration,
    },
    SpaceIntegrationBlocks: {
      description: 'The blocks of an integration.',
      properties: { name: 'The name of the integration.', blocks: 'The blocks that it adds.' },
      example: { name: 'weather', blocks: manifest.blocks },
    },
    ...manifestParts,
  },
};
