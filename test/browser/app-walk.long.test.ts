import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { createPixel } from '../content/files/file-client.ts';
import { serveIdentityProvider } from '../support/identity-provider.ts';
import { platform } from '../support/platform.ts';
import { getSharedIdentity } from '../support/sign-in.ts';
import { checkScreen } from './checked-screen.ts';
import { openBrowser } from './open-browser.ts';
import { type BrowserWindow, followMailLink, openWindow } from './signed-in-page.ts';

// Tests the app from the first sign-in to the published site, using only browsers and mails.

let browser: Browser;

beforeAll(async () => {
  browser = await openBrowser();
}, 120_000);

afterAll(() => browser?.close());

const createAddress = (name: string): string => `${name}-${randomUUID()}@example.test`;

/** Opens a window in which a new user has signed in by mail and has created an organization. */
async function openOrganization(name: string, title: string): Promise<BrowserWindow> {
  const email = createAddress(name.toLowerCase());
  await platform().makeUser({ email, displayName: name });
  const window = await openWindow(browser);
  const { page } = window;
  await page.goto(`${platform().url}/app`);
  await page.getByLabel('Email address').fill(email);
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('heading', { name: 'Check your mail' }).waitFor();
  await followMailLink(page, email);
  await page.getByRole('button', { name: 'New organization' }).click();
  await page.getByLabel('Name').fill(title);
  await page.getByRole('button', { name: 'Create organization' }).click();
  await page.getByRole('heading', { name: title, level: 1 }).waitFor();
  return window;
}

/** Invites a person. Returns the window in which the person has accepted by the link in the mail. */
async function invite(page: Page, name: string, role: string): Promise<BrowserWindow> {
  const email = createAddress(name);
  await page.getByRole('link', { name: 'Members' }).click();
  await page.getByRole('button', { name: 'Invite' }).click();
  await page.getByLabel('Email addresses').fill(email);
  await page.getByLabel('Role').selectOption(role);
  await page.getByRole('button', { name: 'Send invitations' }).click();
  await page.getByRole('listitem').filter({ hasText: email }).waitFor();
  const window = await openWindow(browser);
  await followMailLink(window.page, email);
  return window;
}

const files = {
  'README.md': '# Welcome\n\nHello from a file.\n\n--8<-- "contact.txt"\n',
  'install.md': '# Install\n\nInstall the tool first.\n\nThen run it.\n',
  'contact.txt': 'Write to the support.\n',
};

async function importFolder(page: Page): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), 'octavo-import-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) await writeFile(path.join(folder, name), text);
  await page.getByRole('link', { name: 'Home' }).click();
  await page.getByRole('button', { name: 'New space' }).click();
  await page.getByLabel('Title').fill('Handbook');
  await page.getByRole('button', { name: 'Create space' }).click();
  await page.getByRole('link', { name: 'Import content' }).click();
  await page.getByLabel('Choose a folder').and(page.locator('input')).setInputFiles(folder);
  await page.getByText('Import complete').waitFor();
  await page.getByRole('link', { name: 'Open the space' }).click();
  await page.getByText('Hello from a file.').waitFor();
}

const getText = (page: Page) => page.getByRole('textbox', { name: 'Text of the page' });
const waitUntilSaved = (page: Page) => page.locator('.edit-status').getByText('Saved', { exact: true }).waitFor();
const getBlock = (page: Page, name: string) => page.locator(`[data-block="${name}"]`).last();

const shortcuts =
  '## Shortcuts\nSome **bold**, *italic*, `code` and ~~old~~ text.\n- a bullet\nanother\n\n1. a number\n\n' +
  '- [ ] a task\n\n> a quote\n\n```js\nconst answer = 42;';

const lists = ['Bulleted list', 'Numbered list', 'Task list', 'Quote'];
const hints = ['Info hint', 'Success hint', 'Warning hint', 'Danger hint'];
const headings = ['Heading 1', 'Heading 2', 'Heading 3', 'Heading 4'];

/** Keys that move the cursor from the text of a block to a new paragraph below it. */
const leavingKeys: Record<string, string[]> = {
  ...Object.fromEntries(['Text', ...headings, 'Image'].map((label) => [label, ['Enter']])),
  ...Object.fromEntries([...lists, ...hints, 'Expandable'].map((label) => [label, ['Enter', 'Enter']])),
  ...Object.fromEntries(['Code', 'Diagram', 'Math', 'Markdown'].map((label) => [label, ['ArrowDown']])),
  ...Object.fromEntries(['Table', 'Tabs', 'Steps', 'Columns', 'Cards'].map((label) => [label, ['Control+End']])),
};

