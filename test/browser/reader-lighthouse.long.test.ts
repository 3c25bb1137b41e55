import lighthouse from 'lighthouse';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { publishShowcase } from '../publishing/reader/showcase.ts';
import { pickFreePort } from '../support/free-port.ts';
import { openInstalledBrowser } from './open-browser.ts';

// `reader-accessible` checks the accessibility of these pages, also with axe.
const categories = ['performance', 'best-practices', 'seo'];
const least = 95;

let [browser, port, site]: [Browser | undefined, number, string] = [undefined, 0, ''];

beforeAll(async () => {
  port = await pickFreePort();
  [browser, { url: site }] = await Promise.all([
    openInstalledBrowser([`--remote-debugging-port=${port}`]),
    publishShowcase(),
  ]);
}, 120_000);

afterAll(() => browser?.close());

/**
 * Lighthouse makes the CPU four times slower to simulate a phone, and expects a desktop computer of this benchmark index
 * for that. A slower machine is slowed down less.
 */
const [phoneSlowdown, desktopIndex] = [4, 1500];
let cpuSlowdownMultiplier = phoneSlowdown;

/** Returns the categories in which a page scores too low with Lighthouse's phone settings, and the failed audits. */
async function listLowScores(url: string, skipAudits: string[]): Promise<string[]> {
  const throttling = { cpuSlowdownMultiplier };
  const result = await lighthouse(url, {
    port,
    onlyCategories: categories,
    skipAudits,
    throttling,
    logLevel: 'silent',
  });
  if (result === undefined) throw new Error('Lighthouse gave no result.');
  const { categories: found, audits, environment } = result.lhr;
  const slowdown = (phoneSlowdown * environment.benchmarkIndex) / desktopIndex;
  cpuSlowdownMultiplier = Math.min(phoneSlowdown, Math.max(1, slowdown));
  return Object.values(found).flatMap(({ title, score, auditRefs }) => {
    const points = Math.round((score ?? 0) * 100);
    if (points >= least) return [];
    const lost = auditRefs.flatMap(({ id, weight }) => {
      const audit = audits[id];
      const isLost = weight > 0 && audit !== undefined && audit.score !== null && audit.score < 0.9;
      return isLost ? [`${audit.title} ${audit.displayValue ?? ''}`] : [];
    });
    return [`${title} ${points}: ${lost.join('; ')}`];
  });
}

/** Number of attempts. Other load on the machine only lowers scores, so the best attempt counts. */
const times = 8;

async function listBestLowScores(path: string, skipAudits: string[] = []): Promise<string[]> {
  let short: string[] = [];
  for (let time = 0; time < times; time += 1) {
    short = await listLowScores(`${site}${path}`, skipAudits);
    if (short.length === 0) return [];
  }
  return short;
}

// One page of each layout.
test.each(['', 'blocks/text/code', 'blocks/tables', 'reference/replaceorder', 'reference/ships'])(
  'Lighthouse scores "%s" at least 95',
  { timeout: 240_000 },
  async (path) => {
    expect(await listBestLowScores(path)).toEqual([]);
  },
);

// Search result pages have `noindex`, which costs 37 points.
test('Lighthouse scores search results at least 95, apart from the intended noindex', async () => {
  const path = '~/search?q=words';

  expect((await fetch(`${site}${path}`)).headers.get('x-robots-tag')).toBe('noindex');
  expect(await listBestLowScores(path, ['is-crawlable'])).toEqual([]);
});
