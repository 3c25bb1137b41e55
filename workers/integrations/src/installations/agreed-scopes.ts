import type { IntegrationScope } from '@octavo/schema';
import { invalid } from '@octavo/schema';

/**
 * What an organization agrees to, of what the integration asks for; all of it where nothing else is said.
 * @throws ApiError invalid where the integration does not ask for it
 */
export function agreedScopes(
  published: IntegrationScope[],
  scopes: IntegrationScope[] = published,
): IntegrationScope[] {
  const unasked = scopes.filter((scope) => !published.includes(scope));
  if (unasked.length === 0) return scopes;
  throw invalid([{ path: 'body.scopes', message: `The integration does not ask for ${unasked.join(' and ')}.` }]);
}
