import type { Access, Endpoint } from './endpoint.ts';
import type { IntegrationScope } from './integrations/integration-scope.ts';
import type { SpaceRight } from './rights.ts';
import type { Scope } from './scopes.ts';

const readsContent = ['space:content:read', 'space:content:write'] as const satisfies IntegrationScope[];

/**
 * The integration scopes that replace each token scope for an installation; any one of them is enough. Installations
 * cannot use endpoints with other token scopes.
 */
const byScope: { readonly [S in Scope]?: readonly IntegrationScope[] } = {
  'space:read': readsContent,
  'space:write': ['space:content:write'],
  'site:read': ['site:metadata:read'],
  'openapi:read': ['openapi:read', 'openapi:write'],
  'openapi:write': ['openapi:write'],
};

const ofReaders: ReadonlySet<SpaceRight> = new Set<SpaceRight>(['view', 'access']);
/**
 * An installation has at most the rights of an editor in a space: it cannot manage spaces or decide on change requests.
 */
const ofEditors: ReadonlySet<SpaceRight> = new Set<SpaceRight>(['comment', 'edit']);

function isOpen(access: Access): boolean {
  if (typeof access !== 'object') return false;
  if ('space' in access) return ofReaders.has(access.space) || ofEditors.has(access.space);
  return 'openapi' in access || ('site' in access && access.site === 'view');
}

const isEditorRight = (access: Access): boolean =>
  typeof access === 'object' && 'space' in access && ofEditors.has(access.space);

/**
 * Returns the integration scopes that allow an installation to call an endpoint; one of them is enough. Returns `any`
 * if no scope is needed, and undefined if no installation may call it. The result is derived from the endpoint's scope
 * unless `byInstallation` overrides it.
 */
export function getInstallationScopes(endpoint: Endpoint): 'any' | readonly IntegrationScope[] | undefined {
  const { byInstallation, access, scope } = endpoint;
  if (byInstallation !== undefined) return byInstallation === 'none' ? undefined : byInstallation;
  if (!isOpen(access) || scope === 'any' || scope === 'unscoped') return undefined;
  return byScope[isEditorRight(access) ? 'space:write' : scope];
}
