import { afterAll, expect, test } from 'vitest';
import { type OwnPlatform, ownPlatform } from '../../support/own-platform.ts';

let server: OwnPlatform | undefined;
afterAll(async () => {
  await server?.remove();
});

interface Made {
  id: string;
  urls: { published?: string };
}

test('organization hostnames serve sites by hostname or ID of the organization, and cannot be the hostname of a site', async () => {
  server = await ownPlatform({ sitesUrl: 'https://{organization}.docs.example.com' });
  const { request, token, organization } = server;
  const post = async (path: string, body?: object) =>
    (await (await request(path, { token, method: 'POST', body })).json()) as Made;
  const path = `/v1/orgs/${organization}/sites`;
  const make = () => post(`/v1/orgs/${organization}/spaces`, { title: 'Guides' });
  const site = await post(path, { title: 'Docs', spaces: [(await make()).id] });
  const resolved = async (url: string | undefined) =>
    (await (await request('/v1/urls/published', { body: { url } })).json()) as unknown;

  const byId = (await post(`${path}/${site.id}/publish`)).urls.published;
  expect(byId).toContain(organization);
  expect(await resolved(byId)).toMatchObject({ site: site.id });
  await request(`/v1/orgs/${organization}`, { token, method: 'PATCH', body: { hostname: 'acme' } });
  const byName = (await post(`${path}/${site.id}/publish`)).urls.published;
  expect(byName).toBe('https://acme.docs.example.com/docs/');
  expect(await resolved(byName)).toMatchObject({ site: site.id });

  for (const [field, value] of [
    ['hostname', 'victim.docs.example.com'],
    ['proxy', 'Victim.docs.example.com/x'],
  ] as const) {
    const answer = await request(`${path}/${site.id}`, { token, method: 'PATCH', body: { [field]: value } });
    expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining(`body.${field}`)]);
  }
}, 120_000);