/** Fills in the fields of a block, and moves the cursor out of the block. By the label of the block. */
const fillers: Record<string, (page: Page) => Promise<void>> = {
  Divider: async () => undefined,
  Image: async (page) => {
    const { base64 = '' } = createPixel('dot.png');
    const image = { name: 'dot.png', mimeType: 'image/png', buffer: Buffer.from(base64, 'base64') };
    await page.locator('input[accept="image/*"]').setInputFiles(image);
    await page.locator('.editor-image img').waitFor();
  },
  Embed: async (page) => {
    await page.keyboard.type('https://example.com/video');
    await page.keyboard.press('Enter');
  },
  File: async (page) => {
    const block = getBlock(page, 'file');
    const file = { name: 'terms.txt', mimeType: 'text/plain', buffer: Buffer.from('The terms.') };
    await block.getByLabel('File', { exact: true }).setInputFiles(file);
    await block.getByText('terms.txt').waitFor();
    await getText(page).press('Control+End');
  },
  'Page link': async (page) => {
    const field = page.getByRole('combobox', { name: 'Page or address' });
    await field.fill('Inst');
    await page.getByRole('listbox', { name: 'Pages' }).getByRole('option', { name: 'Install' }).waitFor();
    await field.press('ArrowDown');
    await field.press('Enter');
    await getBlock(page, 'content_ref').getByText('Install').waitFor();
  },
  Button: async (page) => {
    await page.getByRole('combobox', { name: 'Page or address' }).fill('https://example.com/start');
    await page.getByLabel('Button label').fill('Start now');
    await page.keyboard.press('Enter');
    await getText(page).getByText('Start now').waitFor();
    await page.keyboard.press('Enter');
  },
  'Reusable content': async (page) => {
    const choice = page.getByRole('combobox', { name: 'Reusable content' });
    await choice.selectOption('contact.txt');
    await choice.press('Enter');
  },
};

const getWrittenText = (label: string): string => (label === 'Math' ? 'x^2' : `In ${label}`);

/** Writes each block that the menu of blocks offers. Returns their names. */
async function writeEachBlock(page: Page): Promise<string[]> {
  await page.keyboard.type('/');
  const options = page.getByRole('listbox', { name: 'Suggestions' }).getByRole('option');
  await options.first().waitFor();
  const labels = await options.allTextContents();
  await page.keyboard.press('Backspace');
  for (const label of labels) {
    await page.keyboard.type(`/${label}`);
    await expect.poll(() => options.allTextContents()).toEqual([label]);
    await page.keyboard.press('Enter');
    if (fillers[label] === undefined) await page.keyboard.type(getWrittenText(label));
    await fillers[label]?.(page);
    for (const key of leavingKeys[label] ?? []) await page.keyboard.press(key);
  }
  return labels;
}

async function writeGuide(page: Page): Promise<string[]> {
  await page.getByRole('button', { name: 'New page' }).click();
  await page.getByLabel('Title').fill('Guide');
  await page.getByRole('button', { name: 'Create page' }).click();
  await getText(page).click();
  await page.keyboard.type(shortcuts);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.type('---');
  const labels = await writeEachBlock(page);
  await page.keyboard.press('Control+End');
  await page.keyboard.type('\nSee [[Ins');
  await page.getByRole('option', { name: 'Install' }).waitFor();
  await page.keyboard.press('Enter');
  await waitUntilSaved(page);
  return labels;
}

/** Adds words to the end of the first line of the page "Install". */
async function addToFirstLine(page: Page, words: string): Promise<void> {
  await getText(page).getByText('Install the tool first.').click();
  await page.keyboard.press('End');
  await page.keyboard.type(words);
  await waitUntilSaved(page);
}

/** Edits the page "Install" in the change request of the screen, gives it a title, and asks Ben for a review. */
async function requestReview(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Review changes' }).click();
  await page.getByRole('button', { name: 'Edit a page' }).click();
  await page.getByLabel('Search pages').fill('Install');
  await page.getByRole('list', { name: 'Pages' }).getByRole('link', { name: 'Install' }).click();
  await addToFirstLine(page, ' Use version 2.');
  await page.getByRole('link', { name: 'Review changes' }).click();
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Edit title and description' }).click();
  await page.getByLabel('Title').fill('Write the guide');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { name: 'Write the guide', level: 1 }).waitFor();
  await page.getByRole('button', { name: 'Request review' }).click();
  await page.getByLabel('Find members and teams').fill('ben');
  await page.getByRole('checkbox', { name: /^ben/i }).check();
  await page.getByRole('dialog').getByRole('button', { name: 'Request review' }).click();
  await page.getByText('Review requested').waitFor();
}

