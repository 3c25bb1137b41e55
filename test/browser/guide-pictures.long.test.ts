import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { edit, json, makeChangeRequest, makePage } from '../support/content.ts';
import { platform } from '../support/platform.ts';
import { openBrowser } from './open-browser.ts';
import { openSignedIn } from './signed-in-page.ts';

// Opens the screens that the guide of the app shows. With OCTAVO_PICTURES=guide, it also takes the pictures of the guide.

let browser: Browser;

beforeAll(async () => {
  browser = await openBrowser();
}, 120_000);

afterAll(() => browser?.close());

const folder = path.resolve(import.meta.dirname, '../../docs/images');

/** Saves the visible part of a page as a small picture of the guide. */
async function takeGuidePicture(page: Page, name: string): Promise<void> {
  if (process.env.OCTAVO_PICTURES !== 'guide') return;
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 75 });
  await writeFile(path.join(folder, `app-${name}.webp`), Buffer.from(data, 'base64'));
}

const guide = `Octavo stores your docs in spaces. A space contains pages, and a site publishes them.

{% hint style="info" %}
You can try everything in a draft. Readers see it after the merge.
{% endhint %}

## Before you start

- [x] Install Octavo
- [ ] Invite your team

## Write the first page

Choose **New page**, and start to write.
`;

test('shows the page tree, the editor and the settings of a site', async () => {
  const organization = await platform().makeOrganization('Acme');
  const space = await platform().makeSpace({ organization, title: 'Handbook' });
  const { token } = organization;
  const start = await makePage(space, 'Get started', guide);
  await edit(space, [
    { operation: 'insert_page', title: 'Install', document: { markdown: 'Install it.' }, into: start },
    { operation: 'insert_page', title: 'Invite your team', document: { markdown: 'Invite them.' }, into: start },
  ]);
  for (const title of ['Write pages', 'Review changes', 'Publish']) await makePage(space, title, `About: ${title}.`);
  const { page, faults } = await openSignedIn(browser, organization, { viewport: { width: 1120, height: 700 } });
  await page.goto(`${platform().url}/app/profile`);
  await page.getByLabel('Name').fill('Ada Lovelace');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('button', { name: 'Ada Lovelace' }).waitFor();

  await page.goto(`${platform().url}/app/spaces/${space.id}/content/page/${start}`);
  await page.getByRole('heading', { name: 'Before you start' }).waitFor();
  await page.getByRole('treeitem', { name: 'Install' }).waitFor();
  await takeGuidePicture(page, 'page');

  const { id } = await makeChangeRequest(space, 'Sort the pages');
  await page.goto(`${platform().url}/app/spaces/${space.id}/change-requests/${id}`);
  await page.getByRole('treeitem', { name: 'Publish' }).focus();
  await page.keyboard.press('Alt+ArrowUp');
  await page.getByText('“Publish” is page 3 of 4 on the top level').waitFor();
  await page.getByRole('treeitem', { name: 'Publish' }).click({ button: 'right' });
  await page.getByRole('menuitem', { name: 'Move down' }).waitFor();
  await takeGuidePicture(page, 'tree');

  await page.goto(`${platform().url}/app/spaces/${space.id}/change-requests/${id}/edit/${start}`);
  await page.getByRole('textbox', { name: 'Text of the page' }).click();
  await page.keyboard.press('Control+End');
  await page.keyboard.type('\n/');
  await page.getByRole('listbox').getByRole('option', { name: 'Heading 1' }).waitFor();
  await takeGuidePicture(page, 'editor');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Backspace');
  await page.locator('.edit-status').getByText('Saved', { exact: true }).waitFor();

  const body = { title: 'Acme docs', spaces: [space.id] };
  const site = await json<{ id: string }>(`/v1/orgs/${organization.id}/sites`, { token, body });
  await json(`/v1/orgs/${organization.id}/sites/${site.id}/publish`, { token, method: 'POST' });
  await page.goto(`${platform().url}/app/orgs/${organization.id}/sites/${site.id}`);
  await page.getByLabel('Primary color, light', { exact: true }).fill('#0b7285');
  await page.getByRole('button', { name: 'Save appearance' }).scrollIntoViewIfNeeded();
  await takeGuidePicture(page, 'site');
  expect(faults).toEqual([]);
}, 120_000);
