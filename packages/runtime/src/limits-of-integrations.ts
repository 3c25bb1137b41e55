import type { CallerRecord } from '@octavo/db';
import type { Endpoint } from '@octavo/schema';
import { forbidden, installationScopesOf } from '@octavo/schema';

/** What an integration or an installation of it may call at all. @throws ApiError forbidden */
export function requireOfIntegration(endpoint: Endpoint, { installation, integrationScopes }: CallerRecord): void {
  if (installation === null) {
    if (endpoint.byIntegration !== true) throw forbidden('An integration may not do this by a token of its own.');
    return;
  }
  const needed = installationScopesOf(endpoint);
  if (needed === undefined) throw forbidden('An installation of an integration may not do this.');
  if (needed !== 'any' && !needed.some((scope) => integrationScopes?.includes(scope))) {
    throw forbidden(`The integration lacks the scope ${needed.join(' or ')}.`);
  }
}
