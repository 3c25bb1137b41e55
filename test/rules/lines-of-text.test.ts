import { expect, test } from 'vitest';
import { createMinimalBody, createUniqueName } from '../integrations/registry/registry-client.ts';
import { json } from '../support/content.ts';
import { platform } from '../support/platform.ts';

interface CreatedObject {
  id: string;
}

interface Field {
  path: string;
  method?: string;
  /** Other fields of the body. */
  more?: object;
  field: string;
  max: number;
  blank?: 'allowed';
}

async function getFields() {
  const { id, token, user } = await platform().makeOrganization();
  const org = `/v1/orgs/${id}`;
  const make = (path: string, body: object, method = 'POST') => json<CreatedObject>(path, { token, body, method });
  const space = await make(`${org}/spaces`, {});
  const collection = await make(`${org}/collections`, {});
  const team = await make(`${org}/teams`, { title: 'Docs' }, 'PUT');
  const translation = await make(`${org}/translations`, { title: 'Languages' });
  const saml = await make(`${org}/saml`, { label: 'Okta' });
  const robot = await make(`${org}/service-accounts`, { displayName: 'CI', role: 'read' });
  const hook = await make(`${org}/webhooks`, { url: 'http://127.0.0.1:9/', active: false });
  const free = { field: 'title', max: 50, blank: 'allowed' } as const;
  const fields: Record<string, Field> = {
    createOrganization: { path: '/v1/orgs', field: 'title', max: 255 },
    updateOrganizationById: {
      path: org,
      method: 'PATCH',
      more: { ai: true, defaultRole: 'edit' },
      field: 'title',
      max: 255,
    },
    createOrganizationTeam: { path: `${org}/teams`, method: 'PUT', field: 'title', max: 64 },
    updateTeamInOrganizationById: { path: `${org}/teams/${team.id}`, method: 'PATCH', field: 'title', max: 64 },
    createSpace: { path: `${org}/spaces`, ...free },
    updateSpaceById: { path: `/v1/spaces/${space.id}`, method: 'PATCH', ...free },
    createCollection: { path: `${org}/collections`, ...free },
    updateCollectionById: { path: `/v1/collections/${collection.id}`, method: 'PATCH', ...free },
    'the description of updateCollectionById': {
      ...free,
      path: `/v1/collections/${collection.id}`,
      method: 'PATCH',
      field: 'description',
      max: 100,
    },
    createTranslationSettings: { path: `${org}/translations`, field: 'title', max: 100 },
    updateTranslationSettings: {
      path: `${org}/translations/${translation.id}`,
      method: 'PUT',
      field: 'title',
      max: 100,
    },
    createOrganizationSAMLProvider: { path: `${org}/saml`, field: 'label', max: 30 },
    updateOrganizationSAMLProvider: { path: `${org}/saml/${saml.id}`, method: 'PATCH', field: 'label', max: 30 },
    updateUserById: { path: `/v1/users/${user}`, method: 'PATCH', field: 'displayName', max: 64 },
    publishIntegration: {
      path: `/v1/integrations/${createUniqueName()}`,
      more: createMinimalBody({ id }),
      field: 'title',
      max: 30,
    },
    createWebhook: {
      ...free,
      path: `${org}/webhooks`,
      more: { url: 'http://127.0.0.1:9/', active: false },
      field: 'description',
      max: 200,
    },
    updateWebhook: { ...free, path: `${org}/webhooks/${hook.id}`, method: 'PATCH', field: 'description', max: 200 },
    createServiceAccount: { path: `${org}/service-accounts`, more: { role: 'read' }, field: 'displayName', max: 64 },
    createUserToken: { path: '/v1/user/tokens', field: 'label', max: 50 },
    createServiceAccountToken: { path: `${org}/service-accounts/${robot.id}/tokens`, field: 'label', max: 50 },
  };
  return { token, fields };
}

type Call = (text: string) => Promise<{ status: number; body: unknown }>;

async function getCall({ path, method = 'POST', more = {}, field }: Field, token: string): Promise<Call> {
  return async (text) => {
    const response = await platform().request(path, { token, method, body: { ...more, [field]: text } });
    return { status: response.status, body: await response.json() };
  };
}

const wrongs = ['a\nb', 'a\r\nb', 'a\tb', 'a\u0000b', 'a\u007fb', 'a\u0085b', 'a\u2028b', 'a\u2029b'];

test('each title, name and label is a single line, and can be blank only if it can be empty', async () => {
  const { token, fields } = await getFields();
  for (const [name, field] of Object.entries(fields)) {
    const call = await getCall(field, token);
    const good = field.blank === 'allowed' ? ['', '  ', 'A title'] : ['A title'];

    for (const text of wrongs) {
      expect([name, text, await call(text)]).toMatchObject([
        name,
        text,
        {
          status: 400,
          body: {
            error: {
              type: 'invalid',
              issues: [{ path: `body.${field.field}`, message: 'must be a single line without control characters' }],
            },
          },
        },
      ]);
    }
    expect([name, (await call('a\ud800b')).status]).toEqual([name, 400]);
    expect([name, (await call('x'.repeat(field.max + 1))).status]).toEqual([name, 400]);
    if (field.blank === undefined) {
      for (const text of ['', '  ', '\u00a0\u3000'])
        expect([name, text, (await call(text)).status]).toEqual([name, text, 400]);
    }
    for (const text of [...good, 'x'.repeat(field.max), 'שלום 😀 é']) {
      const { status, body } = await call(text);
      const storedObject = body as Record<string, unknown> & { user?: Record<string, unknown> };
      expect([name, text, [200, 201].includes(status)]).toEqual([name, text, true]);
      // A response omits an empty description of a collection.
      expect([name, storedObject[field.field] ?? storedObject.user?.[field.field] ?? '']).toEqual([name, text]);
    }
  }
});
