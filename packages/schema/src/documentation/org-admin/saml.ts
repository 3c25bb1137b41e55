import { createLocationUrl, createPageUrl, ids, organizationPath } from '../acme.ts';
import type { ResourceDocumentation } from '../documentation.ts';
import { team } from './teams.ts';

const settings = {
  entityID: 'The entity id of the identity provider, from its metadata.',
  certificate: 'The X.509 certificate in PEM format that verifies the signatures of the identity provider.',
  ssoURL: 'The URL of the identity provider to which users are sent to sign in.',
  defaultTeam: 'The id of the team that new members are added to. Null if they are added to no team.',
  defaultRole: 'The role of new members. Null makes them guests.',
};

const certificate = '-----BEGIN CERTIFICATE-----\nMIIDazCCAlOgAwIBAgIUQ2x5\n-----END CERTIFICATE-----';

export const saml: ResourceDocumentation = {
  operations: {
    listSAMLProvidersInOrganizationById: { description: 'Lists the SAML providers of the organization, newest first.' },
    createOrganizationSAMLProvider: {
      description:
        'Creates a SAML provider. Only the label is required: the response contains the URLs that the identity ' +
        'provider asks for, and the other settings can be added later. The provider is `active` when the SSO URL, ' +
        'the entity id and the certificate are set. An organization can have at most 20 providers.',
      body: { label: 'The name that members see when they sign in.', ...settings },
      example: { body: { label: 'Acme', defaultRole: 'read' } },
    },
    getOrganizationSAMLProviderById: { description: 'Returns a SAML provider.' },
    updateOrganizationSAMLProvider: {
      description:
        'Changes a SAML provider. Omitted fields are unchanged. A new entity id ends the identities and sessions of ' +
        'the old one; a new SSO URL, entity id or certificate ends pending sign-ins. Returns 412 if the ' +
        'organization enforces SSO and would have no active provider, or would have no admin who can sign in.',
      body: { label: 'The name that members see when they sign in.', ...settings },
      example: {
        body: {
          ssoURL: 'https://login.acme.example/saml/sso',
          entityID: 'https://login.acme.example/saml/metadata',
          certificate,
        },
      },
    },
    deleteOrganizationSAMLProvider: {
      description:
        'Deletes a SAML provider. Sessions that started through it end immediately. Returns 412 if the organization ' +
        'enforces SSO and would have no active provider, or would have no admin who can sign in.',
    },
    listSSOProviderLoginsInOrganization: {
      description:
        'Lists the active SSO providers, oldest first, so that a member can choose one to sign in with. Members can ' +
        'read this even if their token was not issued through SSO.',
      response: { items: 'The providers of the organization.' },
    },
  },
  schemas: {
    SamlProvider: {
      description: 'A SAML 2.0 identity provider through which members sign in.',
      properties: {
        label: 'The name that members see when they sign in.',
        ssoURL: 'The URL of the identity provider to which users are sent to sign in. Empty until it is set.',
        entityID: 'The entity id of the identity provider. Empty until it is set.',
        certificate: 'The certificate that verifies the signatures of the identity provider. Empty until it is set.',
        defaultTeam: 'The team that new members are added to. Absent if none is set.',
        defaultRole: 'The role of new members. Null makes them guests.',
        status:
          '`active` if members can sign in, `pending` while the SSO URL, the entity id or the certificate is missing.',
        service: 'The settings to enter at the identity provider.',
        'service.acsURL': 'The URL to which the identity provider sends its responses.',
        'service.startURL': 'The URL at which members start to sign in.',
        'service.entityID': 'The entity id of this server for the provider, which is also the URL of its metadata.',
      },
      example: {
        object: 'saml-provider',
        id: ids.samlProvider,
        label: 'Acme',
        ssoURL: 'https://login.acme.example/saml/sso',
        entityID: 'https://login.acme.example/saml/metadata',
        certificate,
        defaultTeam: team,
        defaultRole: 'read',
        createdAt: '2026-02-10T13:45:00.000Z',
        status: 'active',
        service: {
          acsURL: createPageUrl(`/sso/saml/${ids.samlProvider}/acs`),
          startURL: createPageUrl(`/sso/saml/${ids.samlProvider}/start`),
          entityID: createPageUrl(`/sso/saml/${ids.samlProvider}/metadata`),
        },
        urls: { location: createLocationUrl(`${organizationPath}/saml/${ids.samlProvider}`) },
      },
    },
    SsoLogin: {
      description: 'An SSO provider that members can sign in with.',
      properties: {
        id: 'The id of the provider.',
        label: 'The name of the provider.',
        startURL: 'The URL at which members start to sign in.',
      },
      example: { id: ids.samlProvider, label: 'Acme', startURL: createPageUrl(`/sso/saml/${ids.samlProvider}/start`) },
    },
  },
};
