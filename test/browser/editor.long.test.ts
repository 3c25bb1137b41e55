import { readFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bundleEditor, getEditedMarkdown, openEditor, runInEditor, serveEditor } from './edited-page.ts';
import { hostileAddresses, hostileTexts } from './hostile-texts.ts';
import { openBrowser } from './open-browser.ts';

// Tests of the editor in a page with a strict content security policy.

let browser: Browser;

beforeAll(async () => {
  browser = await openBrowser();
}, 120_000);

afterAll(() => browser?.close());

const open = async (markdown: string) => openEditor(browser, await serveEditor(), markdown);
const getText = (page: Page) => page.getByRole('textbox', { name: 'Text of the page' });

/** Opens the editor, and places the cursor at the end of the text. */
async function write(markdown: string) {
  const opened = await open(markdown);
  await getText(opened.page).click();
  await opened.page.keyboard.press('ControlOrMeta+End');
  return { ...opened, keyboard: opened.page.keyboard };
}

describe('writing', () => {
  test('converts Markdown that is typed', async () => {
    const { page, keyboard, problems } = await write('');

    await keyboard.type(
      '## Title\nSome **bold**, *italic*, `code` and ~~old~~ text.\n- one\ntwo\n\n> quote\n\n\n1. first\n\n[',
    );

    expect(await getEditedMarkdown(page)).toBe(
      '## Title\n\nSome **bold**, _italic_, `code` and ~~old~~ text.\n\n- one\n- two\n\n> quote\n\n1. first\n\n\\[\n',
    );
    expect(problems).toEqual([]);
  });

  test('changes only the bytes of the changed block', async () => {
    const markdown = '---\ntitle: A\n---\n\nTitle\n=====\n* __one__\n\n\n+ two\n\n```js\na\n```\n';
    const { page, keyboard } = await write(markdown);

    await page.getByText('one', { exact: true }).click();
    await keyboard.press('End');
    await keyboard.type(' more');

    expect(await getEditedMarkdown(page)).toBe(markdown.replace('__one__', '__one more__'));
    await keyboard.press('ControlOrMeta+z');
    expect(await getEditedMarkdown(page)).toBe(markdown);
  });

  test('inserts blocks from the list after a slash', async () => {
    const { page, keyboard, problems } = await write('Start\n');

    await keyboard.type('\n/warning h');
    await expect.poll(() => page.getByRole('listbox').getByRole('option').allTextContents()).toEqual(['Warning hint']);
    await keyboard.press('Enter');
    await keyboard.type('Careful');

    expect(await getEditedMarkdown(page)).toBe('Start\n\n{% hint style="warning" %}\nCareful\n{% endhint %}\n');
    await page.getByRole('combobox', { name: 'Style' }).selectOption('danger');
    expect(await getEditedMarkdown(page)).toContain('{% hint style="danger" %}');
    expect(problems).toEqual([]);
  });

  test('keeps a slash between words', async () => {
    const { page, keyboard } = await write('');

    await keyboard.type('Text / code\nMore / ');
    await keyboard.press('Enter');
    await keyboard.type('End');

    expect(await getEditedMarkdown(page)).toBe('Text / code\n\nMore /\n\nEnd\n');
  });

  test.each([
    ['Table', '| A |  |  |'],
    ['Tabs', '{% tab title="First tab" %}\nA\n{% endtab %}'],
    ['Steps', '{% step %}\n### A\n{% endstep %}'],
    ['Columns', '{% column %}\nA\n{% endcolumn %}'],
    ['Expandable', '<summary>Details</summary>\n\nA'],
    ['Code', '```\nA\n```'],
    ['Math', '$$\nA\n$$'],
    ['Task list', '- [ ] A'],
    ['Quote', '> A'],
    ['Embed', '{% embed url="A" %}'],
    ['File', '{% file src="A" %}'],
    ['Reusable content', '{% include "A" %}'],
    ['Cards', '<td>A</td>'],
  ])('inserts %s', async (label, expected) => {
    const { page, keyboard, problems } = await write('');

    await page.getByRole('combobox', { name: 'Insert a block' }).selectOption(label);
    await keyboard.type('A');

    expect(await getEditedMarkdown(page)).toContain(expected);
    expect(problems).toEqual([]);
  });

  test('links to pages that are found by their title', async () => {
    const { page, keyboard } = await write('See');

    await keyboard.type(' [[ins');
    await page.getByRole('option', { name: 'Install' }).waitFor();
    await keyboard.press('Enter');
    await keyboard.type(' and this');
    await keyboard.press('ControlOrMeta+Shift+ArrowLeft');
    await keyboard.press('ControlOrMeta+k');
    await page.getByRole('combobox', { name: 'Page or address' }).fill('https://example.com');
    await keyboard.press('Enter');

    expect(await getEditedMarkdown(page)).toBe('See [Install](install.md) and [this](https://example.com)');
  });

  test('edits tables, and moves blocks by keyboard', async () => {
    const { page, keyboard } = await write('| a | b |\n|---|---|\n| c | d |\n\nLast\n');

    await keyboard.press('Alt+ArrowUp');
    await page.getByRole('columnheader', { name: 'b' }).click();
    await keyboard.press('ArrowDown');
    await keyboard.type('1');
    await page.getByRole('cell', { name: 'd' }).click();
    await page.getByRole('combobox', { name: 'Change the table' }).selectOption('Add row');
    await keyboard.press('Tab');
    await keyboard.type('e|f');

    expect(await getEditedMarkdown(page)).toBe('Last\n\n| a | b |\n|---|---|\n| c | 1d |\n| e\\|f |  |\n');
  });

  test('checks tasks', async () => {
    const { page } = await write('* [ ] one\n* [x] two\n');

    await page.getByRole('checkbox').first().click();

    expect(await getEditedMarkdown(page)).toBe('* [x] one\n* [x] two\n');
  });

  test('uploads an image that is chosen after the menu of blocks', async () => {
    const { page, keyboard } = await write('Before');

    await keyboard.type(' /image');
    const chooser = page.waitForEvent('filechooser');
    await page.getByRole('listbox').getByRole('option', { name: 'Image' }).waitFor();
    await keyboard.press('Enter');
    const buffer = Buffer.from('x');
    await (await chooser).setFiles({ name: 'picture.png', mimeType: 'image/png', buffer });
    await runInEditor(page, ({ uploads }) => uploads[0]?.resolve('picture.png'));

    await expect.poll(() => getEditedMarkdown(page)).toBe('Before ![picture](picture.png)');
  });
});

