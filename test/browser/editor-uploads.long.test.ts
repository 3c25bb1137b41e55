import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { getEditedMarkdown, openEditor, runInEditor, serveEditor } from './edited-page.ts';
import { openBrowser } from './open-browser.ts';

// Tests of uploads while the text around them changes.

let browser: Browser;

beforeAll(async () => {
  browser = await openBrowser();
}, 120_000);

afterAll(() => browser?.close());

const open = async (markdown: string) => openEditor(browser, await serveEditor(), markdown);

const pdf = { name: 'terms.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF') };
const block = '{% file src="" %}';

/** Opens a text, and starts an upload for its file block. */
async function startUpload(markdown: string) {
  const { page, problems } = await open(markdown);
  // The margin makes room for the handle, which is beside the text.
  await page.locator('main').evaluate((main) => main.style.setProperty('margin', '3rem'));
  const file = page.locator('.editor-block[data-block=file]').first();
  await file.locator('input[type=file]').setInputFiles(pdf);
  await file.getByText('Uploading terms.pdf').waitFor();
  return { page, problems, file, finish: () => runInEditor(page, ({ uploads }) => uploads[0]?.resolve('terms.pdf')) };
}

test('a file block that is dragged during its upload gets its file', async () => {
  const { page, problems, file, finish } = await startUpload(`${block}\n\nOne\n\nTwo\n`);
  await file.hover();
  await page.getByRole('button', { name: 'Select or drag the block' }).hover();
  await page.mouse.down();
  await page.getByText('Two').hover({ position: { x: 2, y: 2 } });
  await page.getByText('Two').hover({ position: { x: 3, y: 3 } });
  await page.mouse.up();
  await expect.poll(() => getEditedMarkdown(page)).toBe(`One\n\n${block}\n\nTwo\n`);
  await file.getByText('Uploading terms.pdf').waitFor();

  await finish();
  await file.getByText('Terms of use.pdf').waitFor();
  expect(await getEditedMarkdown(page)).toBe('One\n\n{% file src="terms.pdf" %}\n\nTwo\n');
  expect(problems).toEqual([]);
});

test('a file block that is cut and pasted during its upload gets its file', async () => {
  const { page, file, finish } = await startUpload(`${block}\n\nOne\n`);
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await file.hover();
  await page.getByRole('button', { name: 'Select or drag the block' }).click();
  await page.keyboard.press('Escape');
  await page.keyboard.press('ControlOrMeta+x');
  await page.getByText('One').click();
  await page.keyboard.press('End');
  await page.keyboard.press('ControlOrMeta+v');
  await expect.poll(() => getEditedMarkdown(page)).toMatch(/^One\s+\{% file src="" %\}\s*$/);

  await finish();
  await expect.poll(() => getEditedMarkdown(page)).toMatch(/^One\s+\{% file src="terms.pdf" %\}\s*$/);
});

test('a file block gets its file although the Markdown is edited meanwhile', async () => {
  const { page, finish } = await startUpload(`${block}\n\nOne\n`);
  await runInEditor(page, ({ editor }) => editor.setSourceMode(true));
  await page.keyboard.press('ControlOrMeta+End');
  await page.keyboard.type('Two');

  await finish();
  await expect.poll(() => getEditedMarkdown(page)).toBe('{% file src="terms.pdf" %}\n\nOne\nTwo');
  await runInEditor(page, ({ editor }) => editor.setSourceMode(false));
  expect(await getEditedMarkdown(page)).toBe('{% file src="terms.pdf" %}\n\nOne\nTwo');
});

const paste = (page: Page, names: string[], type = 'application/pdf') =>
  page.evaluate(`{
    const data = new DataTransfer();
    for (const name of ${JSON.stringify(names)}) data.items.add(new File(['x'], name, { type: '${type}' }));
    document.querySelector('.editor-text').dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));
  }`);

test('several files are inserted in their order', async () => {
  const { page, problems } = await open('One\n\nTwo\n');
  await page.getByText('One').click();
  await paste(page, ['a.pdf', 'b.pdf', 'c.pdf']);
  await page.getByText('Uploading c.pdf').waitFor();
  const shown = (await page.locator('.editor-upload').allTextContents()).map((text) => text.trim());
  expect(shown).toEqual(['Uploading a.pdf', 'Uploading b.pdf', 'Uploading c.pdf']);

  await runInEditor(page, ({ uploads }) => {
    for (const index of [1, 2, 0]) uploads[index]?.resolve(uploads[index].name);
  });
  const files = ['a.pdf', 'b.pdf', 'c.pdf'].map((name) => `{% file src="${name}" %}`);
  await expect.poll(() => getEditedMarkdown(page)).toBe(`One\n\n${files.join('\n\n')}\n\nTwo\n`);
  expect(problems).toEqual([]);
});

test.each([
  ['One', ' more', 'One![a](a.png) more'],
  ['One', '\nmore', 'One![a](a.png)\nmore'],
  ['', 'New text', '![a](a.png)\nNew text'],
])('an image is inserted although the user edits the same line %j in Markdown', async (markdown, typed, expected) => {
  const { page, problems } = await open(markdown);
  const { keyboard } = page;
  await page.getByRole('textbox', { name: 'Text of the page' }).click();
  await keyboard.press('ControlOrMeta+End');
  await paste(page, ['a.png'], 'image/png');
  await runInEditor(page, ({ editor }) => editor.setSourceMode(true));
  await keyboard.press('ControlOrMeta+End');
  await keyboard.type(typed);

  await runInEditor(page, ({ uploads }) => uploads[0]?.resolve('a.png'));
  await expect.poll(() => getEditedMarkdown(page)).toContain('![a](a.png)');
  expect(await getEditedMarkdown(page)).toBe(expected);
  await runInEditor(page, ({ editor }) => editor.setSourceMode(false));
  expect(await getEditedMarkdown(page)).toBe(expected);
  expect(problems).toEqual([]);
});

test('a file is appended if its block is deleted in Markdown during its upload', async () => {
  const { page, finish } = await startUpload(`One\r\n\r\n${block}\r\n`);
  await runInEditor(page, ({ editor }) => editor.setSourceMode(true));
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.type('Two');

  await finish();
  await expect.poll(() => getEditedMarkdown(page)).toBe('Two\n\n{% file src="terms.pdf" %}\n');
});
