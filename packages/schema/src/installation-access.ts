import type { Access, Endpoint } from './endpoint.ts';
import type { IntegrationScope } from './integrations/integration-scope.ts';
import type { SpaceRight } from './rights.ts';
import type { Scope } from './scopes.ts';

const readsContent = ['space:content:read', 'space:content:write'] as const satisfies IntegrationScope[];

/** What lets an installation do what a token needs a scope for, any one of these; by scopes that are not here it may not. */
const byScope: { readonly [S in Scope]?: readonly IntegrationScope[] } = {
  'space:read': readsContent,
  'space:write': ['space:content:write'],
  'site:read': ['site:metadata:read'],
  'openapi:read': ['openapi:read', 'openapi:write'],
  'openapi:write': ['openapi:write'],
};

const ofReaders: ReadonlySet<SpaceRight> = new Set<SpaceRight>(['view', 'access']);
/** What an installation does in a space is at most what an editor does: it neither manages spaces nor decides on requests. */
const ofEditors: ReadonlySet<SpaceRight> = new Set<SpaceRight>(['comment', 'edit']);

function isOpen(access: Access): boolean {
  if (typeof access !== 'object') return false;
  if ('space' in access) return ofReaders.has(access.space) || ofEditors.has(access.space);
  return 'openapi' in access || ('site' in access && access.site === 'view');
}

const asksForEditors = (access: Access): boolean =>
  typeof access === 'object' && 'space' in access && ofEditors.has(access.space);

/**
 * The scopes of its integration of which an installation needs one to call an endpoint: `any` where it needs none,
 * undefined where no installation may call it. This follows from the endpoint's own scope, unless the endpoint says
 * something else.
 */
export function installationScopesOf(endpoint: Endpoint): 'any' | readonly IntegrationScope[] | undefined {
  const { byInstallation, access, scope } = endpoint;
  if (byInstallation !== undefined) return byInstallation === 'none' ? undefined : byInstallation;
  if (!isOpen(access) || scope === 'any' || scope === 'unscoped') return undefined;
  return byScope[asksForEditors(access) ? 'space:write' : scope];
}