describe('pasted files', () => {
  const paste = (page: Page, name: string, type: string) =>
    page.evaluate(`{
      const data = new DataTransfer();
      data.items.add(new File(['x'], '${name}', { type: '${type}' }));
      document.querySelector('.editor-text').dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));
    }`);

  test('are ignored if they are a picture of pasted text', async () => {
    const { page } = await write('');

    await page.evaluate(`{
      const data = new DataTransfer();
      data.setData('text/plain', 'a');
      data.setData('text/html', '<p><b>a</b></p>');
      data.items.add(new File(['x'], 'image.png', { type: 'image/png' }));
      document.querySelector('.editor-text').dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));
    }`);

    expect(await getEditedMarkdown(page)).toBe('**a**\n');
    expect(await runInEditor(page, ({ uploads }) => uploads)).toEqual([]);
  });

  test('become blocks below the text if they are no images', async () => {
    const { page } = await write('Before\n\nAfter\n');

    await page.getByText('Before').click();
    await paste(page, 'terms.pdf', 'application/pdf');
    await runInEditor(page, ({ uploads }) => uploads[0]?.resolve('terms.pdf'));

    await expect.poll(() => getEditedMarkdown(page)).toBe('Before\n\n{% file src="terms.pdf" %}\n\nAfter\n');
  });

  test('are uploaded with progress and again after an error', async () => {
    const { page, keyboard } = await write('Before');

    await paste(page, 'my-picture.png', 'image/png');
    await runInEditor(page, ({ uploads }) => uploads[0]?.report(0.5));
    await expect.poll(() => page.getByRole('progressbar').getAttribute('value')).toBe('0.5');
    await keyboard.type(' after');
    await runInEditor(page, ({ uploads }) => uploads[0]?.reject(new Error('The file is too large.')));
    await page.getByText('The file is too large.').waitFor();
    await page.getByRole('button', { name: 'Retry' }).click();
    await runInEditor(page, ({ uploads }) => uploads[1]?.resolve('picture.png'));

    await expect
      .poll(() => getEditedMarkdown(page))
      .toMatch(/^Before(?: after)?!\[my picture\]\(picture\.png\)(?: after)?$/);
  });
});

