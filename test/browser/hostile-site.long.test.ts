import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeSite } from '../publishing/sites/site-client.ts';
import { json } from '../support/content.ts';
import type { RequestOptions } from '../support/platform.ts';
import { platform } from '../support/platform.ts';
import { getShare } from '../support/random.ts';
import { hostileAddresses, hostileTexts } from './hostile-texts.ts';
import { openBrowser } from './open-browser.ts';
import { expectStillWatching, provoke, watchedPage } from './watched-page.ts';

let browser: Browser;
let world: World;

beforeAll(async () => {
  [browser, world] = await Promise.all([openBrowser(), makeWorld()]);
}, 120_000);

afterAll(() => browser?.close());

/** Replaces control characters, which titles cannot contain. */
const inLine = (text: string): string => text.replace(/\p{Cc}/gu, ' ');
const quoted = (text: string): string => inLine(text).replaceAll('"', '&quot;');
const fenced = (info: string, text: string): string => `\`\`\`${info}\n${text}\n\`\`\``;

/** Returns Markdown with the text in every position that allows text. */
const around = (text: string): string[] => [
  ...[
    text,
    `## ${inLine(text)}`,
    `- ${inLine(text)}`,
    `| ${inLine(text).replaceAll('|', '')} |\n| --- |\n| ${inLine(text).replaceAll('|', '')} |`,
  ],
  fenced(inLine(text).replaceAll('`', ''), text),
  `{% code title="${quoted(text)}" %}\n${fenced('js', text)}\n{% endcode %}`,
  `{% hint style="${quoted(text)}" %}\n${text}\n{% endhint %}`,
  `{% tabs %}\n{% tab title="${quoted(text)}" %}\nIn a tab.\n{% endtab %}\n{% endtabs %}`,
  `![${inLine(text)}](https://a.example/a.png "${quoted(text)}")`,
  `<figure><img src="https://a.example/a.png" alt="${quoted(text)}"><figcaption>${inLine(text)}</figcaption></figure>`,
  `<details>\n<summary>${inLine(text)}</summary>\n\n${text}\n\n</details>`,
  `$$\n\\text{${inLine(text)}} \\href{javascript:hit(1)}{x}\n$$`,
  fenced(
    'mermaid',
    `%%{init: {"securityLevel": "loose"}}%%\ngraph TD\nA["${text}"] --> B\nclick A "javascript:hit(1)"`,
  ),
  `<i class="fa-${quoted(text)}">:${inLine(text)}:</i>`,
];

