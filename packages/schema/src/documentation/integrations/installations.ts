import { createAppUrl, createLocationUrl, createPageUrl, ids } from '../acme.ts';
import type { ResourceDocumentation } from '../documentation.ts';
import { integration } from './integrations.ts';

const path = `/integrations/weather/installations/${ids.installation}`;

export const installation = {
  id: ids.installation,
  status: 'active',
  scopes: ['space:content:read'],
  requestedScopes: [],
  space_selection: 'selected',
  site_selection: 'selected',
  spaces: 1,
  configuration: { unit: 'celsius' },
  createdAt: '2026-02-27T11:00:00.000Z',
  updatedAt: '2026-02-27T11:05:00.000Z',
  urls: {
    location: createLocationUrl(path),
    app: createAppUrl(path),
    publicEndpoint: createPageUrl(path),
    publicContentEndpoint: createPageUrl(path),
  },
  externalIds: [],
  target: { organization: ids.organization },
} as const;

const installed = {
  status: 'active',
  installation: ids.installation,
  integration,
  target: { type: 'organization', organizationId: ids.organization },
} as const;

const externalId = 'Lists only installations that the integration identifies by this id.';

const texts = {
  installationId:
    'The id of the installation. Absent unless the caller can install something in the organization. An extension ' +
    'of this server.',
};

export const installations: ResourceDocumentation = {
  operations: {
    listIntegrationInstallations: {
      description:
        'Lists the installations of an integration, newest first. Requires the token of the integration, or an ' +
        'admin of the organization that owns it.',
      parameters: { externalId },
    },
    installIntegration: {
      description:
        'Installs an integration in an organization, which agrees to the scopes. The installation is `pending` ' +
        'until its required configuration is set. A private integration can be installed only in the organization ' +
        'that owns it. An organization can have at most 100 installations. Returns 409 if the integration is ' +
        'installed already.',
      body: {
        organization: 'The id of the organization.',
        scopes:
          'The scopes that the organization agrees to. If omitted, all that the integration requests. An extension ' +
          'of this server.',
      },
      example: { body: { organization: ids.organization } },
    },
    getIntegrationInstallationById: { description: 'Returns an installation.' },
    updateIntegrationInstallation: {
      description:
        'Changes an installation. Omitted fields are unchanged. Only an admin of the organization can change the ' +
        'status, the scopes and the selections; the installation and its integration can change the rest. Returns ' +
        '409 if the installation was changed, or a new version was published, at the same time.',
      body: {
        externalIds: 'Ids by which the integration identifies the installation.',
        configuration:
          'The new configuration. It replaces the current one: omitted properties get their defaults, and omitted ' +
          'secrets are kept. Null removes a secret.',
        space_selection: 'The spaces that the installation can access.',
        site_selection: 'The sites that the installation can access.',
        status: '`paused` suspends the installation; `active` resumes it.',
        scopes:
          'All scopes that the organization agrees to, of those that the integration requests. An extension of ' +
          'this server.',
      },
      example: { body: { configuration: { unit: 'fahrenheit' }, space_selection: 'all' } },
    },
    uninstallIntegration: {
      description:
        'Uninstalls an integration from an organization, its spaces and its sites. Its tokens stop working ' +
        'immediately. Content that it wrote remains. Requires an admin of the organization.',
    },
    createIntegrationInstallationToken: {
      description:
        'Returns a token with which an integration acts as its installation. Within half an hour, requests return ' +
        'the same token. Requires the token of the integration. Returns 412 if the installation is paused.',
      response: {
        token: 'The new token.',
        expiresAt: 'The time at which the token expires, in half an hour to an hour.',
      },
      example: {
        response: { token: 'octavo_V3kXq8ZpR1tYw6NbM4sLd7GhJ2fKc9Qe0TaUiOyP', expiresAt: '2026-03-02T16:00:00.000Z' },
      },
    },
    listOrganizationInstallations: {
      description:
        'Lists the installations of an organization with their integrations, newest first. Requires an admin.',
      parameters: {
        search:
          'Lists only installations whose integration has this text in its name or title. Case is ignored. A page ' +
          'searches at most 5,000 rows, so it can be short or empty although there is a `next`.',
      },
      response: {
        'items[].installation': 'The installation in the organization.',
        'items[].integration': 'The integration that is installed.',
      },
      example: { response: { count: 1, items: [{ installation, integration }] } },
    },
    listOrganizationIntegrationsStatus: {
      description:
        'Lists the integrations that are installed in an organization, on its spaces or on its sites, with their ' +
        'status, newest first. Spaces that the caller cannot see are omitted.',
      parameters: {
        target: 'The kind of object whose installations are listed.',
        space: 'With the target `space`: lists only installations on the space with this id.',
        site: 'With the target `site`: lists only installations on the site with this id.',
      },
    },
    getOrganizationIntegrationStatus: {
      description: 'Returns the status of an integration in an organization, or 404 if it is not installed there.',
      response: { status: 'The status of the installation.', installation: texts.installationId },
      example: { response: { status: 'active', installation: ids.installation } },
    },
  },
  schemas: {
    IntegrationInstallation: {
      description: 'An integration that is installed in an organization.',
      properties: {
        status: 'The status of the installation.',
        scopes:
          'The scopes that are in effect: those that the organization agreed to and the integration still requests. ' +
          'An extension of this server.',
        requestedScopes:
          'The scopes that the integration requests and the organization has not agreed to. They have no effect. An ' +
          'extension of this server.',
        space_selection: 'The spaces that the installation can access.',
        site_selection: 'The sites that the installation can access.',
        spaces: 'The number of spaces that the integration is installed on, without deleted ones.',
        configuration: 'The configuration, without secrets.',
        'urls.app': 'The URL of the installation in the app.',
        'urls.publicEndpoint': 'The public URL at which the script answers requests.',
        'urls.publicContentEndpoint': 'The public URL at which the script serves content.',
        externalIds: 'Ids by which the integration identifies the installation.',
        target: 'The object that the integration is installed in.',
        'target.organization': 'The id of the organization.',
      },
      example: installation,
    },
    InstallationStatus: {
      description:
        'The status of an installation. `pending`: a required configuration property is missing. `paused`: ' +
        'suspended by an admin.',
      example: 'active',
    },
    InstallationSelection: {
      description:
        'The spaces or sites that an installation can access: `all`, or with `selected` only those that it is ' +
        'installed on.',
      example: 'selected',
    },
    ExternalIds: {
      description: 'Ids by which an integration identifies an installation, at most five.',
      example: ['team-4711'],
    },
    InstallationConfiguration: {
      description:
        'The configuration of an installation, by the names of the properties that the integration declares.',
      example: { unit: 'celsius' },
    },
    InstalledIntegration: {
      description: 'An integration with its status in an organization, on a space or on a site.',
      properties: {
        status: 'The status there.',
        installation: texts.installationId,
        integration: 'The integration that is installed.',
        target: 'The object that the integration is installed on.',
        'target.type': 'The kind of object.',
        'target.organizationId': 'The id of the organization.',
        'target.spaceId': 'The id of the space.',
        'target.siteId': 'The id of the site.',
      },
      example: installed,
    },
  },
};
