import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Audience, OpenSite } from '../publishing/audiences/open-site.ts';
import { audiences, getAuthKey, openSite, signVisitorJwt } from '../publishing/audiences/open-site.ts';
import { makePage } from '../support/content.ts';
import { platform } from '../support/platform.ts';
import { openBrowser } from './open-browser.ts';

let browser: Browser;
let context: BrowserContext;
let page: Page;

beforeAll(async () => {
  browser = await openBrowser();
}, 120_000);

afterAll(() => browser?.close());

beforeEach(async () => {
  context = await browser.newContext();
  page = await context.newPage();
  return () => context.close();
});

const send = (site: OpenSite, path: string, method: string, body?: object) =>
  platform().request(`${site.path}${path}`, { token: site.organization.token, method, ...(body && { body }) });

/** Returns the URL of a page, with the visitor's JWT if the audience requires one. */
const getEntryUrl = ({ address, visitor }: OpenSite, place = 'start'): string =>
  `${address}/${place}${visitor.jwtToken === undefined ? '' : `?jwt_token=${visitor.jwtToken}`}`;

async function read(address: string): Promise<{ status: number | undefined; text: string; address: string }> {
  const response = await page.goto(address);
  return { status: response?.status(), text: (await page.textContent('body')) ?? '', address: page.url() };
}

const shownResponse = { status: 200, text: expect.stringContaining('Some words.') };

/** Ways to revoke a visitor's access, by audience. */
const ends: Record<Audience, [string, (site: OpenSite) => Promise<unknown>][]> = {
  public: [['it is taken offline', (site) => send(site, '/unpublish', 'POST')]],
  unlisted: [['it asks for a key', (site) => send(site, '', 'PATCH', { visibility: 'share-link' })]],
  'share-link': [
    [
      'the link is switched off',
      (site) => send(site, `/share-links/${site.shareLink?.id}`, 'PATCH', { active: false }),
    ],
    ['the link is deleted', (site) => send(site, `/share-links/${site.shareLink?.id}`, 'DELETE')],
  ],
  'visitor-auth': [['its key is another', (site) => send(site, '/publishing/auth/regenerate', 'POST')]],
};

describe.each(audiences)('a site with the visibility %s', (audience) => {
  test('can be read, page by page, only by visitors with access', async () => {
    const site = await openSite(audience);
    expect(await read(getEntryUrl(site))).toMatchObject({ ...shownResponse, address: `${site.address}/start` });
    await page.reload();
    await page.getByRole('link', { name: 'Start' }).first().click();
    expect(await page.textContent('main')).toContain('Some words.');

    const stranger = await (await browser.newContext()).newPage();
    const isOpen = audience === 'public' || audience === 'unlisted';
    expect((await stranger.goto(`${site.base}/start`))?.status()).toBe(isOpen ? 200 : 404);
    await stranger.context().close();
  });

  test.each(ends[audience])('is no longer readable if %s, not even from the browser cache', async (_, end) => {
    const site = await openSite(audience);
    expect(await read(getEntryUrl(site))).toMatchObject(shownResponse);

    await end(site);

    for (const address of [`${site.address}/start`, getEntryUrl(site)])
      expect(await read(address)).toMatchObject({ status: 404, text: expect.not.stringContaining('Some words.') });
  });
});

