import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { json } from '../support/content.ts';
import type { TestSpace } from '../support/platform.ts';
import { checkScreen } from './checked-screen.ts';
import { type ContentPage, getStatus, getText, openEditing, readPage, waitUntilSent } from './editing-session.ts';
import { openBrowser } from './open-browser.ts';

// Tests of the editing screen of the app.

let browser: Browser;

beforeAll(async () => {
  browser = await openBrowser();
}, 120_000);

afterAll(() => browser?.close());

const showcase = `# Title

Text with **bold**, \`code\` and a [link](https://example.com).

- [ ] Task

| Left | Right |
|---|---|
| a | b |

{% hint style="warning" %}
A hint.
{% endhint %}

{% embed url="https://example.com" %}
A caption
{% endembed %}

<figure><img src="missing.png" alt="A picture"><figcaption><p>Below it</p></figcaption></figure>

<table data-view="cards"><thead><tr><th></th><th></th><th data-hidden data-card-target data-type="content-ref"></th></tr></thead><tbody><tr><td><strong>One</strong></td><td>Text</td><td><a href="https://example.com">https://example.com</a></td></tr><tr><td><strong>Two</strong></td><td>Text</td><td></td></tr></tbody></table>

{% include "part.md" %}

{% file src="terms.pdf" %}
The terms
{% endfile %}

\`\`\`js
const answer = 42;
\`\`\`
`;

const startEditing = (markdown: string) => openEditing(browser, markdown);

const sendMarkdown = ({ id, token }: TestSpace, changeRequest: string, page: string, markdown: string) =>
  json(`/v1/spaces/${id}/change-requests/${changeRequest}/content`, {
    token,
    body: { changes: [{ operation: 'update_page', page, document: { markdown } }] },
  });

describe('editing a page', () => {
  test('lists reusable content once for all blocks', async () => {
    const { tab, space, changeRequest } = await startEditing('{% include "a.md" %}\n\n{% include "b.md" %}\n');
    const note = { operation: 'insert_reusable_content', title: 'Note', document: { markdown: 'A note.' } };
    await json(`/v1/spaces/${space.id}/change-requests/${changeRequest}/content`, {
      token: space.token,
      body: { changes: [note] },
    });
    const requests: string[] = [];
    tab.on('request', (request) => requests.push(request.url()));

    await tab.reload();

    const lists = tab.getByRole('combobox', { name: 'Reusable content' }).getByRole('option', { name: 'Note' });
    await expect.poll(() => lists.count()).toBe(2);
    expect(requests.filter((url) => url.includes('/content?depth=0'))).toHaveLength(1);
  });

  test('sends the text and the title to a draft, and leaves the live page unchanged', async () => {
    const { tab, faults, space, page, changeRequest } = await startEditing('First *paragraph*\n\n* a\n* b\n');

    await tab.keyboard.type(' more');
    await tab.getByRole('textbox', { name: 'Title' }).fill('New guide');
    await waitUntilSent(
      { tab, space, changeRequest, page },
      {
        title: 'New guide',
        markdown: 'First *paragraph*\n\n* a\n* b more\n',
      },
    );
    expect(faults).toEqual([]);
    const live = await json<ContentPage>(`/v1/spaces/${space.id}/content/page/${page}`, { token: space.token });
    expect(live).toMatchObject({ title: 'Guide', markdown: 'First *paragraph*\n\n* a\n* b\n' });
  });

  test('uploads a pasted image and shows it', async () => {
    const { tab, space, page, changeRequest, faults } = await startEditing('Look:\n');
    await tab.evaluate(`{
      const bytes = Uint8Array.from(atob('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='), (sign) => sign.charCodeAt(0));
      const data = new DataTransfer();
      data.items.add(new File([bytes], 'dot.png', { type: 'image/png' }));
      document.querySelector('.editor-text').dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));
    }`);

    await expect
      .poll(
        () =>
          tab
            .locator('.editor-image img')
            .evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth),
        { timeout: 20_000 },
      )
      .toBe(1);
    await waitUntilSent(
      { tab, space, changeRequest, page },
      { markdown: expect.stringMatching(/^Look:!\[dot\]\(\/files\/\w+\)\n$/) },
    );
    // A text sent with the revision from before the upload would be rejected and sent again, which would be a fault.
    expect(faults).toEqual([]);
  });

  test('renames the first heading with the title that it repeats', async () => {
    const edited = await startEditing('# Guide\n\nText\n');
    expect(await getText(edited.tab).getByRole('heading').count()).toBe(0);

    await edited.tab.getByRole('textbox', { name: 'Title' }).fill('Manual');

    await waitUntilSent(edited, { title: 'Manual', markdown: '# Manual\n\nText\n' });
    expect(edited.faults).toEqual([]);
  });
});

