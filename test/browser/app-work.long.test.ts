import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { edit, makePage } from '../support/content.ts';
import { waitForMail } from '../support/mail.ts';
import { platform } from '../support/platform.ts';
import { openBrowser } from './open-browser.ts';
import { followMailLink, openSignedIn, openWindow } from './signed-in-page.ts';

let browser: Browser;

beforeAll(async () => {
  browser = await openBrowser();
}, 120_000);

afterAll(() => browser?.close());

test('an admin creates a space, imports a folder, publishes it and reads the site', async () => {
  const organization = await platform().makeOrganization('Acme');
  const { page } = await openSignedIn(browser, organization, { permissions: ['clipboard-read', 'clipboard-write'] });
  const folder = await mkdtemp(path.join(tmpdir(), 'octavo-import-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await writeFile(path.join(folder, 'README.md'), '# Welcome\n\nHello from a file.\n');
  await writeFile(path.join(folder, 'install.md'), '# Install\n\nBack to [Welcome](README.md). [Lost](lost.md).\n');

  await page.goto(`${platform().url}/app/orgs/${organization.id}`);
  await page.getByRole('button', { name: 'New space' }).click();
  await page.getByLabel('Title').fill('Product docs');
  await page.getByRole('button', { name: 'Create space' }).click();
  await page.getByRole('link', { name: 'Import content' }).click();
  await page.getByLabel('Choose a folder').and(page.locator('input')).setInputFiles(folder);
  await page.getByText('Import complete').waitFor();
  const broken = page.getByRole('main').getByRole('link', { name: '1 broken link' });
  expect(await broken.getAttribute('href')).toMatch(/^\/app\/spaces\/\w+\/links$/);
  await page.getByRole('tree', { name: 'Pages' }).getByText('Install').waitFor();
  await page.getByRole('link', { name: 'Open the space' }).click();
  await page.getByText('Hello from a file.').waitFor();

  await page.getByRole('button', { name: 'Publish' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Publish' }).click();
  await dialog.getByRole('button', { name: 'Unpublish Product docs' }).click();
  await dialog.getByRole('button', { name: 'Unpublish' }).click();
  await dialog.getByRole('button', { name: 'Publish' }).click();
  const site = dialog.getByRole('link', { name: /^http.*\/product-docs/ });
  const address = await site.getAttribute('href');
  expect(await site.textContent()).toBe(address);
  await dialog.getByRole('button', { name: 'Copy the address of Product docs' }).click();
  await page.getByText('Address copied').waitFor();
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(address);
  await page.keyboard.press('Escape');
  const link = page.getByRole('link', { name: 'View site' });
  await expect.poll(() => link.getAttribute('href')).toBe(address);
  expect(await page.getByRole('button', { name: 'Publish' }).count()).toBe(0);
  await page.goto(address ?? '');
  await page.getByText('Hello from a file.').waitFor();
});

test('a reviewer cannot publish a space', async () => {
  const organization = await platform().makeOrganization('Acme');
  const space = await platform().makeSpace({ organization, title: 'Handbook' });
  await makePage(space, 'Install', 'Install it.');
  const { page } = await openSignedIn(browser, organization, { role: 'review' });
  await page.goto(`${platform().url}/app/spaces/${space.id}`);
  await page.getByRole('button', { name: 'Edit' }).waitFor();

  expect(await page.getByRole('button', { name: 'Publish' }).count()).toBe(0);
});

test('an admin invites a member, changes the role and removes the member', async () => {
  const organization = await platform().makeOrganization('Acme');
  const { page } = await openSignedIn(browser, organization);
  await page.goto(`${platform().url}/app/orgs/${organization.id}/members`);
  await page.getByRole('button', { name: 'Invite' }).click();
  const addresses = page.getByLabel('Email addresses');
  await addresses.fill('bea@example.test, bea');
  await page.getByRole('button', { name: 'Send invitations' }).click();
  expect(await addresses.evaluate(({ validationMessage }) => validationMessage)).toBe('“bea” is not an email address.');
  const email = `grace-${organization.id.toLowerCase()}@example.test`;
  await addresses.fill(email);
  await page.getByLabel('Role').selectOption('Reviewer');
  await page.getByText('reviews and merges change requests').waitFor();
  await page.getByRole('button', { name: 'Send invitations' }).click();
  const row = page.getByRole('listitem').filter({ hasText: 'grace-' });
  await row.getByRole('button', { name: /Reviewer/ }).click();
  await page.getByRole('menuitemradio', { name: 'Reader' }).click();
  await row.getByText('Invited').waitFor();
  await row.getByRole('button', { name: /Reader/ }).click();
  await page.getByRole('menuitem', { name: 'Send invitation again' }).click();
  await waitForMail(email, { count: 2 });
  await followMailLink((await openWindow(browser)).page, email);
  const countInvited = async (): Promise<number> => {
    await page.reload();
    await row.waitFor();
    return row.getByText('Invited').count();
  };
  await expect.poll(countInvited).toBe(0);
  await row.getByRole('button', { name: /Reader/ }).click();
  await page.getByRole('menuitem', { name: 'Remove from organization' }).click();
  await page.getByRole('button', { name: 'Remove' }).click();
  await row.waitFor({ state: 'detached' });

  expect(await page.getByRole('listitem').filter({ hasText: 'ada-' }).count()).toBe(1);
});

test('a writer restores a deleted page, in a change request', async () => {
  const organization = await platform().makeOrganization('Acme');
  const space = await platform().makeSpace({ organization, title: 'Handbook' });
  await makePage(space, 'Stays', 'Stays.');
  const old = await makePage(space, 'Old page', 'Old.');
  await edit(space, [{ operation: 'delete_page', page: old }]);
  const { page } = await openSignedIn(browser, organization);
  await page.goto(`${platform().url}/app/spaces/${space.id}/trash`);
  await page.getByRole('button', { name: 'Restore Old page' }).click();
  await page.getByRole('heading', { name: 'Restore Old page', level: 1 }).waitFor();

  const path = `/v1/spaces/${space.id}/change-requests?limit=1&status=draft`;
  const open = await platform().request(path, { token: organization.token });
  const { items } = (await open.json()) as { items: { id: string }[] };
  const content = `/v1/spaces/${space.id}/change-requests/${items[0]?.id}/content/page/${old}`;
  expect((await platform().request(content, { token: organization.token })).status).toBe(200);
});

test('a failed restoration leaves no draft', async () => {
  const organization = await platform().makeOrganization('Acme');
  const space = await platform().makeSpace({ organization, title: 'Handbook' });
  const old = await makePage(space, 'Old page', 'Old.');
  await edit(space, [{ operation: 'delete_page', page: old }]);
  const { page } = await openSignedIn(browser, organization);
  await page.goto(`${platform().url}/app/spaces/${space.id}/trash`);
  await page.route('**/change-requests/*/content', (route) => route.abort());
  await page.getByRole('button', { name: 'Restore Old page' }).click();
  await page.getByText('The server cannot be reached.').waitFor();

  const count = async (status: string): Promise<number> => {
    const path = `/v1/spaces/${space.id}/change-requests?status=${status}`;
    const response = await platform().request(path, { token: organization.token });
    return ((await response.json()) as { items: unknown[] }).items.length;
  };
  expect([await count('draft'), await count('archived')]).toEqual([0, 1]);
});

test('a user changes the name, creates and deletes a token, and signs out', async () => {
  const organization = await platform().makeOrganization('Acme');
  const { page } = await openSignedIn(browser, organization, { role: 'read' });
  await page.goto(`${platform().url}/app/profile`);
  await page.getByLabel('Name').fill('Ada Lovelace');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('button', { name: 'Ada Lovelace' }).waitFor();
  await page.getByText('This browser').waitFor();

  await page.getByRole('button', { name: 'New token' }).click();
  await page.getByLabel('Label').fill('Script');
  await page.getByRole('button', { name: 'Create token' }).click();
  const secret = await page.getByLabel('Token', { exact: true }).inputValue();
  expect((await platform().request('/v1/user', { token: secret })).status).toBe(200);
  await page.getByRole('button', { name: 'Close', exact: true }).click();
  await page.getByRole('button', { name: 'Delete the token Script' }).click();
  await page.getByRole('button', { name: 'Delete', exact: true }).last().click();
  await page.getByText('No tokens').waitFor();
  expect((await platform().request('/v1/user', { token: secret })).status).toBe(401);

  await page.getByRole('button', { name: 'Ada Lovelace' }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.waitForURL('**/login*');
  await page.goto(`${platform().url}/app/profile`);
  expect(new URL(page.url()).pathname).toBe('/login');
});
