import type { Urls } from '@octavo/runtime';

/** Where a provider's identity service finds us: what it is configured with. */
export const serviceOf = (urls: Urls, provider: string) => ({
  acsURL: urls.page(`/sso/saml/${provider}/acs`),
  startURL: urls.page(`/sso/saml/${provider}/start`),
  entityID: urls.page(`/sso/saml/${provider}/metadata`),
});

export type Service = ReturnType<typeof serviceOf>;
