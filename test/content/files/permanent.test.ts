import { expect, test } from 'vitest';
import type { TestSite } from '../../publishing/customized-site.ts';
import { getSite } from '../../publishing/customized-site.ts';
import { query } from '../../support/database.ts';
import { platform } from '../../support/platform.ts';
import { resignUrl } from '../../support/signed-address.ts';
import { getClient } from '../space-client.ts';
import { put, startUpload, uploadBytes } from '../uploads/upload-client.ts';
import type { GivenFile } from './file-client.ts';
import { createFiles, createPixel, createTextFile } from './file-client.ts';

/** Creates a file in a new space and returns its download URL, and a function that deletes the space. */
async function createFile(site: TestSite, file: GivenFile = createPixel('logo.png')) {
  const server = platform();
  const space = await server.makeSpace({ organization: site.organization });
  const [{ downloadURL: url = '' } = {}] = await createFiles(getClient(server, space), [file]);
  const remove = () => server.request(`/v1/spaces/${space.id}`, { token: space.token, method: 'DELETE' });
  return { url, remove };
}

const createThemedUrl = (url: string) => ({ light: url, dark: url });
const createFont = (url: string) => ({
  ...{ id: 'own', custom: true, fontFamily: 'Own' },
  fontFaces: [{ weight: 400, sources: [{ url }] }],
});

type Setting = [name: string, method: string, path: (site: TestSite) => string, body: (url: string) => object];

const getCustomizationPath = ({ organization, id }: TestSite) =>
  `/v1/orgs/${organization.id}/sites/${id}/customization`;
const getSiteSpaceCustomizationPath = ({ organization, id, siteSpace }: TestSite) =>
  `/v1/orgs/${organization.id}/sites/${id}/site-spaces/${siteSpace}/customization`;

const customizations: [string, (url: string) => object][] = [
  ['favicon', (url) => ({ favicon: { icon: createThemedUrl(url) } })],
  ['header logo', (url) => ({ header: { logo: createThemedUrl(url) } })],
  ['footer logo', (url) => ({ footer: { logo: createThemedUrl(url) } })],
  ['social preview', (url) => ({ socialPreview: { url } })],
  ['font', (url) => ({ styling: { font: createFont(url) } })],
];

const settings: Setting[] = [
  ...customizations.map(([name, body]): Setting => [`${name} of a site`, 'PUT', getCustomizationPath, body]),
  ...customizations.map(
    ([name, body]): Setting => [`${name} of a site space`, 'PATCH', getSiteSpaceCustomizationPath, body],
  ),
  ['photo of a user', 'PATCH', ({ organization }) => `/v1/users/${organization.user}`, (photoURL) => ({ photoURL })],
  ['logo of an organization', 'PATCH', ({ organization }) => `/v1/orgs/${organization.id}`, (logo) => ({ logo })],
];

async function setUrl(site: TestSite, [, method, path, body]: Setting, url: string) {
  const response = await platform().request(path(site), {
    token: site.organization.token,
    method,
    body: body(url),
  });
  return { status: response.status, text: await response.text() };
}

test.each(settings)('the %s still works after the space of its file was deleted', async (...setting) => {
  const site = await getSite();
  const { url, remove } = await createFile(site);

  const { status, text } = await setUrl(site, setting, url);
  expect([status, text]).toEqual([200, expect.not.stringContaining('expires=')]);
  const [permanent = ''] = /http[^"]*\/files\/[^"]*/.exec(text) ?? [];
  await remove();

  expect((await fetch(url)).status).toBe(404);
  const response = await fetch(permanent);
  expect(response.status).toBe(200);
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'content-type': 'image/png',
    'access-control-allow-origin': '*',
    'cache-control': expect.stringMatching(/^public, max-age=315\d{5}$/),
  });
  // If a client writes back the URL that it read, the setting does not change.
  expect((await setUrl(site, setting, permanent)).text).toContain(permanent);
});

const expireUrl = (url: string) => resignUrl(url, ({ searchParams }) => searchParams.set('expires', '1'));
const pastExpiry = 'has expired: read the file through the API for a new URL';
const unknown = 'must be the URL of an existing file';

test.each<[string, GivenFile, (url: string) => string, string]>([
  ['has expired', createPixel('logo.png'), expireUrl, pastExpiry],
  ['has another signature', createPixel('logo.png'), (url) => `${url.slice(0, -4)}AAAA`, unknown],
  [
    'is neither an image nor a font',
    createTextFile('a.txt', 'a'),
    (url) => url,
    'must be an image or a font, not text/plain',
  ],
])('rejects a URL that %s, and changes nothing', async (_name, file, change, message) => {
  const site = await getSite();
  const { url } = await createFile(site, file);
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

const getUploader = ({ organization: { id, token } }: TestSite) => ({ organization: id, token });

test.each(settings)('the %s can be an upload', async (...setting) => {
  const site = await getSite();
  const bytes = new Uint8Array(Buffer.from(createPixel('logo.png').base64 ?? '', 'base64'));
  const { url } = await uploadBytes(getUploader(site), bytes, 'logo.png');

  const { status, text } = await setUrl(site, setting, url);

  expect([status, text]).toEqual([200, expect.not.stringContaining('/uploads/')]);
  const [permanent = ''] = /http[^"]*\/files\/[^"]*/.exec(text) ?? [];
  const response = await fetch(permanent);
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/png']);
  expect(new Uint8Array(await response.arrayBuffer())).toEqual(bytes);
});

test('rejects the URL of an upload that is incomplete, unknown or not an image', async () => {
  const site = await getSite();
  const [setting] = settings;
  if (setting === undefined) throw new Error('There is no setting.');
  const { url } = await startUpload(getUploader(site), 3);
  const readRejection = async (address: string) =>
    JSON.parse((await setUrl(site, setting, address)).text).error.message;

  expect(await readRejection(url)).toContain('must be the URL of a complete upload');
  expect(await readRejection(`${url.slice(0, -4)}AAAA`)).toContain(unknown);
  expect(await readRejection(expireUrl(url))).toContain('has expired: upload the file again');
  await put(url, new TextEncoder().encode('abc'));
  expect(await readRejection(url)).toContain('must be an image or a font, not text/plain');
});

test('rejects a URL of a deleted file', async () => {
  const site = await getSite();
  const { url, remove } = await createFile(site);
  await remove();
  const [setting] = settings;
  if (setting === undefined) throw new Error('There is no setting.');

  expect(await setUrl(site, setting, url)).toEqual({ status: 400, text: expect.stringContaining(unknown) });
});