test('the screen is accessible in light and dark, and fits a phone', async () => {
  const { tab, faults } = await startEditing(showcase);
  await tab.getByRole('button', { name: 'Bold' }).waitFor();
  await checkScreen(tab, 'edit');
  // The toolbar stays in one line in a table, too.
  await tab.getByRole('columnheader', { name: 'Left' }).click();
  await tab.getByRole('combobox', { name: 'Change the table' }).waitFor();
  const { height = 0 } = (await tab.getByRole('toolbar').boundingBox()) ?? {};
  expect(height).toBeLessThan(50);
  expect(faults).toEqual([]);
}, 240_000);

test('Markdown mode that cannot be loaded shows an error, and the text stays', async () => {
  const { tab } = await startEditing('Text\n');
  const button = tab.getByRole('button', { name: 'Markdown', exact: true });
  await tab.route('**/source-mode*', (route) => route.abort());
  await button.click();
  await tab.getByText('Something went wrong. Reload the page and try again.').waitFor();
  expect(await button.getAttribute('aria-pressed')).toBe('false');
  await getText(tab).click();
  await tab.keyboard.type('More ');
  await expect.poll(() => getText(tab).textContent()).toContain('More');
});

describe('a text that was not sent', () => {
  test('is shown again after the tab was closed without a connection, and sent', async () => {
    const { context, tab, space, page, changeRequest } = await startEditing('Text\n');
    const address = tab.url();
    // `setOffline` is not enough: the setting can be lost while the tab closes and sends its last request.
    await context.route('**/v1/**', (route) => route.abort());

    await tab.keyboard.type(' that must stay');
    await tab.close();
    expect((await readPage(space, changeRequest, page)).markdown).toBe('Text\n');
    await context.unroute('**/v1/**');
    const next = await context.newPage();
    await next.goto(address);

    await getText(next).getByText('Text that must stay').waitFor();
    await waitUntilSent({ tab: next, space, changeRequest, page }, { markdown: 'Text that must stay\n' });
  });

  test('is sent when the connection is back', async () => {
    const { context, tab, space, page, changeRequest } = await startEditing('Text\n');
    await context.setOffline(true);
    await tab.keyboard.type(' offline');
    await expect.poll(() => getStatus(tab).textContent(), { timeout: 20_000 }).toMatch(/^Offline/);

    await context.setOffline(false);
    await waitUntilSent({ tab, space, changeRequest, page }, { markdown: 'Text offline\n' });
  });

  test('is kept if the session ends', async () => {
    const { context, tab, space, page, changeRequest } = await startEditing('Text\n');
    const address = tab.url();
    const cookies = await context.cookies();
    // The change must stay unsaved. If everything is saved, the app can open the sign-in page by itself.
    await context.route('**/content?*', (route) => route.abort());
    await tab.keyboard.type(' of a session');
    await context.clearCookies();
    await context.unroute('**/content?*');

    await tab.getByText('You are signed out.').waitFor();
    await checkScreen(tab, 'signed-out');
    await tab.getByRole('button', { name: 'Sign in' }).click();
    await tab.waitForURL(/\/login/);
    await context.addCookies(cookies);
    await tab.goto(address);

    await getText(tab).getByText('Text of a session').waitFor();
    await waitUntilSent({ tab, space, changeRequest, page }, { markdown: 'Text of a session\n' });
  });
});

describe('a change by another person', () => {
  test('is merged if it is in other lines', async () => {
    const { tab, space, page, changeRequest } = await startEditing('One\n\nTwo\n\nThree\n');
    await sendMarkdown(space, changeRequest, page, 'Eins\n\nTwo\n\nThree\n');

    await tab.keyboard.type(' more');
    await waitUntilSent({ tab, space, changeRequest, page }, { markdown: 'Eins\n\nTwo\n\nThree more\n' });
    await getText(tab).getByText('Eins').waitFor();
  });

  test('of the same lines is a conflict that the user resolves', async () => {
    const { tab, space, page, changeRequest } = await startEditing('One\n');
    // While online, the app could show the other person's change before the user writes.
    await tab.context().setOffline(true);
    await tab.keyboard.type(' of mine');
    await sendMarkdown(space, changeRequest, page, 'One of them\n');
    await tab.context().setOffline(false);

    await tab
      .getByRole('banner')
      .getByRole('button', { name: 'Conflict: compare versions' })
      .click({ timeout: 20_000 });
    expect(await tab.locator('.edit-message').textContent()).toContain(
      'The same part of the page was changed elsewhere.',
    );
    const rows = tab.getByRole('dialog').getByRole('row');
    await rows.filter({ hasText: 'One of mine' }).filter({ hasText: 'One of them' }).waitFor();
    expect(await tab.getByRole('dialog').locator('del').count()).toBe(0);
    expect(
      await tab
        .getByRole('dialog')
        .getByText(/Removed|Added/)
        .count(),
    ).toBe(0);
    await tab.getByRole('button', { name: 'Keep my version' }).click();
    await waitUntilSent({ tab, space, changeRequest, page }, { markdown: 'One of mine\n' });
  });
});
