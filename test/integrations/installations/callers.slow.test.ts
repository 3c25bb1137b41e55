import type { IntegrationScope } from '@octavo/schema';
import { IntegrationScope as Scopes } from '@octavo/schema';
import { beforeAll, describe, expect, test } from 'vitest';
import { json } from '../../support/content.ts';
import type { Operation } from '../../support/endpoints.ts';
import { getAddress, operations } from '../../support/endpoints.ts';
import type { TestIntegration } from '../../support/integrations.ts';
import { actAs, change, getPath, install, installOn, makeIntegration } from '../../support/integrations.ts';
import { platform } from '../../support/platform.ts';
import type { World } from '../../support/world.ts';
import { createRandomWorld } from '../../support/world.ts';

const content: IntegrationScope[] = ['space:content:read', 'space:content:write'];
const metadata: IntegrationScope[] = ['space:metadata:read', 'space:metadata:write', ...content];
const adaptive: IntegrationScope[] = ['site:adaptive:read', 'site:adaptive:write'];

/** The expected scopes of some endpoints, declared independently of the code. */
const declared: Record<string, IntegrationScope[] | 'any' | 'none'> = {
  getSpaceById: metadata,
  listSpacesInOrganizationById: metadata,
  searchOrganizationContent: content,
  suggestOrganizationContent: content,
  getSiteById: ['site:metadata:read'],
  listSites: ['site:metadata:read'],
  searchSiteContent: 'none',
  suggestSiteContent: 'none',
  listComputedPages: 'none',
  getSiteAdaptiveSchema: adaptive,
  listSiteAdaptiveTemplateConditions: adaptive,
  updateSiteAdaptiveSchema: ['site:adaptive:write'],
  getAuthenticatedUser: 'any',
  listIntegrations: 'any',
  getOrganizationById: 'any',
  createIntegrationInstallationToken: 'none',
};

/**
 * The integration scopes that grant each token scope. A caller with one of them may call endpoints that need the token
 * scope.
 */
const byScope: Record<string, IntegrationScope[]> = {
  'space:read': content,
  'space:write': ['space:content:write'],
  'site:read': ['site:metadata:read'],
  'openapi:read': ['openapi:read', 'openapi:write'],
  'openapi:write': ['openapi:write'],
};

const [ofReaders, ofEditors] = [
  ['view', 'access'],
  ['comment', 'edit'],
];

function getAllowedScopes({ id, endpoint }: Operation): IntegrationScope[] | 'any' | 'none' {
  const { access, scope } = endpoint;
  if (declared[id] !== undefined) return declared[id];
  if (typeof access === 'string') return 'none';
  if ('installation' in access || ('integration' in access && endpoint.byInstallation === 'any')) return 'any';
  if ('space' in access && ofEditors.includes(access.space)) return ['space:content:write'];
  const isOpen =
    ('space' in access && ofReaders.includes(access.space)) ||
    ('site' in access && access.site === 'view') ||
    'openapi' in access;
  return (isOpen ? byScope[scope] : undefined) ?? 'none';
}

const server = platform();
let world: World;
let integration: TestIntegration;
let token: string;
/** Installation tokens by the scopes of their integration. */
const limited = new Map<string, Promise<string>>();
let path: string;

const guarded = operations.filter(({ endpoint }) => endpoint.access !== 'public');

async function createInstallation(scopes: readonly IntegrationScope[]) {
  const { organization, ids } = world;
  const integration = await makeIntegration(organization, { scopes: [...scopes] });
  const installation = await install(integration, organization);
  await installOn(getPath(integration, installation), organization, { space: ids.spaceId ?? '' });
  await installOn(getPath(integration, installation), organization, { site: ids.siteId ?? '' });
  return { made: integration, installation };
}

function createTokenWithScopes(scopes: readonly IntegrationScope[]): Promise<string> {
  const known = limited.get(scopes.join());
  const installationId =
    known ?? createInstallation(scopes).then(({ made, installation }) => actAs(made, installation));
  limited.set(scopes.join(), installationId);
  return installationId;
}

beforeAll(async () => {
  world = await createRandomWorld(server);
  const whole = await createInstallation(Scopes.options);
  integration = whole.made;
  path = getPath(integration, whole.installation);
  token = await actAs(integration, whole.installation);
});

const callOperation = (operation: Operation, by: string, ids: Record<string, string> = world.ids) =>
  server.request(getAddress(operation.endpoint, ids), {
    method: operation.endpoint.method,
    token: by,
    body: undefined,
  });

const isRefused = (status: number) => status === 403 || status === 404 || status === 401;

/** Returns the scope sets that decide access: each allowed scope alone, and all other scopes together. */
function findDecisiveScopes(allowed: ReturnType<typeof getAllowedScopes>): (readonly IntegrationScope[])[] {
  if (allowed === 'any') return [[]];
  if (allowed === 'none') return [Scopes.options];
  return [...allowed.map((scope) => [scope]), Scopes.options.filter((scope) => !allowed.includes(scope))];
}

