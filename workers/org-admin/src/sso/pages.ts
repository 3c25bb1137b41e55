import type { ServedPage } from '@octavo/runtime';
import type { OrgAdminEnvironment } from '../environment.ts';
import { consumeAssertion } from './consume-assertion.ts';
import { finish } from './finish.ts';
import { metadata } from './metadata.ts';
import { start } from './start.ts';

export const ssoPages: ServedPage<OrgAdminEnvironment>[] = [
  { method: 'GET', path: '/sso/saml/:providerId/metadata', handler: metadata },
  { method: 'GET', path: '/sso/saml/:providerId/start', handler: start },
  { method: 'POST', path: '/sso/saml/:providerId/acs', handler: consumeAssertion },
  { method: 'GET', path: '/sso/saml/:providerId/finish', handler: finish },
];
