import { afterAll, expect, test } from 'vitest';
import { type OwnPlatform, startOwnPlatform } from '../../support/own-platform.ts';

let server: OwnPlatform | undefined;
afterAll(async () => {
  await server?.remove();
});

interface CreatedSite {
  id: string;
  urls: { published?: string };
}

test("an organization's hostname serves sites by their hostname or by the organization's ID, and cannot belong to a site", async () => {
  server = await startOwnPlatform({ sitesUrl: 'https://{organization}.docs.example.com' });
  const { request, token, organization } = server;
  const post = async (path: string, body?: object) =>
    (await (await request(path, { token, method: 'POST', body })).json()) as CreatedSite;
  const path = `/v1/orgs/${organization}/sites`;
  const make = () => post(`/v1/orgs/${organization}/spaces`, { title: 'Guides' });
  const site = await post(path, { title: 'Docs', spaces: [(await make()).id] });
  const resolveAddress = async (url: string | undefined) =>
    (await (await request('/v1/urls/published', { body: { url } })).json()) as unknown;

  const byId = (await post(`${path}/${site.id}/publish`)).urls.published;
  expect(byId).toContain(organization);
  expect(await resolveAddress(byId)).toMatchObject({ site: site.id });
  await request(`/v1/orgs/${organization}`, { token, method: 'PATCH', body: { hostname: 'acme' } });
  const byName = (await post(`${path}/${site.id}/publish`)).urls.published;
  expect(byName).toBe('https://acme.docs.example.com/docs/');
  expect(await resolveAddress(byName)).toMatchObject({ site: site.id });

  for (const [field, value] of [
    ['hostname', 'victim.docs.example.com'],
    ['proxy', 'Victim.docs.example.com/x'],
  ] as const) {
    const response = await request(`${path}/${site.id}`, { token, method: 'PATCH', body: { [field]: value } });
    expect([response.status, await response.text()]).toEqual([400, expect.stringContaining(`body.${field}`)]);
  }
}, 120_000);
