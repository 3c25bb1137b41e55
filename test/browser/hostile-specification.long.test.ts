import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createReferenceSite } from '../publishing/reader/reference/reference-site.ts';
import { getShare } from '../support/random.ts';
import { createHostileSpecification, listHostilePaths } from './hostile-specification.ts';
import { hostileTexts } from './hostile-texts.ts';
import { openBrowser } from './open-browser.ts';
import { expectStillWatching, openWatchedPage, provoke } from './watched-page.ts';

let [browser, base, places]: [Browser | undefined, string, string[]] = [undefined, '', []];

beforeAll(async () => {
  const [opened, site] = await Promise.all([openBrowser(), createReferenceSite(createHostileSpecification())]);
  [browser, base] = [opened, site.base];
  const { html } = await site.read('sitemap-pages-1.xml');
  places = [...html.matchAll(/<loc>([^<]*)<\/loc>/g)].map(([, place = '']) => place);
}, 120_000);

afterAll(() => browser?.close());

const requireBrowser = (): Browser => {
  if (browser === undefined) throw new Error('There is no browser.');
  return browser;
};

test('text of a specification never runs on its pages or violates the content security policy', async () => {
  const watched = await openWatchedPage(requireBrowser());
  const { page, told } = watched;
  let parts = 0;

  for (const place of getShare(places, 2)) {
    expect([place, (await page.goto(place))?.status()]).toEqual([place, 200]);
    await provoke(page);
    parts += await page.locator('.reference').count();
    expect([place, told]).toEqual([place, []]);
  }

  expect(parts).toBeGreaterThan(hostileTexts.length);
  await expectStillWatching(watched);
  await page.close();
}, 300_000);

test('no text of a specification runs in the test panel of an operation', async () => {
  const watched = await openWatchedPage(requireBrowser());
  const { page, told } = watched;

  for (const path of getShare(listHostilePaths(), 2)) {
    const query = new URLSearchParams({ spec: 'api', method: 'post', path });
    await page.goto(`${base}/~/test?${query}`);
    const client = page.getByRole('dialog').first();
    await client.getByRole('button', { name: 'Send' }).first().waitFor();
    await page.evaluate(`for (const each of document.querySelectorAll('[role=dialog] [aria-expanded=false]')) each.click();
      for (const each of document.querySelectorAll('[role=dialog] [role=tab], [role=dialog] input')) each.focus();`);
    expect([path, told]).toEqual([path, []]);
  }

  await expectStillWatching(watched);
  await page.close();
}, 300_000);