describe('fields', () => {
  test('Enter in the caption of an image moves the cursor to the text below', async () => {
    const { page, keyboard } = await write('![a](picture.png)\n\none two\n');

    await page.getByText('one two').click();
    await keyboard.press('ArrowLeft');
    await page.getByRole('img').click();
    await page.getByRole('textbox', { name: 'Caption' }).fill('Words');
    await keyboard.press('Enter');
    await keyboard.type('New ');

    expect(await getEditedMarkdown(page)).toBe(
      '<figure><img src="picture.png" alt="a"><figcaption><p>Words</p></figcaption></figure>\n\nNew one two\n',
    );
    await page.getByRole('img').click();
    await keyboard.type('below');
    expect(await getEditedMarkdown(page)).toContain('</figure>\n\nbelow\n\nNew one two\n');
  });

  test('a new embed has no address, and Enter in its caption moves the cursor to the text below', async () => {
    const { page, keyboard } = await write('');

    await page.getByRole('combobox', { name: 'Insert a block' }).selectOption('Embed');
    await keyboard.type('https://a.example');
    await keyboard.press('Enter');
    await keyboard.type('below');
    await page.locator('[data-block=embed] p').click();
    await keyboard.type('Words');
    await keyboard.press('Enter');
    await keyboard.type('first');

    expect(await getEditedMarkdown(page)).toBe(
      '{% embed url="https://a.example" %}\nWords\n{% endembed %}\n\nfirst\n\nbelow\n',
    );
  });
});

describe('source mode', () => {
  test('edits the same text, and undo restores the text before it', async () => {
    const markdown = '* a\n\n\nb\r\n';
    const { page, keyboard, problems } = await write(markdown);

    await runInEditor(page, ({ editor }) => editor.setSourceMode(true));
    expect(await getEditedMarkdown(page)).toBe(markdown);
    await keyboard.press('ControlOrMeta+Home');
    await keyboard.type('# New\n\n');
    await runInEditor(page, ({ editor }) => editor.setSourceMode(false));

    await page.getByRole('heading', { name: 'New' }).waitFor();
    expect(await getEditedMarkdown(page)).toBe(`# New\n\n${markdown}`);
    await keyboard.press('ControlOrMeta+z');
    expect(await getEditedMarkdown(page)).toBe(markdown);
    expect(problems).toEqual([]);
  });

  test('is opened once, with the text that was written while its code was loading', async () => {
    const { page, keyboard } = await write('a');
    const code = Promise.withResolvers<void>();
    await page.route(/source-mode/, async (route) => {
      await code.promise;
      await route.continue();
    });

    await runInEditor(page, ({ editor }) => {
      void editor.setSourceMode(true);
      void editor.setSourceMode(true);
    });
    await keyboard.type(' b');
    code.resolve();

    await page.locator('.editor-source').waitFor();
    await runInEditor(page, ({ editor }) => editor.setSourceMode(true));
    expect(await page.locator('.editor-source').count()).toBe(1);
    expect(await getEditedMarkdown(page)).toBe('a b');
  });

  test('reports the block with the cursor, and shows who edits which block', async () => {
    const { page, keyboard, problems } = await write('---\r\na: b\r\n---\r\n\r\none\r\n\r\n\r\n- two\r\n\r\nthree\r\n');
    await runInEditor(page, ({ editor }) => {
      editor.setEditors([{ block: 1, name: 'Grace' }]);
      return editor.setSourceMode(true);
    });
    const marked = page.locator('.cm-edited');

    expect([await marked.textContent(), await marked.getAttribute('data-editors')]).toEqual(['- two', 'Grace']);
    await keyboard.press('ControlOrMeta+Home');
    await expect.poll(() => runInEditor(page, ({ blocks }) => blocks.at(-1))).toBe(0);
    await keyboard.press('ControlOrMeta+End');
    await expect.poll(() => runInEditor(page, ({ blocks }) => blocks.at(-1))).toBe(2);
    await keyboard.press('ControlOrMeta+Home');
    await keyboard.type('# New\n\n');
    await runInEditor(page, ({ editor }) => editor.setEditors([{ block: 0, name: 'Ada' }]));
    await expect
      .poll(() => marked.evaluateAll((lines) => lines.map(({ textContent }) => textContent)))
      .toEqual(['# New']);
    expect(problems).toEqual([]);
  });

  test('keeps the cursor when the text is replaced', async () => {
    const { page, keyboard } = await write('one\r\ntwo\r\n');
    await runInEditor(page, ({ editor }) => editor.setSourceMode(true));
    await keyboard.press('ControlOrMeta+End');
    await keyboard.press('ArrowLeft');

    await runInEditor(page, ({ editor }) => editor.setMarkdown('new one\r\ntwo\r\n'));
    await keyboard.type('!');

    expect(await getEditedMarkdown(page)).toBe('new one\r\ntwo!\r\n');
  });
});

