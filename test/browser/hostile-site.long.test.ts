import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeSite } from '../publishing/sites/site-client.ts';
import { json } from '../support/content.ts';
import type { RequestOptions } from '../support/platform.ts';
import { platform } from '../support/platform.ts';
import { getShare } from '../support/random.ts';
import { hostileAddresses, hostileTexts } from './hostile-texts.ts';
import { openBrowser } from './open-browser.ts';
import { expectStillWatching, openWatchedPage, provoke } from './watched-page.ts';

let browser: Browser;
let world: World;

beforeAll(async () => {
  [browser, world] = await Promise.all([openBrowser(), createHostileSite()]);
}, 120_000);

afterAll(() => browser?.close());

/** Replaces control characters, which titles cannot contain. */
const replaceControlCharacters = (text: string): string => text.replace(/\p{Cc}/gu, ' ');
const escapeQuotes = (text: string): string => replaceControlCharacters(text).replaceAll('"', '&quot;');
const createFence = (info: string, text: string): string => `\`\`\`${info}\n${text}\n\`\`\``;

/** Returns Markdown with the text in every position that allows text. */
const wrapInSyntax = (text: string): string[] => [
  ...[
    text,
    `## ${replaceControlCharacters(text)}`,
    `- ${replaceControlCharacters(text)}`,
    `| ${replaceControlCharacters(text).replaceAll('|', '')} |\n| --- |\n| ${replaceControlCharacters(text).replaceAll('|', '')} |`,
  ],
  createFence(replaceControlCharacters(text).replaceAll('`', ''), text),
  `{% code title="${escapeQuotes(text)}" %}\n${createFence('js', text)}\n{% endcode %}`,
  `{% hint style="${escapeQuotes(text)}" %}\n${text}\n{% endhint %}`,
  `{% tabs %}\n{% tab title="${escapeQuotes(text)}" %}\nIn a tab.\n{% endtab %}\n{% endtabs %}`,
  `![${replaceControlCharacters(text)}](https://a.example/a.png "${escapeQuotes(text)}")`,
  `<figure><img src="https://a.example/a.png" alt="${escapeQuotes(text)}"><figcaption>${replaceControlCharacters(text)}</figcaption></figure>`,
  `<details>\n<summary>${replaceControlCharacters(text)}</summary>\n\n${text}\n\n</details>`,
  `$$\n\\text{${replaceControlCharacters(text)}} \\href{javascript:hit(1)}{x}\n$$`,
  createFence(
    'mermaid',
    `%%{init: {"securityLevel": "loose"}}%%\ngraph TD\nA["${text}"] --> B\nclick A "javascript:hit(1)"`,
  ),
  `<i class="fa-${escapeQuotes(text)}">:${replaceControlCharacters(text)}:</i>`,
];

const createLinks = (address: string): string[] => [
  ...[
    `[a link](<${replaceControlCharacters(address)}>)`,
    `<a href="${escapeQuotes(address)}">a link</a>`,
    `<${replaceControlCharacters(address)}>`,
  ],
  ...[`![an image](<${replaceControlCharacters(address)}>)`, `<img src="${escapeQuotes(address)}">`],
  `<a href="${escapeQuotes(address)}" class="button primary">A button</a>`,
  `{% embed url="${escapeQuotes(address)}" %}`,
  `{% content-ref url="${escapeQuotes(address)}" %}\n[x](<${replaceControlCharacters(address)}>)\n{% endcontent-ref %}`,
  `<table data-view="cards"><thead><tr><th></th><th data-hidden data-card-target data-type="content-ref"></th></tr></thead><tbody><tr><td>x</td><td><a href="${escapeQuotes(address)}">x</a></td></tr></tbody></table>`,
];

const picture = `<svg xmlns="http://www.w3.org/2000/svg" onload="hit('a file')"><script>hit('a file')</script></svg>`;
const files = [
  {
    name: 'x"><img src=x onerror=hit(1)>.svg',
    contentType: 'image/svg+xml',
    base64: btoa(picture),
    ref: 'hostile.svg',
  },
];

const cut = (text: string, length: number): string => replaceControlCharacters(text).slice(0, length);
const createLink = (text: string, index: number) => ({
  title: cut(text, 60),
  to: {
    kind: 'url',
    url: `https://a.example/${encodeURIComponent(hostileAddresses[index % hostileAddresses.length] ?? '')}`,
  },
});

/** Returns a theme with hostile texts in all its fields. */
const createHostileCustomization = () => {
  const [first = '', ...others] = hostileTexts;
  return {
    pdf: { enabled: true },
    title: cut(first, 60),
    announcement: { enabled: true, message: cut(others.join(' '), 128), style: 'info' },
    header: {
      links: others
        .slice(0, 5)
        .map(createLink)
        .map((each) => ({ ...each, style: 'link', links: [] })),
    },
    footer: {
      copyright: cut(first, 100),
      groups: [{ title: cut(first, 60), links: others.slice(5, 10).map(createLink) }],
    },
  };
};

interface World {
  address: string;
  ids: string[];
}

