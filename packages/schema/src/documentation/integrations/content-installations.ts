import { createLocationUrl, createPageUrl, ids } from '../acme.ts';
import type { OperationDocumentation, ResourceDocumentation } from '../documentation.ts';

type Kind = 'space' | 'site';

const targetIds: Record<Kind, string> = { space: ids.space, site: ids.site };

const createExample = (kind: Kind) => {
  const path = `/integrations/weather/installations/${ids.installation}/${kind}s/${targetIds[kind]}`;
  return {
    integration: 'weather',
    installation: ids.installation,
    status: 'active',
    configuration: { station: 'Brocken' },
    externalIds: [],
    createdAt: '2026-02-27T11:10:00.000Z',
    updatedAt: '2026-02-27T11:10:00.000Z',
    urls: {
      location: createLocationUrl(path),
      publicEndpoint: createPageUrl(path),
      publicContentEndpoint: createPageUrl(path),
    },
    [kind]: targetIds[kind],
  };
};

const properties = {
  integration: 'The name of the integration.',
  installation: 'The id of the installation in the organization.',
  status: 'The status of the installation here.',
  configuration: 'The configuration for this object, without secrets.',
  externalIds: 'Ids by which the integration identifies the installation here.',
  'urls.publicEndpoint': 'The public URL at which the script answers requests.',
  'urls.publicContentEndpoint': 'The public URL at which the script serves content.',
};

const documentOperations = (kind: Kind) => {
  const parameters = {
    extended: `Whether the response contains the whole ${kind} instead of its id, if the caller can see it.`,
  };
  return {
    list: {
      description: `Lists the ${kind}s that an integration is installed on in an organization, newest first.`,
      parameters,
    },
    install: {
      description:
        `Installs an integration on a ${kind}. The integration must be installed in the organization, and the ` +
        `caller must be able to install on the ${kind}. The installation is \`pending\` until the required ` +
        `configuration for the ${kind} is set. Returns 412 if the target of the integration does not allow ` +
        `${kind}s, and 409 if it is installed there already or on 1,000 ${kind}s.`,
      parameters,
      body: kind === 'space' ? { space: 'The id of the space.' } : { siteId: 'The id of the site.' },
      example: { body: kind === 'space' ? { space: ids.space } : { siteId: ids.site } },
    },
    get: { description: `Returns the installation of an integration on a ${kind}.`, parameters },
    update: {
      description:
        `Changes the configuration of an integration on a ${kind}. Omitted fields are unchanged. Returns 409 if the ` +
        'installation was changed, or a new version was published, at the same time.',
      parameters,
      body: {
        externalIds: 'Ids by which the integration identifies the installation here.',
        configuration:
          'The new configuration. It replaces the current one: omitted properties get their defaults, and omitted ' +
          'secrets are kept. Null removes a secret.',
      },
      example: { body: { configuration: { station: 'Zugspitze' } } },
    },
    uninstall: { description: `Removes an integration from a ${kind}. It remains installed in the organization.` },
    listAll: {
      description:
        `Lists the ${kind}s that an integration is installed on, in all organizations, newest first. Requires the ` +
        'token of the integration, or an admin of the organization that owns it.',
      parameters: { ...parameters, externalId: 'Lists only installations that the integration identifies by this id.' },
    },
  } satisfies Record<string, OperationDocumentation>;
};

const onSpaces = documentOperations('space');
const onSites = documentOperations('site');

export const contentInstallations: ResourceDocumentation = {
  operations: {
    listIntegrationInstallationSpaces: onSpaces.list,
    installIntegrationOnSpace: onSpaces.install,
    getIntegrationSpaceInstallation: onSpaces.get,
    updateIntegrationSpaceInstallation: onSpaces.update,
    uninstallIntegrationFromSpace: onSpaces.uninstall,
    listIntegrationSpaceInstallations: onSpaces.listAll,
    listIntegrationInstallationSites: onSites.list,
    installIntegrationOnSite: onSites.install,
    getIntegrationSiteInstallation: onSites.get,
    updateIntegrationSiteInstallation: onSites.update,
    uninstallIntegrationFromSite: onSites.uninstall,
    listIntegrationSiteInstallations: onSites.listAll,
  },
  schemas: {
    IntegrationSpaceInstallation: {
      description: 'An integration that is installed on a space.',
      properties: { ...properties, space: 'The id of the space, or the whole space with `extended`.' },
      example: createExample('space'),
    },
    IntegrationSiteInstallation: {
      description: 'An integration that is installed on a site.',
      properties: { ...properties, site: 'The id of the site, or the whole site with `extended`.' },
      example: createExample('site'),
    },
  },
};
