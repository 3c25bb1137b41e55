import { expect, test } from 'vitest';
import { json } from '../support/content.ts';
import { operations } from '../support/endpoints.ts';
import { getPath, install, makeIntegration } from '../support/integrations.ts';
import { serveLocally } from '../support/local-server.ts';
import { platform } from '../support/platform.ts';

interface CreatedObject {
  /** Undefined for installations on a space or a site. */
  id: string;
  urls?: { location?: string };
}

/** Returns a call of each endpoint that creates something, with the expected location. */
async function getCalls() {
  const { id, token, user } = await platform().makeOrganization();
  const organization = `/v1/orgs/${id}`;
  const space = await json<CreatedObject>(`${organization}/spaces`, { token, body: {} });
  const site = await serveLocally((_, response) =>
    response.setHeader('content-type', 'text/html').end('<title>A site</title><p>Words.</p>'),
  );
  const changeRequest = await json<CreatedObject>(`/v1/spaces/${space.id}/change-requests`, { token, body: {} });
  const account = { displayName: 'CI', role: 'read' };
  const { id: robot } = await json<CreatedObject>(`${organization}/service-accounts`, { token, body: account });
  const docs = await json<CreatedObject>(`${organization}/sites`, { token, body: {} });
  const parts = `${organization}/sites/${docs.id}`;
  const section = await json<CreatedObject>(`${parts}/sections`, { token, body: { spaceId: space.id } });
  const group = await json<CreatedObject>(`${parts}/section-groups`, { token, body: { title: 'Group' } });
  const owned = await makeIntegration({ id, title: '', token, user });
  const elsewhere = await makeIntegration({ id, title: '', token, user });
  const installed = getPath(owned, await install(owned, { id, token }));
  const unread = { status: 405 };
  return {
    user: { token, id: user },
    calls: {
      createOrganization: { path: '/v1/orgs', body: { title: 'Acme' } },
      createSpace: { path: `${organization}/spaces`, body: {} },
      createCollection: { path: `${organization}/collections`, body: {} },
      duplicateSpace: { path: `/v1/spaces/${space.id}/duplicate`, body: {} },
      importContent: {
        path: `/v1/spaces/${space.id}/content/import`,
        body: { url: site, source: 'website' },
      },
      importContentInChangeRequest: {
        path: `/v1/spaces/${space.id}/change-requests/${changeRequest.id}/content/import`,
        body: { url: site, source: 'website' },
      },
      createChangeRequest: { path: `/v1/spaces/${space.id}/change-requests`, body: {} },
      submitChangeRequestReview: {
        path: `/v1/spaces/${space.id}/change-requests/${changeRequest.id}/reviews`,
        body: { status: 'approved' },
      },
      createOrganizationTeam: { path: `${organization}/teams`, body: { title: 'Docs' }, method: 'PUT' },
      createOrganizationInvite: { path: `${organization}/link-invites`, body: { role: 'read' } },
      createOrganizationSAMLProvider: { path: `${organization}/saml`, body: { label: 'Okta' } },
      createTranslationSettings: { path: `${organization}/translations`, body: { title: 'Languages' } },
      installIntegration: {
        path: `/v1/integrations/${elsewhere.name}/installations`,
        body: { organization: id },
      },
      installIntegrationOnSpace: { path: `${installed}/spaces`, body: { space: space.id } },
      installIntegrationOnSite: { path: `${installed}/sites`, body: { siteId: docs.id } },
      createServiceAccount: {
        path: `${organization}/service-accounts`,
        body: account,
        below: `${organization}/members`,
      },
      createServiceAccountToken: {
        path: `${organization}/service-accounts/${robot}/tokens/`,
        body: { label: 'Build' },
        status: 405,
      },
      createOpenAPISpec: {
        path: `${organization}/openapi`,
        body: { slug: 'pets', source: { text: 'openapi: 3.1.0' } },
      },
      createSite: { path: `${organization}/sites`, body: {} },
      addSpaceToSite: { path: `${parts}/site-spaces`, body: { spaceId: space.id }, ...unread },
      addSectionToSite: { path: `${parts}/sections`, body: { spaceId: space.id }, ...unread },
      addSectionGroupToSite: { path: `${parts}/section-groups`, body: { title: 'Group' }, ...unread },
      addSectionToGroup: {
        path: `${parts}/section-groups/${group.id}/sections`,
        body: { sectionId: section.id },
        ...unread,
      },
      addExternalLinkToSite: {
        path: `${parts}/external-links`,
        body: { title: 'Link', url: 'https://a.test' },
        ...unread,
      },
      createSiteShareLink: { path: `${parts}/share-links`, body: { name: 'Key' }, ...unread },
      createSiteRedirect: {
        path: `${parts}/redirects`,
        body: { source: '/old', destination: { kind: 'external', url: 'https://example.com' } },
      },
      createWebhook: { path: `${organization}/webhooks`, body: { url: 'http://127.0.0.1:9/', active: false } },
      generateStorageUploadURL: {
        path: `${organization}/storage/upload`,
        body: { file: { name: 'a', type: '', size: 1 }, kind: 'import_file' },
        status: 404,
      },
      createUserToken: { path: '/v1/user/tokens', body: { label: 'Laptop' }, status: 405 },
    } as Record<string, { path: string; body: object; method?: string; below?: string; status?: number }>,
  };
}

const makers = operations.filter(({ endpoint }) => endpoint.success === 201).map(({ id }) => id);

test.each(makers)('%s returns the location of what it created', async (operation) => {
  const { request, url } = platform();
  const { user, calls } = await getCalls();
  const call = calls[operation];
  if (call === undefined) throw new Error(`No call of ${operation} is known here.`);
  const { path, body, method = 'POST', below = path.replace(/\/$/, ''), status = 200 } = call;

  const response = await request(path, { token: user.token, method, body });
  const created = (await response.json()) as CreatedObject;
  const location = response.headers.get('location') ?? '';

  expect(response.status).toBe(201);
  expect(location).toBe(created.urls?.location ?? `${url.replace(/\/$/, '')}${below}/${created.id}`);
  const readResponse = await request(new URL(location).pathname, { token: user.token });
  expect(readResponse.status).toBe(status);
  if (status === 200)
    expect(await readResponse.json()).toMatchObject(
      created.id === undefined ? { urls: { location } } : { id: created.id },
    );
});

test.each(operations.filter(({ endpoint }) => endpoint.location))(
  '$id returns an existing location',
  ({ endpoint }) => {
    const shape = (endpoint.response as unknown as { shape: object }).shape;
    const known = [...Object.keys(endpoint.params?.shape ?? {}), ...Object.keys(shape)];
    const getBarePath = (path = '') => path.replace(/:\w+/g, ':');
    const names = [...(endpoint.location ?? '').matchAll(/:(\w+)/g)].map(([, name]) => name);

    expect(known).toEqual(expect.arrayContaining(names));
    expect(
      operations.filter((each) => each.endpoint.method === 'GET').map((each) => getBarePath(each.endpoint.path)),
    ).toContain(getBarePath(endpoint.location));
  },
);
