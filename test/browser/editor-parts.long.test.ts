import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { getEditedMarkdown, openEditor, serveEditor } from './edited-page.ts';
import { openBrowser } from './open-browser.ts';

// Tests of blocks that contain parts, such as tabs, and of adding text below the last block of a page.

let browser: Browser;

beforeAll(async () => {
  browser = await openBrowser();
}, 120_000);

afterAll(() => browser?.close());

const open = async (markdown: string) => openEditor(browser, await serveEditor(), markdown);

test('a tab is added with a button, also by keyboard', async () => {
  const { page, problems } = await open('{% tabs %}\n{% tab title="A" %}\none\n{% endtab %}\n{% endtabs %}\n');
  const button = page.getByRole('button', { name: 'Add tab' });
  await button.click();
  await page.keyboard.type('two');
  await page.keyboard.press('ControlOrMeta+Enter');
  await page.keyboard.type('three');
  await button.focus();
  await page.keyboard.press('Enter');
  await page.keyboard.type('four');

  const tabs = ['A', 'Tab 2', 'Tab 3', 'Tab 4'].map(
    (title, index) => `{% tab title="${title}" %}\n${['one', 'two', 'three', 'four'][index]}\n{% endtab %}`,
  );
  expect(await getEditedMarkdown(page)).toBe(`{% tabs %}\n${tabs.join('\n\n')}\n{% endtabs %}\n`);
  expect(problems).toEqual([]);
});

test.each(['{% hint style="info" %}\nA\n{% endhint %}\n', '> A\n', '| A |\n|---|\n| b |\n'])(
  'a click below %j at the end starts a paragraph after it',
  async (markdown) => {
    const { page, problems } = await open(markdown);
    const text = page.getByRole('textbox', { name: 'Text of the page' });
    const { x = 0, y = 0, height = 0 } = (await text.boundingBox()) ?? {};
    await page.mouse.click(x + 60, y + height - 20);
    expect(await getEditedMarkdown(page)).toBe(markdown);
    await page.keyboard.type('Below');
    expect(await getEditedMarkdown(page)).toBe(`${markdown}\nBelow\n`);
    await page.mouse.click(x + 60, y + height + 20);
    expect(await text.locator('> p').count()).toBe(1);
    expect(problems).toEqual([]);
  },
);

test.each([
  '{% content-ref %}\n{% endcontent-ref %}',
  '{% content-ref url="" %}\n{% endcontent-ref %}',
  '{% embed %}',
  '{% embed url="" %}\nWords\n{% endembed %}',
  '{% file %}',
  '{% include %}',
  '{% hint %}\n{% endhint %}',
  '{% code %}\n```\n```\n{% endcode %}',
  '{% tabs %}\n{% tab %}\n{% endtab %}\n{% endtabs %}',
  '{% stepper %}\n{% step %}\n{% endstep %}\n{% endstepper %}',
  '{% columns %}\n{% column %}\n{% endcolumn %}\n{% endcolumns %}',
  '<details>\n\n<summary></summary>\n\n</details>',
  '<figure><img></figure>',
  '<a class="button">a</a>',
  '![]() [a]()',
  '<table data-view="cards"><thead><tr><th></th></tr></thead><tbody><tr><td></td></tr></tbody></table>',
  '$$\n$$',
  '- [ ]',
])('a block without data is shown and keeps its bytes: %j', async (markdown) => {
  const { page, problems } = await openEditor(browser, await serveEditor(), `${markdown}\n\nBelow\n`);
  await page.getByText('Below').click();
  await page.keyboard.press('End');
  await page.keyboard.type(' it');
  expect(await getEditedMarkdown(page)).toBe(`${markdown}\n\nBelow it\n`);
  expect(problems).toEqual([]);
});