describe('copying and pasting', () => {
  const paste = (page: Page, type: string, text: string) =>
    page.evaluate(`{
      const data = new DataTransfer();
      data.setData(${JSON.stringify(type)}, ${JSON.stringify(text)});
      document.querySelector('.editor-text').dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));
    }`);

  test('pastes Markdown as blocks', async () => {
    const { page } = await write('');

    await paste(page, 'text/plain', '# A\n\n{% hint style="info" %}\nb\n{% endhint %}');

    expect(await getEditedMarkdown(page)).toBe('# A\n\n{% hint style="info" %}\nb\n{% endhint %}\n');
  });

  test('pastes HTML of other programs', async () => {
    const { page, problems } = await write('');

    await paste(
      page,
      'text/html',
      '<h2 style="color:red" onclick="hit(1)">A</h2><p><b>b</b> <a href="c">d</a><script>hit(2)</script></p><style>p{color:red}</style><p><span style="font-weight:700">f</span> <span style="font-style:italic">g</span></p><ul><li>e</li></ul>',
    );

    expect(await getEditedMarkdown(page)).toBe('## A\n\n**b** [d](c)\n\n**f** _g_\n\n- e\n');
    expect(await runInEditor(page, ({ hits }) => hits)).toEqual([]);
    expect(problems).toEqual([]);
  });
});

test('hostile texts run no scripts and create no elements that could', async () => {
  const { page, problems } = await open('');
  const links = hostileAddresses.flatMap((address) => [
    `[a](${address})`,
    `![a](${address})`,
    `<a href="${address}">a</a>`,
  ]);
  for (const markdown of [...hostileTexts, ...links, hostileTexts.join('\n\n')]) {
    const found = await page.evaluate(`{
      window.mount(${JSON.stringify(markdown)});
      const elements = [...document.querySelectorAll('main *')];
      elements.flatMap((element) => [
        ...(/^(?:script|iframe|object|embed|style|link|base|meta|form|math|template)$/i.test(element.tagName) ? [element.tagName] : []),
        ...[...element.attributes].filter(({ name, value }) => /^on|^style$|^srcdoc$/.test(name) || /^\\s*(?:javascript|data|vbscript):/i.test(value)).map(({ name }) => name),
      ]);
    }`);
    expect(found, markdown).toEqual([]);
    expect(await getEditedMarkdown(page)).toBe(markdown);
  }
  expect(await runInEditor(page, ({ hits }) => hits)).toEqual([]);
  expect(problems).toEqual([]);
});

test('an edit of a page of the book changes only the edited text', async () => {
  const markdown = readFileSync(path.resolve(import.meta.dirname, '../../docs/guides/write-pages.md'), 'utf8');
  const { page, keyboard, problems } = await write(markdown);

  expect(await getEditedMarkdown(page)).toBe(markdown);
  await keyboard.press('ControlOrMeta+Home');
  await keyboard.type('New ');

  expect(await getEditedMarkdown(page)).toBe(markdown.replace(/^# /m, '# New '));
  expect(problems).toEqual([]);
});

test('the editor has at most 250 KB when it is compressed, and its source mode 120 KB more', async () => {
  const files = await bundleEditor();
  const sizes = [...files].map(([name, bytes]) => ({ name, size: gzipSync(bytes).length }));
  const sum = (isSource: boolean) =>
    sizes
      .filter(({ name }) => name.startsWith('source-mode') === isSource)
      .reduce((total, { size }) => total + size, 0);

  expect(sum(false)).toBeLessThanOrEqual(250_000);
  expect(sum(true)).toBeLessThanOrEqual(120_000);
});
