import type { Site } from '@octavo/schema';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { json, makePage } from '../../support/content.ts';
import { type OwnPlatform, startOwnPlatform } from '../../support/own-platform.ts';
import { platform } from '../../support/platform.ts';
import { requestWithHost } from '../../support/with-host.ts';
import { createPublishedSite, makeSpaceWithPages } from '../resolution/site-world.ts';

const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

describe('hostnames of organizations', () => {
  let server: OwnPlatform;
  /** Site URLs by title: two on the hostnames of their organizations, and one on a custom hostname. */
  const sites: Record<string, string> = {};
  const ask = (address: string, options = {}) => requestWithHost(server.url, address, options);

  async function makeSite(organization: { id: string; token: string }, title: string, more: object) {
    const { token } = organization;
    const space = await json<{ id: string }>(
      `/v1/orgs/${organization.id}/spaces`,
      { token, body: { title: `${title} guide` } },
      server,
    );
    const files = [{ name: 'pixel.png', contentType: 'image/png', base64: pixel, ref: 'pixel.png' }];
    const markdown = `Words of ${title}.\n\n![A pixel](pixel.png)\n`;
    const changes = [
      { operation: 'insert_files', files },
      { operation: 'insert_page', title: 'Start', document: { markdown } },
    ];
    await json(`/v1/spaces/${space.id}/content`, { token, body: { changes } }, server);
    const path = `/v1/orgs/${organization.id}/sites`;
    const site = await json<Site>(path, { token, body: { title, spaces: [space.id], visibility: 'public' } }, server);
    if (Object.keys(more).length > 0) await json(`${path}/${site.id}`, { token, method: 'PATCH', body: more }, server);
    const published = await json<Site>(`${path}/${site.id}/publish`, { token, method: 'POST' }, server);
    sites[title] = published.urls.published ?? '';
  }

  beforeAll(async () => {
    const publicUrl = 'https://octavo.example.com';
    server = await startOwnPlatform({ sitesUrl: 'https://{organization}.docs.example.com', publicUrl });
    for (const hostname of ['acme', 'rival']) {
      const organization = await server.makeOrganization(hostname);
      await server.request(`/v1/orgs/${organization.id}`, {
        ...{ token: organization.token, method: 'PATCH', body: { hostname } },
      });
      await makeSite(organization, hostname, {});
      if (hostname === 'acme') await makeSite(organization, 'own', { hostname: 'help.acme.test' });
      if (hostname === 'rival') await makeSite(organization, 'passed', { proxy: 'www.rival.test/help' });
    }
  }, 120_000);

  afterAll(() => server?.remove());

  test('each site has its own URL', async () => {
    expect(sites).toEqual({
      ...{ acme: 'https://acme.docs.example.com/acme/', rival: 'https://rival.docs.example.com/rival/' },
      ...{ own: 'https://help.acme.test/', passed: 'https://www.rival.test/help/' },
    });
    for (const [title, address] of Object.entries(sites)) {
      const response = await ask(address);

      expect([title, response.status, response.text]).toEqual([
        title,
        200,
        expect.stringContaining(`Words of ${title}.`),
      ]);
      expect(response.text).toContain(`<link rel="canonical" href="${address}"`);
      expect((await ask(address, { method: 'HEAD' })).headers.etag).toBe(response.headers.etag);
    }
  });

  test.each(['acme.docs.example.com', 'help.acme.test', 'unknown.acme.test'])(
    'at %s only sites respond, and only to requests of their own origin',
    async (host) => {
      const own = await json<{ id: string }>('/v1/user', { token: server.token }, server);
      for (const path of [
        '/v1/',
        '/v1/user',
        '/reference',
        '/openapi.json',
        '/health',
        '/app/spaces/spc_1',
        '/-/acme/acme/',
      ]) {
        const headers = { authorization: `Bearer ${server.token}` };
        const response = await ask(`https://${host}${path}`, { headers });

        expect([path, response.status, response.text.includes(own.id)]).toEqual([path, 404, false]);
        expect(response.headers['access-control-allow-origin']).toBeUndefined();
        expect(response.headers['set-cookie']).toBeUndefined();
      }
    },
  );

  test("an organization's hostname serves only its own sites, and the server's hostname serves none", async () => {
    for (const address of [
      ...['https://rival.docs.example.com/acme/', 'https://help.acme.test/-/rival/rival/'],
      ...[`${server.url}/-/acme/acme/`, `${server.url}/-/rival/rival/`],
    ])
      expect([address, (await ask(address)).status]).toEqual([address, 404]);
  });

  test('serve the files of a page', async () => {
    const { text } = await ask(sites.own ?? '');
    const [, file] = /<img[^>]* src="([^"]+)"/.exec(text) ?? [];
    const address = file?.replaceAll('&amp;', '&') ?? '';

    expect(new URL(address).origin).toBe('https://octavo.example.com');
    expect((await ask(address)).headers['content-type']).toBe('image/png');
  });

  test('load styles from the root of the host, or relative to the site behind a proxy', async () => {
    const loaded = Object.entries(sites).map(async ([title, address]) => {
      const [, style = ''] = /<link rel="stylesheet" href="([^"]+)"/.exec((await ask(address)).text) ?? [];
      const { status, headers } = await ask(new URL(style, address).href);
      return [title, style.replace(/\w+\.css$/, '*.css'), status, headers['content-type']];
    });
    const css = [200, 'text/css; charset=utf-8'];

    expect(await Promise.all(loaded)).toEqual([
      ...['acme', 'own', 'rival'].map((title) => [title, '/~/assets/site.*.css', ...css]),
      ['passed', './~/assets/site.*.css', ...css],
    ]);
  });

  test.each(['//evil.test/x', '/%5c/evil.test', '///evil.test'])(
    '%s does not redirect to another host',
    async (path) => {
      for (const site of [sites.own, sites.acme])
        for (const query of ['?visitor.plan=pro', '']) {
          const address = `${new URL(site ?? '').origin}${path}${query}`;
          const { status, headers } = await ask(address);

          expect([address, status]).toEqual([address, query === '' || site === sites.acme ? 404 : 303]);
          expect(new URL(headers.location ?? '/', address).origin).toBe(new URL(address).origin);
        }
      expect((await ask('https://acme.docs.example.com//acme//~/sign-out')).headers.location).toBe('/acme/');
    },
  );

  test('cookies are limited to the site, and are secure behind any proxy', async () => {
    for (const [address, path] of [
      [sites.acme, '/acme/'],
      [sites.own, '/'],
    ]) {
      const { status, headers } = await ask(`${address}start?visitor.plan=pro&a=1`);

      expect([status, headers.location]).toEqual([303, `${path}start?a=1`]);
      const [cookie = ''] = headers['set-cookie'] ?? [];
      expect(cookie.split('; ').slice(1)).toEqual([`Path=${path}`, 'HttpOnly', 'SameSite=Lax', 'Secure']);
    }
  });
});

test('all names of the machine serve the same site with the same response', async () => {
  const organization = await platform().makeOrganization();
  const space = await makeSpaceWithPages(organization, 'Guide', []);
  await makePage(space, 'Start', 'Words of it.\n');
  const { base } = await createPublishedSite({ organization, visibility: 'public', spaces: [space.id] });
  const { port, pathname } = new URL(`${base}/`);
  const names = ['127.0.0.1', 'localhost', '[::1]', 'machine'];

  const responses = await Promise.all(
    names.map((name) => requestWithHost(platform().url, `http://${name}:${port}${pathname}`)),
  );

  for (const { status, text } of responses)
    expect([status, text]).toEqual([200, expect.stringContaining('Words of it.')]);
  // At the root of a host that organizations share, a directory could not find the cell of the files.
  expect(responses[0]?.text).toContain('<link rel="stylesheet" href="./~/assets/site.');
  expect(new Set(responses.map(({ headers }) => headers.etag)).size).toBe(1);
  expect(responses[0]?.headers['content-security-policy']).toContain(`img-src 'self' ${platform().url} https: data:`);
});