const linked = (address: string): string[] => [
  ...[`[a link](<${inLine(address)}>)`, `<a href="${quoted(address)}">a link</a>`, `<${inLine(address)}>`],
  ...[`![an image](<${inLine(address)}>)`, `<img src="${quoted(address)}">`],
  `<a href="${quoted(address)}" class="button primary">A button</a>`,
  `{% embed url="${quoted(address)}" %}`,
  `{% content-ref url="${quoted(address)}" %}\n[x](<${inLine(address)}>)\n{% endcontent-ref %}`,
  `<table data-view="cards"><thead><tr><th></th><th data-hidden data-card-target data-type="content-ref"></th></tr></thead><tbody><tr><td>x</td><td><a href="${quoted(address)}">x</a></td></tr></tbody></table>`,
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

const cut = (text: string, length: number): string => inLine(text).slice(0, length);
const link = (text: string, index: number) => ({
  title: cut(text, 60),
  to: {
    kind: 'url',
    url: `https://a.example/${encodeURIComponent(hostileAddresses[index % hostileAddresses.length] ?? '')}`,
  },
});

/** Returns a theme with hostile texts in all its fields. */
const hostileLook = () => {
  const [first = '', ...others] = hostileTexts;
  return {
    pdf: { enabled: true },
    title: cut(first, 60),
    announcement: { enabled: true, message: cut(others.join(' '), 128), style: 'info' },
    header: {
      links: others
        .slice(0, 5)
        .map(link)
        .map((each) => ({ ...each, style: 'link', links: [] })),
    },
    footer: { copyright: cut(first, 100), groups: [{ title: cut(first, 60), links: others.slice(5, 10).map(link) }] },
  };
};

interface World {
  address: string;
  ids: string[];
}

async function makeWorld(): Promise<World> {
  const organization = await platform().makeOrganization(cut(hostileTexts[0] ?? '', 60));
  const { token } = organization;
  const space = await platform().makeSpace({ organization, title: cut(hostileTexts[1] ?? '', 50) });
  const markdowns = [
    ...hostileTexts.map((text) => around(text).join('\n\n')),
    hostileAddresses.flatMap(linked).join('\n\n'),
    '![A picture](hostile.svg)\n\n[A file](hostile.svg)\n',
  ];
  const pages = markdowns.map((markdown, index) => {
    const text = hostileTexts[index % hostileTexts.length] ?? '';
    const told = { title: cut(text, 100), description: cut(text, 200), icon: cut(text, 40), slug: `page-${index}` };
    return { operation: 'insert_page', ...told, document: { markdown } };
  });
  const ids: string[] = [];
  for (const changes of [[{ operation: 'insert_files', files }, ...pages.slice(-1)], pages.slice(0, -1)]) {
    const path = `/v1/spaces/${space.id}/content?compat=false`;
    const made = await json<{ changes: { page?: { id: string } }[] }>(path, { token, body: { changes } });
    ids.push(...made.changes.flatMap(({ page }) => (page === undefined ? [] : [page.id])));
  }
  const title = cut(hostileTexts[2] ?? '', 60);
  const site = await makeSite(organization, { spaces: [space.id], title, visibility: 'public' });
  const options: RequestOptions = { token, method: 'PUT', body: hostileLook() };
  const look = await platform().request(`${site.base}/customization`, options);
  expect([look.status, look.status === 200 ? '' : await look.text()]).toEqual([200, '']);
  await site.ok('/sections', {
    body: { spaceId: await site.space(cut(title, 50)), title: cut(hostileTexts[8] ?? '', 60) },
  });
  const { items } = await site.ok<{ items: { id: string; title: string }[] }>('/sections');
  await site.patch('', {
    defaultSiteSection:
      items[0]?.id === undefined ? undefined : (items.find((each) => each.title === title)?.id ?? items[0].id),
  });
  const address = (await site.publish()).urls.published ?? '';
  return { address, ids };
}

test('text written by authors never runs in a browser or violates the content security policy', async () => {
  const { address, ids } = world;
  const watched = await watchedPage(browser);
  const { page, told } = watched;
  const pages = Array.from({ length: hostileTexts.length }, (_, index) => `page-${index}`);
  const places = [...getShare(pages, 2), `page-${hostileTexts.length}`, `page-${hostileTexts.length + 1}`];
  const words = getShare(hostileTexts, 6).map((text) => `~/search?q=${encodeURIComponent(text)}`);
  const missing = getShare(hostileTexts, 6, 3).map((text) => `nothing/${encodeURIComponent(text)}`);
  let read = 0;

  for (const place of [...places, ...words, ...missing, `~/pdf?page=${ids[0]}`]) {
    const answer = await page.goto(new URL(place, address).href);
    if (answer?.status() === 200) read += 1;
    await provoke(page);
    expect([place, told]).toEqual([place, []]);
  }
  await expectStillWatching(watched);
  expect(read).toBeGreaterThanOrEqual(places.length - 2 + words.length);
  await page.close();
}, 300_000);

test('text typed into the search never runs, and no machine-readable format runs when opened as a page', async () => {
  const { address } = world;
  const watched = await watchedPage(browser);
  const { page, told } = watched;
  await page.goto(new URL('page-0', address).href);
  let results = 0;
  const typed = getShare(hostileTexts, 2);
  for (const text of typed) {
    const answer = page.waitForResponse((each) => each.url().includes('/search.json'));
    await page.getByRole('combobox').fill(inLine(text));
    await (await answer).finished();
    await page.locator('[role=option], .results.none:not(:empty)').first().waitFor();
    results += await page.getByRole('option').count();
    expect([text, told]).toEqual([text, []]);
  }
  expect(results).toBeGreaterThan(typed.length);

  const markdown = getShare(
    hostileTexts.map((_, index) => `page-${index}.md`),
    3,
  );
  const searches = getShare(hostileTexts, 3).map((text) => `~/search.json?q=${encodeURIComponent(text)}`);
  const files = ['llms.txt', 'llms-full.txt', 'robots.txt', 'feed.xml', 'sitemap.xml', 'sitemap-pages-1.xml', '~/mcp'];
  for (const place of [...files, ...markdown, ...searches]) {
    const answer = await page.goto(new URL(place, address).href);
    expect([place, answer?.headers()]).toEqual([
      place,
      expect.objectContaining({
        'content-type': expect.not.stringContaining('html'),
        'x-content-type-options': 'nosniff',
      }),
    ]);
    expect([place, told]).toEqual([place, []]);
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
