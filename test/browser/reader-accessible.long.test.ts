import { AxeBuilder } from '@axe-core/playwright';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { publishShowcase } from '../publishing/reader/showcase.ts';
import { getShare } from '../support/random.ts';
import { openBrowser } from './open-browser.ts';
import { takePicture } from './pictures.ts';

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
    'reference/ships',
    'reference/ships/ship3',
    `${encodeURIComponent('العربية')}/`,
  ],
  ...['~/search?q=words', '~/search?q=nosuchword', missing],
];
const screens = { phone: { width: 390, height: 844 }, desktop: { width: 1440, height: 900 } };
/** Pages whose desktop layout has elements that are hidden on phones. */
const wide = ['', 'blocks/text/boxes', 'blocks/tables', 'reference/', 'reference/ships/ship3', '~/search?q=words'];
const views = [
  ...pages.map((path) => ['phone', path, screens.phone] as const),
  ...wide.map((path) => ['desktop', path, screens.desktop] as const),
];

/** Rules to check: all in light mode, and only those that depend on colors in dark mode. */
const rulesOf = { light: undefined, dark: ['color-contrast', 'link-in-text-block', 'image-alt'] };

async function getViolations(page: Page, rules: string[] | undefined): Promise<string[]> {
  const axe = new AxeBuilder({ page });
  const { violations } = await (rules === undefined ? axe : axe.withRules(rules)).analyze();
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)} ${failureSummary?.split('\n')[1] ?? ''}`),
  );
}

/** Collects script errors, policy violations and failed requests from the browser. Ignores 404 responses. */
function listen(page: Page): string[] {
  const messages: string[] = [];
  page.on('pageerror', ({ message }) => messages.push(message));
  page.on('console', (message) => {
    if (message.type() === 'error' && !message.text().includes('status of 404')) messages.push(message.text());
  });
  return messages;
}

test.each(getShare(views, 2))(
  'the page has no accessibility violation, light or dark: %s, /%s',
  async (screen, path, viewport) => {
    const context = await browser.newContext({ viewport, reducedMotion: 'reduce' });
    onTestFinished(() => context.close());
    const page = await context.newPage();
    const messages = listen(page);
    const response = await page.goto(`${site}${path}`);
    const faults: string[] = [];
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await takePicture(page, `reader-${path || 'home'}-${screen}-${colorScheme}`);
      faults.push(...(await getViolations(page, rulesOf[colorScheme])).map((fault) => `${colorScheme}: ${fault}`));
    }

    expect(response?.status()).toBe(path === missing ? 404 : 200);
    expect(faults).toEqual([]);
    expect(await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
    expect(messages).toEqual([]);
  },
);
