import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { getEditedMarkdown, openEditor, runInEditor, serveEditor } from './edited-page.ts';
import { openBrowser } from './open-browser.ts';

let browser: Browser;

beforeAll(async () => {
  browser = await openBrowser();
}, 120_000);

afterAll(() => browser?.close());

test('shows a heading that repeats the title while it is written', async () => {
  const { page, problems } = await openEditor(browser, await serveEditor(), '');
  const { keyboard } = page;
  const text = page.getByRole('textbox', { name: 'Text of the page' });
  await runInEditor(page, ({ mount }) => mount('', 'Guide'));
  await text.click();
  await keyboard.type('# Guide');
  await runInEditor(page, ({ editor }) => editor.setMarkdown('# Guide\n\nOther\n'));
  await keyboard.type(' for all');
  expect(await getEditedMarkdown(page)).toBe('# Guide for all\n\nOther\n');

  await runInEditor(page, ({ editor }) => editor.setMarkdown('# Guide\n\nOther\n', 'guide'));
  await text.getByText('Other').click();
  await runInEditor(page, ({ editor }) => editor.setMarkdown('# Guide\n\nOther\n'));
  expect(await text.getByRole('heading').count()).toBe(0);
  await keyboard.press('End');
  await keyboard.type(' text');
  expect(await getEditedMarkdown(page)).toBe('# Guide\n\nOther text\n');
  expect(problems).toEqual([]);
});

test('a text that is set again does not replace the hidden heading', async () => {
  const { page } = await openEditor(browser, await serveEditor(), '');
  await runInEditor(page, ({ mount }) => mount('# **Guide**\n\nText\n', 'Guide'));
  const rename = (title: string) =>
    page.evaluate(`{
      editor.setTitle('${title}');
      editor.setMarkdown(editor.getMarkdown());
      editor.getMarkdown();
    }`);
  expect(await rename('Manual')).toBe('# Manual\n\nText\n');
  expect(await rename('Guide')).toBe('# **Guide**\n\nText\n');
});
