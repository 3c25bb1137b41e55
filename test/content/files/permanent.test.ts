import { expect, test } from 'vitest';
import type { TestSite } from '../../publishing/customized-site.ts';
import { getSite } from '../../publishing/customized-site.ts';
import { query } from '../../support/database.ts';
import { platform } from '../../support/platform.ts';
import { signedAgain } from '../../support/signed-address.ts';
import { getClient } from '../space-client.ts';
import type { GivenFile } from './file-client.ts';
import { newFiles, pixel, textFile } from './file-client.ts';

/** Creates a file in a new space and returns its download URL, and a function that deletes the space. */
async function newFile(site: TestSite, file: GivenFile = pixel('logo.png')) {
  const server = platform();
  const made = await server.makeSpace({ organization: site.organization });
  const [{ downloadURL: url = '' } = {}] = await newFiles(getClient(server, made), [file]);
  const remove = () => server.request(`/v1/spaces/${made.id}`, { token: made.token, method: 'DELETE' });
  return { url, remove };
}

const themed = (url: string) => ({ light: url, dark: url });
const font = (url: string) => ({
  ...{ id: 'own', custom: true, fontFamily: 'Own' },
  fontFaces: [{ weight: 400, sources: [{ url }] }],
});

type Setting = [name: string, method: string, path: (site: TestSite) => string, body: (url: string) => object];

const ofSite = ({ organization, id }: TestSite) => `/v1/orgs/${organization.id}/sites/${id}/customization`;
const ofSiteSpace = ({ organization, id, siteSpace }: TestSite) =>
  `/v1/orgs/${organization.id}/sites/${id}/site-spaces/${siteSpace}/customization`;

const customizations: [string, (url: string) => object][] = [
  ['favicon', (url) => ({ favicon: { icon: themed(url) } })],
  ['header logo', (url) => ({ header: { logo: themed(url) } })],
  ['footer logo', (url) => ({ footer: { logo: themed(url) } })],
  ['social preview', (url) => ({ socialPreview: { url } })],
  ['font', (url) => ({ styling: { font: font(url) } })],
];

const settings: Setting[] = [
  ...customizations.map(([name, body]): Setting => [`${name} of a site`, 'PUT', ofSite, body]),
  ...customizations.map(([name, body]): Setting => [`${name} of a site space`, 'PATCH', ofSiteSpace, body]),
  ['photo of a user', 'PATCH', ({ organization }) => `/v1/users/${organization.user}`, (photoURL) => ({ photoURL })],
  ['logo of an organization', 'PATCH', ({ organization }) => `/v1/orgs/${organization.id}`, (logo) => ({ logo })],
];

async function setUrl(site: TestSite, [, method, path, body]: Setting, url: string) {
  const answer = await platform().request(path(site), {
    token: site.organization.token,
    method,
    body: body(url),
  });
  return { status: answer.status, text: await answer.text() };
}

test.each(settings)('the %s still works after the space of its file was deleted', async (...setting) => {
  const site = await getSite();
  const { url, remove } = await newFile(site);

  const { status, text } = await setUrl(site, setting, url);
  expect([status, text]).toEqual([200, expect.not.stringContaining('expires=')]);
  const [permanent = ''] = /http[^"]*\/files\/[^"]*/.exec(text) ?? [];
  await remove();

  expect((await fetch(url)).status).toBe(404);
  const answer = await fetch(permanent);
  expect(answer.status).toBe(200);
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    'content-type': 'image/png',
    'access-control-allow-origin': '*',
    'cache-control': expect.stringMatching(/^public, max-age=315\d{5}$/),
  });
  // Writing back a value that was read changes nothing.
  expect((await setUrl(site, setting, permanent)).text).toContain(permanent);
});

const expired = (url: string) => signedAgain(url, ({ searchParams }) => searchParams.set('expires', '1'));
const pastExpiry = 'has expired: read the file through the API for a new URL';
const unknown = 'must be the URL of an existing file';

test.each<[string, GivenFile, (url: string) => string, string]>([
  ['has expired', pixel('logo.png'), expired, pastExpiry],
  ['has another signature', pixel('logo.png'), (url) => `${url.slice(0, -4)}AAAA`, unknown],
  [
    'is neither an image nor a font',
    textFile('a.txt', 'a'),
    (url) => url,
    'must be an image or a font, not text/plain',
  ],
])('rejects a URL that %s, and changes nothing', async (_name, file, change, message) => {
  const site = await getSite();
  const { url } = await newFile(site, file);
  for (const setting of settings) {
    const { status, text } = await setUrl(site, setting, change(url));
    expect([setting[0], status, JSON.parse(text)]).toEqual([
      setting[0],
      400,
      { error: expect.objectContaining({ message: expect.stringContaining(message) }) },
    ]);
  }
  expect(query('SELECT * FROM site_customizations WHERE site = ?', site.id)).toEqual([]);
});

test('rejects a URL of a deleted file', async () => {
  const site = await getSite();
  const { url, remove } = await newFile(site);
  await remove();
  const [setting] = settings;
  if (setting === undefined) throw new Error('There is no setting.');

  expect(await setUrl(site, setting, url)).toEqual({ status: 400, text: expect.stringContaining(unknown) });
});