async function submitReview(page: Page, result: RegExp): Promise<void> {
  await page.getByRole('button', { name: 'Review changes' }).click();
  await page.getByRole('radio', { name: result }).check();
  await page.getByRole('button', { name: 'Submit review' }).click();
}

/** Comments on the changed block, suggests another text for it, and requests changes. */
async function requestChanges(page: Page): Promise<void> {
  await page.getByRole('link', { name: /^Inbox/ }).click();
  await page.getByRole('link', { name: /asked you for a review of Write the guide/ }).click();
  await page.getByRole('group', { name: 'Added', exact: true }).getByText('Write to the support.').waitFor();
  const block = page.getByRole('group', { name: 'Changed', exact: true });
  await block.getByRole('button', { name: 'Comment on this block' }).click();
  const comment = block.getByRole('textbox', { name: 'Comment on this block' });
  await comment.fill('Is it released?');
  await comment.press('Control+Enter');
  await block.getByRole('article').getByText('Is it released?').waitFor();
  await block.getByRole('button', { name: 'Suggest a text' }).click();
  const field = page.getByLabel('Suggested text');
  await expect.poll(() => field.inputValue()).toContain('Install the tool first. Use version 2.');
  await field.fill('Install the tool first. Use version 3.');
  await page.getByRole('button', { name: 'Suggest', exact: true }).click();
  await field.waitFor({ state: 'detached' });
  await page.getByText('Suggested text').waitFor();
  await submitReview(page, /^Request changes/);
  await page.getByText('Requested changes', { exact: true }).waitFor();
}

/** Replies to the comment, resolves it, and applies the suggestion. */
async function answer(page: Page): Promise<void> {
  await page.getByRole('link', { name: /^Inbox/ }).click();
  await page
    .getByRole('link', { name: /commented on Write the guide/ })
    .first()
    .click();
  const thread = page.getByRole('article').filter({ hasText: 'Is it released?' });
  await thread.getByRole('button', { name: 'Reply' }).click();
  await thread.getByLabel('Reply').fill('Since yesterday.');
  await thread.getByLabel('Reply').press('Control+Enter');
  await thread.getByText('Since yesterday.').waitFor();
  await thread.getByRole('button', { name: 'Resolve' }).click();
  await thread.getByRole('button', { name: 'Reopen' }).waitFor();
  await page.getByRole('button', { name: 'Apply suggestion' }).click();
  await page.getByText('Applied suggestion').waitFor();
}

async function mergeChanges(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Merge', exact: true }).click();
  await page.getByRole('button', { name: 'Merge changes' }).click();
  await page.getByText('Merged', { exact: true }).first().waitFor();
}

async function openSpace(page: Page): Promise<void> {
  await page.getByRole('navigation', { name: 'Breadcrumbs' }).getByRole('link', { name: 'Handbook' }).click();
  await page.getByText('Hello from a file.').waitFor();
}

/** Changes the live page in the same line. */
async function changeLivePage(page: Page): Promise<void> {
  await openSpace(page);
  await page.getByRole('treeitem', { name: 'Install' }).click();
  await page.getByRole('button', { name: 'Edit', exact: true }).click();
  await addToFirstLine(page, ' Ask an admin.');
  await page.getByRole('link', { name: 'Review changes' }).click();
  await mergeChanges(page);
}

async function resolveConflict(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Update from live content' }).click();
  await page.getByRole('radio', { name: 'Edit' }).check();
  await page.getByLabel('Result').fill('Install the tool first. Use version 3. Ask an admin.');
  await page.getByRole('button', { name: 'Save result' }).click();
  await page.getByRole('heading', { name: 'No conflicts' }).waitFor();
}