describe('a visitor with a token', () => {
  test('is recognized by a cookie limited to the site, until the session ends', async () => {
    const site = await openSite('visitor-auth');
    await read(getEntryUrl(site));
    const [cookie, ...others] = await context.cookies(`${site.base}/start`);

    expect(others).toEqual([]);
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Lax', path: `${new URL(site.base).pathname}/` });
    expect(await page.evaluate('document.cookie')).toBe('');
    expect(await context.cookies(`${platform().url}/v1/user`)).toEqual([]);
    expect(await context.cookies(`${site.base}-other/start`)).toEqual([]);
    expect(await read(`${site.base}/~/sign-out`)).toMatchObject({ status: 404 });
    expect(await context.cookies(`${site.base}/start`)).toEqual([]);
    await page.goBack();
    expect(await read(`${site.base}/start`)).toMatchObject({ status: 404 });
  });

  test('loses access when the token expires', async () => {
    const site = await openSite('visitor-auth');
    const soon = Math.floor(Date.now() / 1000) + 8;
    const jwtToken = signVisitorJwt(getAuthKey(site.site), { exp: soon });
    expect(await read(getEntryUrl({ ...site, visitor: { jwtToken } }))).toMatchObject(shownResponse);

    await expect
      .poll(async () => (await read(`${site.base}/start`)).status, { timeout: 70_000, interval: 500 })
      .toBe(404);
  });

  test('reads two sites at once, each with its own token', async () => {
    const first = await openSite('visitor-auth');
    const second = await openSite('visitor-auth', first.organization);
    await read(getEntryUrl(first));
    expect(await read(`${second.base}/start`)).toMatchObject({ status: 404 });
    const foreign = getEntryUrl({ ...second, visitor: first.visitor });
    expect(await read(foreign)).toMatchObject({ status: 404 });
    await read(getEntryUrl(second));

    for (const site of [first, second, first]) expect(await read(`${site.base}/start`)).toMatchObject(shownResponse);
    await read(`${first.base}/~/sign-out`);
    expect(await read(`${first.base}/start`)).toMatchObject({ status: 404 });
    expect(await read(`${second.base}/start`)).toMatchObject(shownResponse);
  });
});

describe('visitor claims', () => {
  const createConditionalText = (claim: string, text: string) =>
    `{% if visitor.claims.${claim} %}\n\n${text}\n\n{% endif %}`;
  const forPro = createConditionalText('unsigned.plan == "pro"', 'For pro.');
  const forFree = createConditionalText('unsigned.plan == "free"', 'For free.');
  const forStaff = createConditionalText('staff', 'For staff.');

  async function createConditionalSite() {
    const site = await openSite('public');
    const space = { id: site.ids.spaceId ?? '', token: site.organization.token };
    await makePage(space, 'Plans', [forPro, forFree, forStaff].join('\n\n'));
    return site;
  }

  const readVisibleTexts = async (address: string, of: Page = page) => {
    await of.goto(address);
    const text = (await of.textContent('article')) ?? '';
    return ['For pro.', 'For free.', 'For staff.'].filter((each) => text.includes(each));
  };

  test('in a URL or a token change only what this visitor sees', async () => {
    const { base, site } = await createConditionalSite();
    const staff = signVisitorJwt(getAuthKey(site), { staff: true });
    const other = await (await browser.newContext()).newPage();

    expect(await readVisibleTexts(`${base}/plans`)).toEqual([]);
    expect(await readVisibleTexts(`${base}/plans?visitor.plan=pro`)).toEqual(['For pro.']);
    expect(page.url()).toBe(`${base}/plans`);
    expect(await readVisibleTexts(`${base}/plans`, other)).toEqual([]);
    expect(await readVisibleTexts(`${base}/plans?visitor.plan=free`, other)).toEqual(['For free.']);
    expect(await readVisibleTexts(`${base}/plans`)).toEqual(['For pro.']);
    expect(await readVisibleTexts(`${base}/plans?visitor.staff=true`)).toEqual(['For pro.']);
    expect(await readVisibleTexts(`${base}/plans?jwt_token=${staff}`)).toEqual(['For pro.', 'For staff.']);
    expect(page.url()).toBe(`${base}/plans`);
    expect(await readVisibleTexts(`${base}/plans`, other)).toEqual(['For free.']);
    await page.goto(`${base}/~/sign-out`);
    expect(await readVisibleTexts(`${base}/plans`)).toEqual([]);
    await other.context().close();
  });
});
