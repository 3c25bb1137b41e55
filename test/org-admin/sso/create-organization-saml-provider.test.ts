import { generateKeyPairSync } from 'node:crypto';
import { expect, test } from 'vitest';
import { createCertificate, makeIdentity } from '../../support/certificate.ts';
import { json } from '../../support/content.ts';
import { query } from '../../support/database.ts';
import { platform } from '../../support/platform.ts';
import { getSharedIdentity } from '../../support/sign-in.ts';

const { certificate, privateKey } = getSharedIdentity();
const bare = certificate.replace(/-----[A-Z ]+-----|\n/g, '');

test('creates a provider that is pending until its settings are complete', async () => {
  const { request, makeOrganization, url } = platform();
  const { id, token } = await makeOrganization();

  const response = await request(`/v1/orgs/${id}/saml`, { token, body: { label: 'Okta' } });
  const provider = (await response.json()) as { id: string; urls: { location: string } };

  const getUrl = (name: string) => `${url}/sso/saml/${provider.id}/${name}`.replace(/([^:])\/\//, '$1/');
  expect(response.status).toBe(201);
  expect(response.headers.get('location')).toBe(provider.urls.location);
  expect(provider).toEqual({
    object: 'saml-provider',
    id: expect.stringMatching(/^saml_\w{20}$/),
    label: 'Okta',
    ssoURL: '',
    entityID: '',
    certificate: '',
    defaultRole: null,
    createdAt: expect.any(String),
    status: 'pending',
    service: { acsURL: getUrl('acs'), startURL: getUrl('start'), entityID: getUrl('metadata') },
    urls: { location: expect.stringContaining(`/v1/orgs/${id}/saml/${provider.id}`) },
  });
  expect(query('SELECT type, data FROM outbox WHERE organization = ? ORDER BY created_at DESC LIMIT 1', id)).toEqual([
    { type: 'saml_provider.created', data: JSON.stringify({ provider: provider.id }) },
  ]);
});

test.each([certificate, bare, `\n${certificate.replaceAll('\n', '\r\n')}\n`])(
  'creates an active provider if its settings are complete, with the certificate as PEM or base64',
  async (form) => {
    const { makeOrganization } = platform();
    const { id, token } = await makeOrganization();
    const body = {
      label: 'Okta',
      ssoURL: 'https://idp.test/sso',
      entityID: 'urn:idp',
      certificate: form,
      defaultRole: 'edit',
    };

    expect(await json(`/v1/orgs/${id}/saml`, { token, body })).toMatchObject({ status: 'active', ...body });
  },
);

const createEllipticCertificate = () => {
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { privateKey: signer } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return createCertificate(publicKey, signer);
};

test.each([
  ['label', { label: '' }],
  ['label', { label: 'x'.repeat(31) }],
  ['label', {}],
  ['ssoURL', { ssoURL: 'javascript:alert(1)' }],
  ['ssoURL', { ssoURL: 'ftp://idp.test' }],
  ['ssoURL', { ssoURL: `https://idp.test/${'x'.repeat(2048)}` }],
  ['entityID', { entityID: 'x'.repeat(1025) }],
  ['defaultRole', { defaultRole: 'owner' }],
  ['defaultTeam', { defaultTeam: 'team_none' }],
  ['certificate', { certificate: 'x' }],
  ['certificate', { certificate: 'hello world!' }],
  ['certificate', { certificate: privateKey }],
  ['certificate', { certificate: certificate + privateKey }],
  ['certificate', { certificate: certificate + certificate }],
  ['certificate', { certificate: privateKey.replace(/-----[A-Z ]+-----|\n/g, '') }],
  ['certificate', { certificate: bare.slice(0, -8) }],
  ['certificate', { certificate: certificate.slice(0, 60) + certificate.slice(64) }],
  ['certificate', { certificate: makeIdentity(1024).certificate }],
  ['certificate', { certificate: createEllipticCertificate() }],
  ['certificate', { certificate: 'A'.repeat(10_001) }],
])('rejects an invalid %s and writes nothing: %j', async (field, settings) => {
  const { request, makeOrganization } = platform();
  const { id, token } = await makeOrganization();
  const body = field === 'label' ? settings : { label: 'x', ...settings };

  const response = await request(`/v1/orgs/${id}/saml`, { token, body });
  const text = await response.text();

  expect(response.status).toBe(400);
  expect(JSON.parse(text)).toMatchObject({ error: { issues: [{ path: `body.${field}` }] } });
  expect(text).not.toContain(privateKey.slice(40, 80));
  expect(query('SELECT 1 FROM saml_providers WHERE organization = ?', id)).toEqual([]);
});

test('rejects a team of another organization', async () => {
  const { request, makeOrganization } = platform();
  const [mine, theirs] = [await makeOrganization(), await makeOrganization()];
  const foreign = await request(`/v1/orgs/${theirs.id}/teams`, { token: theirs.token, body: { title: 'Theirs' } });
  const defaultTeam = foreign.ok ? ((await foreign.json()) as { id: string }).id : 'team_none';

  const response = await request(`/v1/orgs/${mine.id}/saml`, { token: mine.token, body: { label: 'x', defaultTeam } });

  expect(response.status).toBe(400);
});

test('an organization has at most 20 providers, also concurrently', async () => {
  const { request, makeOrganization } = platform();
  const { id, token } = await makeOrganization();

  const calls = Array.from({ length: 25 }, () => request(`/v1/orgs/${id}/saml`, { token, body: { label: 'x' } }));
  const responses = await Promise.all(calls);
  const refusedResponses = responses.filter(({ status }) => status === 409);

  expect(responses.filter(({ status }) => status === 201)).toHaveLength(20);
  expect(refusedResponses).toHaveLength(5);
  expect(await refusedResponses[0]?.json()).toMatchObject({
    error: { message: 'An organization can have at most 20 SAML providers.' },
  });
});