/** Publishes the space, and returns the address of the site. */
async function publish(page: Page): Promise<string> {
  await openSpace(page);
  await page.getByRole('button', { name: 'Publish' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Publish' }).click();
  const site = page.getByRole('dialog').getByRole('link', { name: /^http.*\/handbook/ });
  await site.waitFor();
  return (await site.getAttribute('href')) ?? '';
}

/** Checks that the site shows the merged texts and each block. */
async function expectPublished(page: Page, address: string, labels: string[]): Promise<void> {
  await page.goto(address);
  await page.getByText('Write to the support.').waitFor();
  await page.getByRole('link', { name: 'Guide' }).first().click();
  await page.getByRole('heading', { name: 'Guide', level: 1 }).waitFor();
  const text = (await page.getByRole('main').textContent()) ?? '';
  const written = labels.filter((label) => fillers[label] === undefined && label !== 'Math').map(getWrittenText);
  const typed = ['Shortcuts', 'bold', 'a bullet', 'a number', 'a task', 'a quote', 'const answer = 42;'];
  expect([...typed, ...written, 'terms.txt', 'Write to the support.'].filter((each) => !text.includes(each))).toEqual(
    [],
  );
  expect(await page.getByRole('main').locator('math').count()).toBe(1);
  expect(await page.getByRole('img', { name: 'dot' }).count()).toBe(1);
  for (const target of ['video', 'start'])
    expect(await page.locator(`main [href="https://example.com/${target}"]`).count()).toBeGreaterThan(0);
  await page.getByRole('main').getByRole('link', { name: 'Install' }).first().click();
  await page.getByText('Install the tool first. Use version 3. Ask an admin.').waitFor();
}

test('two people import, write, review, merge and publish', { timeout: 300_000 }, async () => {
  const { page: ann, faults } = await openOrganization('Ann', 'Acme');
  const { page: ben, faults: faultsOfBen } = await invite(ann, 'ben', 'Reviewer');
  await importFolder(ann);
  const labels = await writeGuide(ann);
  await requestReview(ann);
  const address = ann.url();
  await requestChanges(ben);
  await answer(ann);
  await changeLivePage(ben);
  await ann.goto(address);
  await resolveConflict(ann);
  await ben.goto(address);
  await submitReview(ben, /^Approve/);
  await ben.getByText('Approved', { exact: true }).waitFor();
  await ann.getByText('Approved', { exact: true }).waitFor();
  await mergeChanges(ann);
  const site = await publish(ann);
  const { page: reader, faults: faultsOfReader } = await openWindow(browser);
  await expectPublished(reader, site, labels);
  expect([faults, faultsOfBen, faultsOfReader]).toEqual([[], [], []]);
});

test('an admin connects an identity provider, and a new member signs in with it', { timeout: 120_000 }, async () => {
  const { page: admin, faults } = await openOrganization('Ada', 'Analytical Engines');
  const issuer = 'urn:idp.test';
  const person = { id: randomUUID(), email: createAddress('grace'), displayName: 'Grace Hopper' };
  let acsUrl = '';
  const ssoUrl = await serveIdentityProvider({ issuer, identity: getSharedIdentity(), person, acsUrl: () => acsUrl });
  await admin.getByRole('link', { name: 'Single sign-on' }).click();
  await admin.getByText('No providers yet').waitFor();
  await admin.getByRole('button', { name: 'New provider' }).click();
  await admin.getByLabel('Name').fill('Company');
  await admin.getByRole('button', { name: 'Create provider' }).click();
  await admin.getByText('Incomplete').waitFor();
  acsUrl = await admin.getByLabel('ACS URL', { exact: true }).inputValue();
  await admin.getByLabel('SSO URL').fill(ssoUrl);
  await admin.getByLabel('Entity ID of the identity provider').fill(issuer);
  await admin.getByLabel('Certificate').fill(getSharedIdentity().certificate);
  await admin.getByLabel('Role of new members').selectOption('Editor');
  await admin.getByRole('button', { name: 'Save' }).click();
  await admin.getByText('Active', { exact: true }).waitFor();
  await checkScreen(admin, 'sso-provider');
  const address = await admin.getByLabel('Sign-in address for members', { exact: true }).inputValue();

  const { page: grace, faults: faultsOfGrace } = await openWindow(browser);
  await grace.goto(address);
  await grace.getByRole('button', { name: 'Continue as Grace Hopper' }).click();
  await grace.getByRole('heading', { name: 'Analytical Engines', level: 1 }).waitFor();
  expect(await grace.getByRole('link', { name: 'Single sign-on' }).count()).toBe(0);
  await admin.getByRole('link', { name: 'Members' }).click();
  const row = admin.getByRole('listitem').filter({ hasText: 'Grace Hopper' });
  await row.getByRole('button', { name: /Editor/ }).waitFor();
  expect([faults, faultsOfGrace]).toEqual([[], []]);

  await admin.getByRole('link', { name: 'Single sign-on' }).click();
  await admin.getByRole('link', { name: /^Company/ }).click();
  await admin.getByRole('button', { name: 'Delete' }).click();
  await admin.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await admin.getByText('No providers yet').waitFor();
  await grace.reload();
  await grace.getByLabel('Email address').waitFor();
});
