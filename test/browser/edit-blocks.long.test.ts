import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { json } from '../support/content.ts';
import { checkScreen } from './checked-screen.ts';
import { getStatus, getText, openEditing, readPage, waitUntilSent } from './editing-session.ts';
import { openBrowser } from './open-browser.ts';

// Tests of the editing screen of the app: uploads, reusable content, and leaving the screen.

let browser: Browser;

beforeAll(async () => {
  browser = await openBrowser();
}, 120_000);

afterAll(() => browser?.close());

const startEditing = (markdown: string) => openEditing(browser, markdown);

describe('leaving the editor right after typing', () => {
  test('asks nothing, and the text is sent', async () => {
    const { tab, space, page, changeRequest, faults } = await startEditing('Text\n');
    const questions: string[] = [];
    tab.on('dialog', (dialog) => {
      questions.push(dialog.message());
      void dialog.accept();
    });

    await tab.keyboard.type(' typed');
    await tab.getByRole('link', { name: 'Review changes' }).click();
    await tab.waitForURL(`**/change-requests/${changeRequest}`);
    await expect
      .poll(() => readPage(space, changeRequest, page), { timeout: 30_000 })
      .toMatchObject({ markdown: 'Text typed\n' });
    expect(questions).toEqual([]);
    expect(faults).toEqual([]);
  });

  test('asks if a file is being uploaded', async () => {
    const { context, tab, changeRequest } = await startEditing('Text\n');
    const upload = Promise.withResolvers<void>();
    await context.route('**/storage/upload', async (route) => {
      await upload.promise;
      await route.abort();
    });
    await tab.keyboard.type('\n/file');
    await tab.locator('#editor-suggestions').getByRole('option', { name: 'File', exact: true }).click();
    await tab
      .getByLabel('File', { exact: true })
      .and(tab.locator('input'))
      .setInputFiles({ name: 'terms.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF') });
    await tab.getByText('Uploading terms.pdf').waitFor();

    const question = tab.waitForEvent('dialog');
    const click = tab.getByRole('link', { name: 'Review changes' }).click();
    const dialog = await question;
    expect(dialog.message()).toContain('still being uploaded');
    await dialog.dismiss();
    await click;
    expect(tab.url()).toContain(`/change-requests/${changeRequest}/edit/`);
    upload.resolve();
  });
});

test('Ctrl-K in the text opens the form for a link and not the search, also in the Markdown', async () => {
  const { tab, faults } = await startEditing('Text\n');
  const field = tab.getByRole('combobox', { name: 'Page or address' });
  for (const mode of ['rich', 'Markdown']) {
    if (mode === 'Markdown') await tab.getByRole('button', { name: 'Markdown' }).click();
    if (mode === 'Markdown') await tab.locator('.editor-source .cm-content').click();
    await tab.keyboard.press('Control+k');
    await expect.poll(() => field.evaluate((element) => element.matches(':focus')), { message: mode }).toBe(true);
    await tab.keyboard.press('Escape');
    await field.waitFor({ state: 'detached' });
    expect(await tab.locator('dialog').count(), mode).toBe(0);
  }
  await tab.getByRole('textbox', { name: 'Title' }).press('Control+k');
  await tab.locator('dialog').waitFor();
  expect(faults).toEqual([]);
});

