import { createOrganizationSAMLProvider } from './create-organization-saml-provider.ts';
import { deleteOrganizationSAMLProvider } from './delete-organization-saml-provider.ts';
import { getOrganizationSAMLProviderById } from './get-organization-saml-provider-by-id.ts';
import { listSAMLProvidersInOrganizationById } from './list-saml-providers-in-organization-by-id.ts';
import { listSSOProviderLoginsInOrganization } from './list-sso-provider-logins-in-organization.ts';
import { updateOrganizationSAMLProvider } from './update-organization-saml-provider.ts';

export const ssoHandlers = {
  listSAMLProvidersInOrganizationById,
  createOrganizationSAMLProvider,
  getOrganizationSAMLProviderById,
  updateOrganizationSAMLProvider,
  deleteOrganizationSAMLProvider,
  listSSOProviderLoginsInOrganization,
};
