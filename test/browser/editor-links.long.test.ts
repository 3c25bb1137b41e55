import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { getEditedMarkdown, openEditor, runInEditor, serveEditor } from './edited-page.ts';
import { openBrowser } from './open-browser.ts';

// Tests of page links and buttons in the editor.

let browser: Browser;

beforeAll(async () => {
  browser = await openBrowser();
}, 120_000);

afterAll(() => browser?.close());

/** Opens the editor, and places the cursor at the end of the text. */
async function write(markdown: string) {
  const opened = await openEditor(browser, await serveEditor(), markdown);
  await opened.page.getByRole('textbox', { name: 'Text of the page' }).click();
  await opened.page.keyboard.press('ControlOrMeta+End');
  return { ...opened, keyboard: opened.page.keyboard };
}

test('inserts a link to a page as a block, and changes only its target', async () => {
  const { page, keyboard, problems } = await write('');
  const field = page.getByRole('combobox', { name: 'Page or address' });
  const target = page.getByRole('button', { name: 'Choose the page' });

  await page.getByRole('combobox', { name: 'Insert a block' }).selectOption('Page link');
  await keyboard.type('inst');
  await page.getByRole('option', { name: 'Install' }).waitFor();
  await keyboard.press('ArrowDown');
  await keyboard.press('Enter');
  const formatReference = (label: string, url: string) =>
    `{% content-ref url="${url}" %}\n[${label}](${url})\n{% endcontent-ref %}\n`;
  expect(await getEditedMarkdown(page)).toBe(formatReference('Install', 'install.md'));
  expect(await target.textContent()).toBe('Install');

  await target.click();
  expect(await field.inputValue()).toBe('install.md');
  await field.fill('https://a.example');
  await keyboard.press('Enter');

  expect(await getEditedMarkdown(page)).toBe(formatReference('https://a.example', 'https://a.example'));
  expect(problems).toEqual([]);
});

test('inserts a button, edits its text, and makes it a secondary button and a link', async () => {
  const { page, keyboard, problems } = await write('See');
  const field = page.getByRole('combobox', { name: 'Page or address' });
  const kind = page.getByRole('combobox', { name: 'Show as' });

  await keyboard.type(' /butt');
  await keyboard.press('Enter');
  await field.fill('https://a.example');
  await page.getByRole('textbox', { name: 'Button label' }).fill('Start');
  await keyboard.press('Enter');
  await page.getByText('Start').dblclick();
  await keyboard.press('ControlOrMeta+k');
  expect([await field.inputValue(), await kind.inputValue()]).toEqual(['https://a.example', 'primary']);
  await kind.selectOption('Secondary button');
  await page.getByRole('button', { name: 'Apply' }).click();
  expect(await getEditedMarkdown(page)).toBe('See <a href="https://a.example" class="button secondary">Start</a>');

  await page.getByText('Start').dblclick();
  await keyboard.press('ControlOrMeta+k');
  await kind.selectOption('Link');
  await page.getByRole('button', { name: 'Apply' }).click();
  expect(await getEditedMarkdown(page)).toBe('See [Start](https://a.example)');
  expect(problems).toEqual([]);
});

test('Enter takes the first page with the typed title, and inserts no link if no page has this title', async () => {
  const { page, keyboard, problems } = await write('See');
  const field = page.getByRole('combobox', { name: 'Page or address' });

  await page.getByRole('combobox', { name: 'Insert a block' }).selectOption('Button');
  await keyboard.type('Some page');
  await keyboard.press('Enter');
  await page.getByText('No page found').waitFor();
  expect(await getEditedMarkdown(page)).toBe('See');
  await field.fill('imp');
  await keyboard.press('Enter');

  await expect.poll(() => getEditedMarkdown(page)).toBe('See<a href="import.md" class="button primary">Import</a>');
  await keyboard.press('End');
  await keyboard.type('\n');
  await page.getByRole('combobox', { name: 'Insert a block' }).selectOption('Page link');
  await keyboard.type('Install');
  await keyboard.press('Enter');
  await expect.poll(() => getEditedMarkdown(page)).toContain('[Install](install.md)');
  expect(problems).toEqual([]);
});

test('opens the form for a link in the Markdown', async () => {
  const { page, keyboard, problems } = await write('See this');
  await runInEditor(page, ({ editor }) => editor.setSourceMode(true));
  await keyboard.press('ControlOrMeta+End');
  await keyboard.press('ControlOrMeta+Shift+ArrowLeft');
  await keyboard.press('ControlOrMeta+k');
  await keyboard.type('inst');
  await keyboard.press('Enter');
  await expect.poll(() => getEditedMarkdown(page)).toBe('See [this](install.md)');

  await keyboard.press('ArrowLeft');
  await keyboard.press('ControlOrMeta+k');
  await page.getByRole('button', { name: 'Remove' }).click();
  await expect.poll(() => getEditedMarkdown(page)).toBe('See this');
  expect(problems).toEqual([]);
});

test('sets the chosen link although another person changes the text while the form is open', async () => {
  const { page, keyboard, problems } = await write('First\n\nSee this');
  await keyboard.press('ControlOrMeta+Shift+ArrowLeft');
  await keyboard.press('ControlOrMeta+k');

  await runInEditor(page, ({ editor }) => editor.setMarkdown('See this'));
  await page.getByRole('combobox', { name: 'Page or address' }).fill('https://a.example');
  await keyboard.press('Enter');

  expect(await getEditedMarkdown(page)).toBe('See [this](https://a.example)');
  expect(problems).toEqual([]);
});

test('changes no other block if another person deletes a page link while its form is open', async () => {
  const code = '```js\na\n```\n';
  const { page, keyboard, problems } = await write(`{% content-ref url="a.md" %}\n{% endcontent-ref %}\n\n${code}`);
  await page.getByRole('button', { name: 'Choose the page' }).click();

  await runInEditor(page, ({ editor }) => editor.setMarkdown('```js\na\n```\n'));
  await page.getByRole('combobox', { name: 'Page or address' }).fill('https://a.example');
  await keyboard.press('Enter');
  await keyboard.press('ControlOrMeta+End');
  await keyboard.type('b');

  expect(await getEditedMarkdown(page)).toBe('```js\nab\n```\n');
  expect(problems).toEqual([]);
});

test('the form of a link stays open while another window has the focus', async () => {
  const { page, keyboard } = await write('See');
  const field = page.getByRole('combobox', { name: 'Page or address' });
  await keyboard.press('ControlOrMeta+k');
  await field.waitFor();
  /** A headless browser has no other windows, so the events of a switch are simulated. */
  const leaveWindow = (hasFocus: boolean) =>
    page.evaluate(`{
      document.hasFocus = () => ${hasFocus};
      document.activeElement.dispatchEvent(new FocusEvent('focusout', { bubbles: true, relatedTarget: null }));
    }`);
  await leaveWindow(false);
  expect(await field.count()).toBe(1);
  await leaveWindow(true);
  await expect.poll(() => field.count()).toBe(0);
});
