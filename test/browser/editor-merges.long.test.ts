import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { getEditedMarkdown, openEditor, runInEditor, serveEditor } from './edited-page.ts';
import { openBrowser } from './open-browser.ts';

// Tests of changes by others while a text is edited.

let browser: Browser;

beforeAll(async () => {
  browser = await openBrowser();
}, 120_000);

afterAll(() => browser?.close());

test.each([false, true])(
  'undo reverts the changes of the user, but not those of others: source %s',
  async (isSource) => {
    const { page, problems } = await openEditor(browser, await serveEditor(), 'One\n\nTwo\n\nThree\n');
    const { keyboard } = page;
    await page.getByText('Three').click();
    await keyboard.press('ControlOrMeta+End');
    if (isSource) {
      await runInEditor(page, ({ editor }) => editor.setSourceMode(true));
      await keyboard.press('ControlOrMeta+End');
      await keyboard.press('ArrowLeft');
    }
    await keyboard.type('s');
    expect(await getEditedMarkdown(page)).toBe('One\n\nTwo\n\nThrees\n');

    await runInEditor(page, ({ editor }) => editor.setMarkdown('Eins\n\nTwo\n\nThrees\n\nFour\n'));
    await keyboard.press('ControlOrMeta+z');
    expect(await getEditedMarkdown(page)).toBe('Eins\n\nTwo\n\nThree\n\nFour\n');
    await keyboard.press('ControlOrMeta+z');
    expect(await getEditedMarkdown(page)).toBe('Eins\n\nTwo\n\nThree\n\nFour\n');
    await keyboard.press('ControlOrMeta+Shift+z');
    expect(await getEditedMarkdown(page)).toBe('Eins\n\nTwo\n\nThrees\n\nFour\n');
    expect(problems).toEqual([]);
  },
);
