import { beforeAll, describe, expect, test } from 'vitest';
import { edit, json, makePage } from '../../support/content.ts';
import { query } from '../../support/database.ts';
import { platform } from '../../support/platform.ts';
import { getSample } from '../../support/random.ts';
import { audiences } from '../audiences/open-site.ts';
import { createPublishedSite } from '../resolution/site-world.ts';
import { type MachineSite, makeMachineSite } from './machine/machine-site.ts';
import { readRenderedPdf, waitForPdf } from './reader-pdf.ts';
import { read } from './reads.ts';

const enablePdf = (path: string, token: string) =>
  json(`${path}/customization`, { token, method: 'PUT', body: { pdf: { enabled: true } } });

const getJobs = (space: string): number =>
  query("SELECT 1 FROM outbox WHERE space = ? AND type = 'render_pdf'", space).length;

describe.each(getSample(audiences, 2))('a site that is %s', (audience) => {
  let site: MachineSite;
  const getAddress = (index: number) => `${site.base}~/pdf?page=${site.pages[index]?.id}`;
  beforeAll(async () => {
    site = await makeMachineSite(audience);
  });

  test('returns 404 for PDFs unless the site enables them', async () => {
    expect((await site.get('~/pdf')).status).toBe(404);
    expect(await (await site.get('')).text()).not.toContain('~/pdf');
    expect(getJobs(site.space)).toBe(0);
  });

  test('returns a PDF of the whole site or of one page, and a page that refreshes itself while it is rendered', async () => {
    await enablePdf(site.path, site.organization.token);
    const page = await (await site.get('otters')).text();
    expect(page).toContain(`href="./~/pdf?page=${site.pages[1]?.id}" rel="nofollow"`);
    expect(page).toContain('href="./~/pdf" rel="nofollow"');

    const first = await site.get('~/pdf');
    expect([first.status, first.headers.get('retry-after'), first.headers.get('refresh')]).toEqual([202, '2', '2']);
    expect(first.headers.get('cache-control')).toBe('private, no-store');
    expect(await first.text()).toContain('Preparing your PDF');

    const whole = await readRenderedPdf(`${site.base}~/pdf`, site.headers);
    expect(whole.outline).toEqual(['Herons', 'Otters', '  Diet']);
    expect(whole.texts.join('\n')).toMatch(/Field guide.*A heron stands.*An otter swims/s);
    const otters = await readRenderedPdf(getAddress(1), site.headers);
    expect(otters.texts.join('\n')).toContain('An otter swims');
    expect(otters.texts.join('\n')).not.toContain('heron');
    expect(otters.title).toBe('Otters');
  });

  test('renders the PDF once, and lets browsers cache it if they revalidate it', async () => {
    const jobs = getJobs(site.space);
    const response = await site.get('~/pdf');
    const { headers } = response;

    expect([response.status, headers.get('content-type'), headers.get('cache-control'), headers.get('vary')]).toEqual([
      ...[200, 'application/pdf', 'private, no-cache', 'cookie'],
    ]);
    expect(headers.get('content-disposition')).toContain('filename="Field guide.pdf"');
    expect(headers.get('x-robots-tag')).toBe('noindex');
    const held = await site.get('~/pdf', { headers: { 'if-none-match': headers.get('etag') ?? '' } });
    expect(held.status).toBe(304);
    expect(getJobs(site.space)).toBe(jobs);
  });

  test('returns 404 to visitors without access, and for a missing page', async () => {
    const jobs = getJobs(site.space);
    if (audience === 'share-link') expect((await read(site.base.replace(/[\w-]{22}\/$/, '~/pdf'))).status).toBe(404);
    if (audience === 'visitor-auth') expect((await read(`${site.base}~/pdf`)).status).toBe(404);

    expect((await site.get('~/pdf?page=page_none')).status).toBe(404);
    expect((await site.get('~/pdf?page=')).status).toBe(404);
    expect(getJobs(site.space)).toBe(jobs);
  });

  test('renders a new PDF if the visible content changed', async () => {
    const before = (await site.get('~/pdf')).headers.get('etag');
    await edit({ id: site.space, token: site.organization.token }, [
      { operation: 'update_page', page: site.pages[1]?.id, title: 'Sea otters' },
    ]);

    const after = await waitForPdf(`${site.base}~/pdf`, site.headers);
    expect(after.headers.get('etag')).not.toBe(before);
    expect((await readRenderedPdf(`${site.base}~/pdf`, site.headers)).outline).toContain('Sea otters');
  });
});