async function createHostileSite(): Promise<World> {
  const organization = await platform().makeOrganization(cut(hostileTexts[0] ?? '', 60));
  const { token } = organization;
  const space = await platform().makeSpace({ organization, title: cut(hostileTexts[1] ?? '', 50) });
  const markdowns = [
    ...hostileTexts.map((text) => wrapInSyntax(text).join('\n\n')),
    hostileAddresses.flatMap(createLinks).join('\n\n'),
    '![A picture](hostile.svg)\n\n[A file](hostile.svg)\n',
  ];
  const pages = markdowns.map((markdown, index) => {
    const text = hostileTexts[index % hostileTexts.length] ?? '';
    const metadata = { title: cut(text, 100), description: cut(text, 200), icon: cut(text, 40), slug: `page-${index}` };
    return { operation: 'insert_page', ...metadata, document: { markdown } };
  });
  const ids: string[] = [];
  for (const changes of [[{ operation: 'insert_files', files }, ...pages.slice(-1)], pages.slice(0, -1)]) {
    const path = `/v1/spaces/${space.id}/content?compat=false`;
    const change = await json<{ changes: { page?: { id: string } }[] }>(path, { token, body: { changes } });
    ids.push(...change.changes.flatMap(({ page }) => (page === undefined ? [] : [page.id])));
  }
  const title = cut(hostileTexts[2] ?? '', 60);
  const site = await makeSite(organization, { spaces: [space.id], title, visibility: 'public' });
  const options: RequestOptions = { token, method: 'PUT', body: createHostileCustomization() };
  const response = await platform().request(`${site.base}/customization`, options);
  expect([response.status, response.status === 200 ? '' : await response.text()]).toEqual([200, '']);
  await site.callJson('/sections', {
    body: { spaceId: await site.space(cut(title, 50)), title: cut(hostileTexts[8] ?? '', 60) },
  });
  const { items } = await site.callJson<{ items: { id: string; title: string }[] }>('/sections');
  await site.patch('', {
    defaultSiteSection:
      items[0]?.id === undefined ? undefined : (items.find((each) => each.title === title)?.id ?? items[0].id),
  });
  const address = (await site.publish()).urls.published ?? '';
  return { address, ids };
}

test('text written by authors never runs in a browser or violates the content security policy', async () => {
  const { address, ids } = world;
  const watched = await openWatchedPage(browser);
  const { page, told: metadata } = watched;
  const pages = Array.from({ length: hostileTexts.length }, (_, index) => `page-${index}`);
  const places = [...getShare(pages, 2), `page-${hostileTexts.length}`, `page-${hostileTexts.length + 1}`];
  const words = getShare(hostileTexts, 6).map((text) => `~/search?q=${encodeURIComponent(text)}`);
  const missing = getShare(hostileTexts, 6, 3).map((text) => `nothing/${encodeURIComponent(text)}`);
  let read = 0;

  for (const place of [...places, ...words, ...missing, `~/pdf?page=${ids[0]}`]) {
    const response = await page.goto(new URL(place, address).href);
    if (response?.status() === 200) read += 1;
    await provoke(page);
    expect([place, metadata]).toEqual([place, []]);
  }
  await expectStillWatching(watched);
  expect(read).toBeGreaterThanOrEqual(places.length - 2 + words.length);
  await page.close();
}, 300_000);

test('text typed into the search never runs, and no machine-readable format runs when opened as a page', async () => {
  const { address } = world;
  const watched = await openWatchedPage(browser);
  const { page, told: metadata } = watched;
  await page.goto(new URL('page-0', address).href);
  let results = 0;
  const typed = getShare(hostileTexts, 2);
  for (const text of typed) {
    const response = page.waitForResponse((each) => each.url().includes('/search.json'));
    await page.getByRole('combobox').fill(replaceControlCharacters(text));
    await (await response).finished();
    await page.locator('[role=option], .results.none:not(:empty)').first().waitFor();
    results += await page.getByRole('option').count();
    expect([text, metadata]).toEqual([text, []]);
  }
  expect(results).toBeGreaterThan(typed.length);

  const markdown = getShare(
    hostileTexts.map((_, index) => `page-${index}.md`),
    3,
  );
  const searches = getShare(hostileTexts, 3).map((text) => `~/search.json?q=${encodeURIComponent(text)}`);
  const files = ['llms.txt', 'llms-full.txt', 'robots.txt', 'feed.xml', 'sitemap.xml', 'sitemap-pages-1.xml', '~/mcp'];
  for (const place of [...files, ...markdown, ...searches]) {
    const response = await page.goto(new URL(place, address).href);
    expect([place, response?.headers()]).toEqual([
      place,
      expect.objectContaining({
        'content-type': expect.not.stringContaining('html'),
        'x-content-type-options': 'nosniff',
      }),
    ]);
    expect([place, metadata]).toEqual([place, []]);
  }
  await page.goto(new URL('page-0', address).href);
  await expectStillWatching(watched);
  await page.close();
}, 300_000);

test('machine-readable formats of hostile texts are valid', async () => {
  const { address } = world;
  const get = async (path: string) => (await platform().request(new URL(path, address).href)).text();
  const html = await get('page-0');
  for (const [, data = ''] of html.matchAll(/<script type="application\/ld\+json">(.*?)<\/script>/gs))
    expect(() => JSON.parse(data)).not.toThrow();

  for (const path of ['feed.xml', 'sitemap.xml', 'sitemap-pages-1.xml']) {
    const page = await browser.newPage();
    const text = await get(path);
    const parsed = `new DOMParser().parseFromString(${JSON.stringify(text)}, 'text/xml')`;
    const isWellFormed = await page.evaluate(`${parsed}.querySelector('parsererror') === null`);

    expect([path, isWellFormed, text.includes('<script')]).toEqual([path, true, false]);
    await page.close();
  }
}, 120_000);
