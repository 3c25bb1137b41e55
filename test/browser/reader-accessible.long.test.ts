import { AxeBuilder } from '@axe-core/playwright';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { publishShowcase } from '../publishing/reader/showcase.ts';
import { openBrowser } from './open-browser.ts';
import { picture } from './pictures.ts';

let browser: Browser;
let site = '';

beforeAll(async () => {
  [browser, { url: site }] = await Promise.all([openBrowser(), publishShowcase()]);
}, 120_000);

afterAll(() => browser?.close());

const missing = 'no/such/page';
const pages = [
  ...['', 'blocks/text', 'blocks/text/boxes', 'blocks/text/code', 'blocks/tables', 'more/changes'],
  ...[
    'next/',
    'reference/',
    'reference/more',
    'reference/replaceorder',
    'reference/models',
    `${encodeURIComponent('العربية')}/`,
  ],
  ...['~/search?q=words', '~/search?q=nosuchword', missing],
];
const screens = { phone: { width: 390, height: 844 }, desktop: { width: 1440, height: 900 } };
const looks = Object.entries(screens).flatMap(([screen, viewport]) =>
  (['light', 'dark'] as const).map((colorScheme) => ({ screen, viewport, colorScheme })),
);

async function violationsOf(page: Page): Promise<string[]> {
  const { violations } = await new AxeBuilder({ page }).analyze();
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)} ${failureSummary?.split('\n')[1] ?? ''}`),
  );
}

/** Faults that the browser tells of itself: of scripts, of the policy, of files that are not there. */
function listen(page: Page): string[] {
  const told: string[] = [];
  page.on('pageerror', ({ message }) => told.push(message));
  page.on('console', (message) => {
    if (message.type() === 'error' && !message.text().includes('status of 404')) told.push(message.text());
  });
  return told;
}

test.each(looks)('no page has a barrier: $screen, $colorScheme', async ({ screen, viewport, colorScheme }) => {
  const context = await browser.newContext({ viewport, colorScheme, reducedMotion: 'reduce' });
  const page = await context.newPage();
  const told = listen(page);
  const faults: string[] = [];
  for (const path of pages) {
    const response = await page.goto(`${site}${path}`);
    if (response?.status() !== (path === missing ? 404 : 200)) faults.push(`${path}: answers ${response?.status()}`);
    await picture(page, `reader-${path || 'home'}-${screen}-${colorScheme}`);
    faults.push(...(await violationsOf(page)).map((fault) => `${path}: ${fault}`));
    const wide = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
    if (wide > 0) faults.push(`${path}: is ${wide} pixels wider than the screen`);
  }
  await context.close();

  expect(faults).toEqual([]);
  expect(told).toEqual([]);
});