describe('a site that shows different content to visitors', () => {
  const staff = 'visitor.claims.unsigned.staff';
  let base = '';
  let site = '';
  let space = '';
  let pages: string[] = [];
  const getCookie = (claims: object) => ({
    cookie: `octavo-claims-${site}=${encodeURIComponent(JSON.stringify(claims))}`,
  });
  beforeAll(async () => {
    const organization = await platform().makeOrganization();
    const newSpace = await platform().makeSpace({ organization, title: 'Guide' });
    space = newSpace.id;
    const shared = await json<{ changes: { reusableContent?: string }[] }>(`/v1/spaces/${space}/content?compat=false`, {
      token: newSpace.token,
      body: {
        changes: [
          {
            operation: 'insert_reusable_content',
            title: 'Shared',
            document: { markdown: `{% if ${staff} %}\n\nSharedsecret\n\n{% endif %}\n\nSharedopen\n` },
          },
        ],
      },
    });
    const secret = await makePage(newSpace, 'Wages', 'Pagesecret\n', { condition: staff });
    const unlisted = await makePage(newSpace, 'Unlisted', 'Unlistedtext\n', { hidden: true });
    const start = await makePage(
      newSpace,
      'Start',
      [
        `Opentext [to wages](/pages/${secret}) and [to unlisted](/pages/${unlisted}).`,
        `{% if ${staff} %}\n\nBlocksecret\n\n{% else %}\n\nBlockother\n\n{% endif %}`,
        `{% include "/reusable-contents/${shared.changes[0]?.reusableContent}" %}`,
      ].join('\n\n'),
    );
    pages = [start, secret, unlisted];
    const world = await createPublishedSite({ organization, visibility: 'public', spaces: [space] });
    [base, site] = [`${world.base}/`, world.site.id];
    await enablePdf(world.path, organization.token);
  });

  test('renders for each visitor exactly what they can see', async () => {
    for (const [claims, isStaff] of [
      [{ staff: true }, true],
      [{}, false],
    ] as const) {
      const { texts, outline } = await readRenderedPdf(`${base}~/pdf`, getCookie(claims));
      const text = texts.join('\n');
      for (const word of ['Opentext', 'Sharedopen']) expect([word, text.includes(word)]).toEqual([word, true]);
      for (const word of ['Pagesecret', 'Blocksecret', 'Sharedsecret', 'Wages'])
        expect([word, text.includes(word)]).toEqual([word, isStaff]);
      expect(text.includes('Blockother')).toBe(!isStaff);
      expect(text).not.toContain('Unlistedtext');
      expect(outline).toEqual(isStaff ? ['Wages', 'Start'] : ['Start']);
    }
  });

  test('renders a conditional page only for visitors who meet its condition', async () => {
    const address = `${base}~/pdf?page=${pages[1]}`;

    expect((await readRenderedPdf(address, getCookie({ staff: true }))).texts.join('\n')).toContain('Pagesecret');
    expect((await read(address)).status).toBe(404);
    expect((await read(address, { headers: getCookie({ staff: false }) })).status).toBe(404);
  });

  test('renders an unlisted page for visitors who know its URL', async () => {
    expect((await readRenderedPdf(`${base}~/pdf?page=${pages[2]}`)).texts.join('\n')).toContain('Unlistedtext');
  });

  test('links to pages outside the PDF point to the site if the visitor can see the target', async () => {
    const address = `${base}~/pdf?page=${pages[0]}`;

    expect((await readRenderedPdf(address, getCookie({ staff: true }))).urls).toEqual([base, `${base}unlisted`]);
    expect((await readRenderedPdf(address)).urls).toEqual([`${base}unlisted`]);
  });
});
