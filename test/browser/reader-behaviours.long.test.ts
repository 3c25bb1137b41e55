import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { publishShowcase } from '../publishing/reader/showcase.ts';
import { setUpBrowsedSite } from './browsed-site.ts';

const { address, open } = setUpBrowsedSite(async () => {
  const { url, send } = await publishShowcase();
  await send('/customization', { pdf: { enabled: true }, feedback: { enabled: true } });
  return url;
});

const getViolations = async (page: Page): Promise<string[]> =>
  (await new AxeBuilder({ page }).analyze()).violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);

const phone = { viewport: { width: 390, height: 844 } };

test('an image opens in an overlay, closes with Escape, and returns the focus', async () => {
  const page = await open('blocks/text', phone);
  const button = page.locator('zoom-image button').last();
  await button.focus();
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('img').waitFor();
  expect(await getViolations(page)).toEqual([]);

  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  expect(await button.evaluate((element) => element.matches(':focus'))).toBe(true);
});

test('renders a diagram as an image with its text, in a frame with an opaque origin', async () => {
  const page = await open('blocks/text/code');
  const image = page.locator('mermaid-diagram img');
  await image.waitFor();

  expect(await image.getAttribute('alt')).toMatch(/Write.*Review/);
  expect(await image.getAttribute('src')).toMatch(/^data:image\/svg\+xml,/);
  expect(await page.locator('iframe').getAttribute('sandbox')).toBe('allow-scripts');
});

test('a URL opens the tab and the collapsed block that it names', async () => {
  const page = await open('blocks/text/boxes#tab-pnpm');
  const getTab = (name: string) => page.getByRole('tab', { name, exact: true });
  expect(await getTab('pnpm').getAttribute('aria-selected')).toBe('true');
  expect(await page.getByText('pnpm add octavo').isVisible()).toBe(true);

  await page.evaluate("location.hash = '#tab-a-text'");
  await page.getByText('Words alone, and more of them.').waitFor();
  expect(await getTab('pnpm').getAttribute('aria-selected')).toBe('false');

  const inside = page.getByText('a list', { exact: true });
  expect(await inside.isVisible()).toBe(false);
  await page.evaluate("location.hash = '#what-opens'");
  await inside.waitFor();
});

test('loads external embeds only on request', async () => {
  const page = await open('more/talk');
  const asked: string[] = [];
  await page.context().route(/^https:/, (route) => {
    asked.push(new URL(route.request().url()).hostname);
    return route.fulfill({ contentType: 'text/html', body: '<p>A film</p>' });
  });
  await page.reload({ waitUntil: 'networkidle' });
  expect(asked).toEqual([]);

  await page.locator('embed-frame button').click();
  await page.frameLocator('embed-frame iframe').getByText('A film').waitFor();
  expect(asked).toEqual(['www.youtube-nocookie.com']);
});

test('copies code exactly', async () => {
  const page = await open('blocks/text/code', { permissions: ['clipboard-read', 'clipboard-write'] });
  const block = page.locator('code-block', { hasText: 'says hello' });
  await block.getByRole('button', { name: 'Copy' }).click();
  await block.getByRole('button', { name: 'Copied' }).waitFor();

  const copied = await page.evaluate<string>('navigator.clipboard.readText()');
  expect(copied.split('\n')).toEqual([
    '// says hello',
    expect.stringContaining('export function'),
    ...[expect.any(String), expect.any(String)],
    '}',
  ]);
});

test('the outline follows the scroll position', async () => {
  const page = await open('blocks/text', { viewport: { width: 1440, height: 900 } });
  const current = page.locator('page-outline a[aria-current=true]');
  for (const name of ['A list', 'Pictures', 'A list']) {
    await page.getByRole('heading', { name }).evaluate((heading) => heading.scrollIntoView());
    await current.filter({ hasText: name }).waitFor();
    expect(await current.count()).toBe(1);
  }
});

test('page actions can be opened and used by keyboard', async () => {
  const page = await open('blocks/text');
  const summary = page.locator('details.actions summary');
  await summary.focus();
  await page.keyboard.press('Enter');
  const items = page.locator('details.actions li :is(a, button)');
  await items.first().waitFor();
  expect(await getViolations(page)).toEqual([]);

  const count = await items.count();
  expect(count).toBeGreaterThan(4);
  for (let item = 0; item < count; item += 1) {
    await page.keyboard.press('Tab');
    expect(await items.nth(item).evaluate((element) => element.matches(':focus'))).toBe(true);
  }
});

test('waiting for a PDF is accessible', async () => {
  const page = await open('');
  // Remove the Refresh header, so that the page does not reload during the checks.
  await page.route('**/~/pdf', async (route) => {
    const response = await route.fetch();
    const { refresh: _, ...headers } = response.headers();
    await route.fulfill({ response, headers });
  });
  const lateResponse = await page.goto(`${address()}~/pdf`);
  expect(lateResponse?.status()).toBe(202);
  await page.getByRole('heading', { name: 'Preparing your PDF' }).waitFor();

  expect(await getViolations(page)).toEqual([]);
});

test.each([true, false])('a reader rates a page and is thanked (scripts: %s)', async (javaScriptEnabled) => {
  const page = await open('blocks/text', { ...phone, javaScriptEnabled });
  const [form, thanks] = [page.locator('.feedback form'), page.locator('.feedback .thanks')];
  expect([await form.isVisible(), await thanks.isVisible()]).toEqual([true, false]);
  if (javaScriptEnabled) expect(await getViolations(page)).toEqual([]);

  await form.getByRole('button', { name: 'Partly' }).click();
  await thanks.waitFor();
  expect(await form.isVisible()).toBe(false);
  expect(new URL(page.url()).hash).toBe(javaScriptEnabled ? '' : '#~rated');
  expect(await page.context().cookies()).toEqual([]);
});
