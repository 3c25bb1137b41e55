import { get } from 'node:http';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { getElements, parse } from '../publishing/reader/html-tree.ts';
import { publishShowcase } from '../publishing/reader/showcase.ts';
import { setUpBrowsedSite } from './browsed-site.ts';

const { address, open } = setUpBrowsedSite(async () => (await publishShowcase()).url);

/** Returns the compressed response body, as a browser receives it. */
const fetchCompressed = (url: string): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    get(url, { headers: { 'accept-encoding': 'gzip, deflate, br' } }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => resolve(Buffer.concat(chunks)));
    }).on('error', reject);
  });

const kilobyte = 1_000;
const mostKilobytes = 50;

test('the first visit of a text page loads at most 50 KB of compressed HTML, styles and scripts', async () => {
  const url = `${address()}blocks/text`;
  const html = await (await fetch(url)).text();
  const loaded = getElements(parse(html)).flatMap(({ tagName, properties }) => {
    if (tagName === 'script') return typeof properties.src === 'string' ? [properties.src] : [];
    const isSheet = tagName === 'link' && [properties.rel].flat().includes('stylesheet');
    return isSheet ? [String(properties.href)] : [];
  });
  const sizes = await Promise.all([url, ...loaded.map((file) => new URL(file, url).href)].map(fetchCompressed));
  const total = sizes.reduce((sum, { length }) => sum + length, 0);

  expect(loaded.length).toBeGreaterThan(1);
  expect(total).toBeLessThan(mostKilobytes * kilobyte);
});

test('a page sends no request to another host', async () => {
  const page = await open('');
  const hosts = new Set<string>();
  page.on('request', (request) => hosts.add(new URL(request.url()).host));
  for (const path of ['', 'blocks/text', 'blocks/text/boxes', 'blocks/text/code', 'blocks/tables'])
    await page.goto(`${address()}${path}`, { waitUntil: 'networkidle' });

  expect([...hosts].filter((host) => host !== '' && host !== new URL(address()).host)).toEqual([]);
});

test('everything is readable without scripts, and search works as a plain form', async () => {
  const page = await open('blocks/text/boxes', { javaScriptEnabled: false });
  for (const words of ['npm install octavo', 'pnpm add octavo', 'Words alone, and more of them.'])
    expect(await page.getByText(words).isVisible()).toBe(true);

  await page.locator('summary', { hasText: 'What opens' }).click();
  expect(await page.getByText('a list', { exact: true }).isVisible()).toBe(true);

  await page.getByRole('searchbox').fill('struck');
  await page.getByRole('searchbox').press('Enter');
  await page.locator('main').getByRole('link', { name: 'Text' }).first().waitFor();
  expect(page.url()).toBe(`${address()}~/search?q=struck`);
});

/** Script that numbers each visible, focusable element, and returns the numbers. */
const named = `(() => {
  const seen = (element) => element.checkVisibility({ visibilityProperty: true }) && element.getClientRects().length > 0;
  const all = document.querySelectorAll('a[href], button, input, summary, [tabindex="0"]');
  return [...all].filter((element) => element.tabIndex >= 0 && seen(element)).map((element, index) => {
    element.dataset.reached = String(index);
    return String(index);
  });
})()`;

/** Waits until the diagrams are rendered. Until then, their scrollable source code is focusable. */
async function drawDiagrams(page: Page): Promise<void> {
  for (const diagram of await page.locator('mermaid-diagram').all()) {
    await diagram.scrollIntoViewIfNeeded();
    await diagram.locator('img').waitFor();
  }
}

test.each([
  ['phone', { width: 390, height: 844 }],
  ['desktop', { width: 1440, height: 900 }],
])('everything is reachable by keyboard: %s', async (_screen, viewport) => {
  for (const path of ['', 'blocks/text', 'blocks/text/boxes', 'blocks/text/code', 'blocks/tables']) {
    const page = await open(path, { viewport });
    await drawDiagrams(page);
    const expected = await page.evaluate<string[]>(named);
    const reached = new Set<string>();
    for (let press = 0; press < expected.length + 5; press += 1) {
      await page.keyboard.press('Tab');
      reached.add(await page.evaluate<string>('document.activeElement?.dataset.reached ?? ""'));
    }

    expect(expected.length).toBeGreaterThan(5);
    expect([path, expected.filter((each) => !reached.has(each))]).toEqual([path, []]);
  }
});

test('search can be opened, navigated and followed by keyboard', async () => {
  const page = await open('');
  await page.keyboard.press('/');
  await page.keyboard.type('struck');
  await page.getByRole('option').first().waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.waitForURL(`${address()}blocks/text`);

  await page.keyboard.press('/');
  await page.keyboard.type('nosuchwordatall');
  await page.getByText('No results for').waitFor();
  await page.keyboard.press('Escape');
  expect(await page.getByRole('listbox').isVisible()).toBe(false);
});

test('while typing, titles and headings are suggested, followed by a link to all results', async () => {
  const page = await open('');
  const options = page.getByRole('option');
  await page.getByRole('combobox').fill('box');
  await options.first().waitFor();
  expect(await options.first().locator('mark').first().textContent()).toMatch(/^box/i);
  expect(await options.last().textContent()).toBe('All results for “box”');

  await page.keyboard.press('ArrowUp');
  expect(await options.last().getAttribute('aria-selected')).toBe('true');
  await page.keyboard.press('Enter');
  await page.waitForURL(`${address()}~/search?q=box`);

  await page.getByRole('combobox').fill('list');
  const heading = options.and(page.locator('.of-heading')).first();
  await heading.waitFor();
  await heading.click();
  await page.waitForURL((url) => url.hash !== '');
});

test('tabs follow the arrow keys, and a URL opens the tab that it names', async () => {
  const page = await open('blocks/text/boxes');
  const getTab = (name: string) => page.getByRole('tab', { name, exact: true });
  await getTab('npm').focus();
  await page.keyboard.press('ArrowRight');

  expect(await getTab('pnpm').getAttribute('aria-selected')).toBe('true');
  expect(await page.getByText('pnpm add octavo').isVisible()).toBe(true);
  expect(await page.getByText('npm install octavo', { exact: true }).isVisible()).toBe(false);
});

test("a reader's theme choice stays on all pages of the site", async () => {
  const page = await open('', { colorScheme: 'light' });
  const readBackground = () => page.evaluate<string>('getComputedStyle(document.body).backgroundColor');
  const light = await readBackground();
  await page.locator('theme-switch button').click();
  const dark = await readBackground();
  await page.goto(`${address()}blocks/text`);

  expect(dark).not.toBe(light);
  expect(await readBackground()).toBe(dark);
});