describe.each(guarded)('$id', (operation) => {
  const allowed = getAllowedScopes(operation);

  test('accepts only installations with a required scope', async () => {
    for (const scopes of findDecisiveScopes(allowed)) {
      const by = await createTokenWithScopes(scopes);
      const { status } = await callOperation(operation, by, { ...world.ids, installationId: 'unknown' });
      const may = allowed === 'any' || (allowed !== 'none' && scopes.some((scope) => allowed.includes(scope)));
      if (!may) expect([operation.id, scopes, isRefused(status), status]).toEqual([operation.id, scopes, true, status]);
      else expect([operation.id, scopes, status === 403 || status === 401]).toEqual([operation.id, scopes, false]);
    }
  });

  test('accepts the integration itself only if the contract declares it', async () => {
    const { status } = await callOperation(operation, integration.token);

    if (operation.endpoint.byIntegration === true) expect([401, 403]).not.toContain(status);
    else expect([operation.id, isRefused(status)]).toEqual([operation.id, true]);
  });
});

const inSpace = guarded.filter(({ endpoint }) => /:spaceId/.test(endpoint.path) && /^\/v1\/spaces/.test(endpoint.path));
const inOrganization = guarded.filter(
  ({ endpoint }) => /:organizationId/.test(endpoint.path) && typeof endpoint.access !== 'string',
);

test('a space that is not selected returns 404 under every prefix, and so does another organization', async () => {
  const elsewhere = await createRandomWorld(server);
  const other = await server.makeSpace({ organization: world.organization });
  const own = { ...world.ids, spaceId: other.id, revisionId: other.revision };
  for (const operation of inSpace) {
    for (const ids of [elsewhere.ids, own]) {
      expect([operation.id, (await callOperation(operation, token, ids)).status]).toEqual([operation.id, 404]);
    }
  }
  for (const operation of inOrganization) {
    expect([operation.id, (await callOperation(operation, token, elsewhere.ids)).status]).toEqual([operation.id, 404]);
  }
});

test('lists and searches return only content that the installation can access', async () => {
  const { organization, ids } = world;
  const other = await server.makeSpace({ organization });
  const words = {
    changes: [{ operation: 'insert_page', title: 'Hidden walrus', document: { markdown: 'A walrus.' } }],
  };
  await json(`/v1/spaces/${other.id}/content`, { token: organization.token, body: words });
  const spaces = `/v1/orgs/${organization.id}/spaces`;
  const listSpaces = async () => (await json<{ items: { id: string }[] }>(spaces, { token })).items.map(({ id }) => id);
  expect(await listSpaces()).toEqual([ids.spaceId]);
  const sites = await json<{ items: { id: string }[] }>(`/v1/orgs/${organization.id}/sites`, { token });
  expect(sites.items.map(({ id }) => id)).toEqual([ids.siteId]);
  const search = `/v1/orgs/${organization.id}/search?query=walrus`;
  expect(await json(search, { token })).toMatchObject({ items: [] });

  await change(path, organization.token, { space_selection: 'all' });
  expect(await listSpaces()).toEqual(expect.arrayContaining([ids.spaceId, other.id]));
  await change(path, organization.token, { space_selection: 'selected' });
  expect(await listSpaces()).toEqual([ids.spaceId]);
});

test('the account of an installation is in no list of people, and its name is never returned', async () => {
  const { organization, ids } = world;
  const { id: account, displayName } = await json<{ id: string; displayName: string }>('/v1/user', { token });
  expect(displayName).toBe('An integration');
  const body = { body: { markdown: 'A link is broken.' } };
  const comments = `/v1/spaces/${ids.spaceId}/comments`;
  const comment = await json<{ postedBy: { id: string } }>(comments, { token, body });
  expect(comment.postedBy.id).toBe(account);

  const members = `/v1/orgs/${organization.id}/members`;
  for (const list of [
    `${members}?limit=1000`,
    `${members}?sort=lastSeenAt&limit=1000`,
    `/v1/spaces/${ids.spaceId}/permissions/users`,
    `/v1/spaces/${ids.spaceId}/permissions/aggregate`,
    `/v1/spaces/${ids.spaceId}/commenters`,
    `/v1/orgs/${organization.id}/service-accounts`,
  ]) {
    const text = await (await server.request(list, { token: organization.token })).text();
    expect([list, text.includes(account)]).toEqual([list, false]);
  }
  const requestAsAdmin = async (address: string, method: string, sent?: object) =>
    (await server.request(address, { token: organization.token, method, ...(sent ? { body: sent } : {}) })).status;
  const changeRequest = `/v1/spaces/${ids.spaceId}/change-requests/${ids.changeRequestId}`;
  expect(await requestAsAdmin(`${members}/${account}`, 'GET')).toBe(404);
  expect(await requestAsAdmin(`${members}/${account}`, 'PATCH', { role: 'admin' })).toBe(404);
  expect(await requestAsAdmin(`${members}/${account}`, 'DELETE')).toBe(404);
  expect(await requestAsAdmin(`/v1/orgs/${organization.id}/teams/${ids.teamId}/members/${account}`, 'PUT')).not.toBe(
    204,
  );
  const grant = { users: [account], role: 'admin' };
  expect(await requestAsAdmin(`/v1/spaces/${ids.spaceId}/permissions`, 'POST', grant)).toBe(404);
  expect(await requestAsAdmin(`${changeRequest}/requested-reviewers`, 'POST', { users: [account] })).toBe(400);
  const rules = { mergeRules: { type: 'rules', rules: [{ type: 'require_specific_reviewers', users: [account] }] } };
  expect(await requestAsAdmin(`/v1/spaces/${ids.spaceId}`, 'PATCH', rules)).toBe(400);
});
