import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createPixel } from '../content/files/file-client.ts';
import { json } from '../support/content.ts';
import { platform } from '../support/platform.ts';
import { checkScreen } from './checked-screen.ts';
import { openBrowser } from './open-browser.ts';
import { openSignedIn } from './signed-in-page.ts';

// Tests of images that settings use.

let browser: Browser;

beforeAll(async () => {
  browser = await openBrowser();
}, 120_000);

afterAll(() => browser?.close());

const buffer = Buffer.from(createPixel('').base64 ?? '', 'base64');
const createImage = (name: string) => ({ name, mimeType: 'image/png', buffer });

/** Returns the type of a file that everyone can read. */
const readType = async (url: string) => (await fetch(url)).headers.get('content-type');

test('an admin uploads the logo of a site, and a wrong address is rejected', async () => {
  const organization = await platform().makeOrganization('Acme');
  const { id, token } = organization;
  const path = `/orgs/${id}/sites`;
  const site = await json<{ id: string }>(`/v1${path}`, { token, body: { title: 'Docs' } });
  const { page, faults } = await openSignedIn(browser, organization);
  await page.goto(`${platform().url}/app${path}/${site.id}`);
  const field = page.getByLabel('Logo, light', { exact: true });
  const save = page.getByRole('button', { name: 'Save appearance' });

  for (const address of ['ftp://a.example/logo.png', 'logo.png', 'https://']) {
    await field.fill(address);
    await save.click();
    expect(await field.evaluate(({ validationMessage }) => validationMessage)).toBe(
      'Enter a URL that starts with https:// or http://.',
    );
  }
  await field.fill('');
  const upload = page.getByLabel('Upload: Logo, light').and(page.locator('input'));
  await upload.setInputFiles({ name: 'notes.png', mimeType: 'image/png', buffer: Buffer.from('text') });
  await page.getByText('notes.png is not an image. Choose another file.').waitFor();
  expect(await page.locator('.site-sample-head img').count()).toBe(0);
  await upload.setInputFiles(createImage('logo.png'));
  await page.locator('.site-sample-head img').first().waitFor();
  await page.getByText('logo.png', { exact: true }).waitFor();
  await checkScreen(page, 'site-logo');
  await save.click();
  await page.getByText('Appearance saved').waitFor();

  const customization = `/v1${path}/${site.id}/customization`;
  const { header } = await json<{ header: { logo: { light: string; dark: string } } }>(customization, { token });
  expect(header.logo.dark).toBe(header.logo.light);
  expect(await readType(header.logo.light)).toBe('image/png');
  await expect.poll(() => field.inputValue()).toBe(header.logo.light);
  expect(await page.getByLabel('Logo, dark', { exact: true }).inputValue()).toBe('');
  await page.getByRole('button', { name: 'Remove: Logo, light' }).click();
  await save.click();
  await expect
    .poll(async () => (await json<{ header: object }>(customization, { token })).header)
    .not.toHaveProperty('logo');
  expect(faults).toEqual([]);
}, 120_000);

test('a member uploads a photo and removes it', async () => {
  const organization = await platform().makeOrganization('Acme');
  const { page, faults } = await openSignedIn(browser, organization, { role: 'read' });
  await page.goto(`${platform().url}/app/profile`);
  const save = page.getByRole('button', { name: 'Save', exact: true });

  await page.getByLabel('Upload: Photo').and(page.locator('input')).setInputFiles(createImage('me.png'));
  await page.getByText('me.png', { exact: true }).waitFor();
  await save.click();
  await page.getByText('Profile saved').waitFor();
  const photo = page.locator('img.avatar').first();
  expect(await readType((await photo.getAttribute('src')) ?? '')).toBe('image/png');
  await checkScreen(page, 'profile-photo');

  await page.getByRole('button', { name: 'Remove: Photo' }).click();
  await save.click();
  await photo.waitFor({ state: 'detached' });
  expect(faults).toEqual([]);
}, 120_000);
