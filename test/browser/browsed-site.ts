import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { openBrowser } from './open-browser.ts';

interface BrowsedSite {
  /** Returns the URL of the site. Only available while tests run. */
  address: () => string;
  /** Opens a page of the site and closes it after the test. */
  open: (path: string, options?: BrowserContextOptions) => Promise<Page>;
}

/** Opens a browser and publishes a site before the tests of a file. */
export function setUpBrowsedSite(publish: () => Promise<string>): BrowsedSite {
  let browser: Browser | undefined;
  let site = '';
  beforeAll(async () => {
    [browser, site] = await Promise.all([openBrowser(), publish()]);
  }, 120_000);
  afterAll(() => browser?.close());
  const open = async (path: string, options: BrowserContextOptions = {}): Promise<Page> => {
    if (browser === undefined) throw new Error('No browser is open yet.');
    const context = await browser.newContext({ reducedMotion: 'reduce', ...options });
    onTestFinished(() => context.close());
    const page = await context.newPage();
    await page.goto(`${site}${path}`);
    return page;
  };
  return { address: () => site, open };
}