describe('a file block', () => {
  test('shows the name of its file, which it gets although it is moved during the upload', async () => {
    const { context, tab, space, page, changeRequest, faults } = await startEditing('One\n\nTwo\n');
    const upload = Promise.withResolvers<void>();
    await context.route('**/storage/upload', async (route) => {
      await upload.promise;
      await route.continue();
    });
    await tab.keyboard.type('\n/file');
    await tab.locator('#editor-suggestions').getByRole('option', { name: 'File', exact: true }).click();
    const block = tab.locator('.editor-block[data-block=file]');
    await block
      .locator('input[type=file]')
      .setInputFiles({ name: 'terms of use.pdf', mimeType: 'application/pdf', buffer: Buffer.alloc(1234, '%') });
    await block.getByText('Uploading terms of use.pdf').waitFor();
    await block.locator('p').click();
    for (let count = 0; count < 2; count += 1) await tab.keyboard.press('Alt+ArrowUp');
    await expect
      .poll(() => readPage(space, changeRequest, page), { timeout: 30_000 })
      .toMatchObject({ markdown: expect.stringContaining('{% file') });
    expect(await getStatus(tab).textContent()).toBe('Uploading…');
    expect(await tab.locator('.editor-text > *').first().getAttribute('data-block')).toBe('file');
    await block.getByText('Uploading terms of use.pdf').waitFor();

    upload.resolve();
    await block.getByText('terms of use.pdf', { exact: true }).waitFor();
    await block.getByText('1.23 KB').waitFor();
    expect(await block.getByLabel('Address').isVisible()).toBe(false);
    await waitUntilSent(
      { tab, space, changeRequest, page },
      { markdown: expect.stringMatching(/^\{% file src="\/files\/\w+" %\}\n\nOne\n\nTwo\n/) },
    );
    await tab.reload();
    await block.getByText('terms of use.pdf', { exact: true }).waitFor();
    await checkScreen(tab, 'edit-file');
    expect(faults).toEqual([]);
  }, 120_000);
});

describe('reusable content', () => {
  test('can be created from a block, and in the list of reusable content', async () => {
    const { tab, space, page, changeRequest, faults } = await startEditing('One\n\nShared [text](guide)\n\nTwo\n');
    await getText(tab).getByText('Shared').hover();
    const handle = tab.getByRole('button', { name: 'Select or drag the block' });
    const { y = 0 } = (await handle.boundingBox()) ?? {};
    await handle.click();
    const menu = await tab.getByRole('menu', { name: 'Block' }).boundingBox();
    expect(Math.abs((menu?.y ?? 0) - y)).toBeLessThan(60);
    await tab.getByRole('menuitem', { name: 'Turn into reusable content' }).click();
    const dialog = tab.getByRole('dialog', { name: 'New reusable content' });
    await dialog.getByLabel('Title').fill('Note');
    await checkScreen(tab, 'edit-reusable-content');
    await dialog.getByRole('button', { name: 'Create' }).click();

    const fields = tab.getByRole('combobox', { name: 'Reusable content' });
    await expect.poll(() => fields.locator('option:checked').textContent()).toBe('Note');
    const include = /^One\n\n\{% include "\/reusable-contents\/(\w+)" %\}\n\nTwo\n$/;
    await waitUntilSent({ tab, space, changeRequest, page }, { markdown: expect.stringMatching(include) });
    const { markdown } = await readPage(space, changeRequest, page);
    const path = `/v1/spaces/${space.id}/change-requests/${changeRequest}/content/reusable-contents`;
    const created = await json<{ markdown: string }>(`${path}/${include.exec(markdown)?.[1]}`, { token: space.token });
    expect(created.markdown).toBe(`Shared [text](/pages/${page})\n`);

    await fields.selectOption('New reusable content…');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    expect(await fields.locator('option:checked').textContent()).toBe('Note');
    await fields.selectOption('New reusable content…');
    await dialog.getByLabel('Title').fill('Hint');
    await dialog.getByLabel('Text').fill('Another *text*');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await expect
      .poll(() => readPage(space, changeRequest, page), { timeout: 30_000 })
      .toMatchObject({ markdown: expect.not.stringContaining(include.exec(markdown)?.[1] ?? '') });
    await expect.poll(() => fields.locator('option:checked').textContent()).toBe('Hint');
    await expect.poll(() => getText(tab).evaluate((text) => text.matches(':focus'))).toBe(true);
    await tab.keyboard.type('Then ');
    await expect.poll(() => getText(tab).locator('> p').last().textContent()).toBe('Then Two');
    expect(await fields.locator('option:checked').textContent()).toBe('Hint');
    expect(faults).toEqual([]);
  }, 120_000);
});
