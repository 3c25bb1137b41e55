import type { CustomizationChanges, SiteCustomization } from '@octavo/schema';
import { createDefaultCustomization } from '@octavo/schema';
import { expect, test } from 'vitest';
import { listFieldsMissingForAnyVersion } from '../../clients/official/versions.ts';
import { query } from '../../support/database.ts';
import { platform } from '../../support/platform.ts';
import { getSite } from '../customized-site.ts';

const blue = { light: '#00f', dark: '#0000ff' };
const images = { light: 'https://example.com/light.png', dark: 'https://example.com/dark.png' };
const font = {
  id: 'own',
  custom: true,
  fontFamily: 'Open Sans',
  fontFaces: [{ weight: 400, sources: [{ url: 'https://example.com/a.woff2', format: 'woff2' as const }] }],
};

const settings = {
  title: 'The docs',
  localizedTitle: { fr: 'La documentation' },
  styling: { primaryColor: blue, tint: { color: blue }, font, sidebar: { list: 'pill' } },
  favicon: { icon: images },
  header: {
    logo: images,
    primaryLink: { kind: 'url', url: 'https://example.com' },
    links: [
      {
        title: 'More',
        to: null,
        style: 'link',
        condition: 'visitor.claims.beta',
        links: [{ title: 'Page', to: { kind: 'page', page: 'pg_1', space: 'spc_1' } }],
      },
    ],
  },
  footer: { groups: [{ title: 'Legal', links: [{ title: 'Terms', to: { kind: 'url', url: '/terms' } }] }] },
  announcement: { enabled: true, message: 'Hello', style: 'info' },
  themes: { default: 'dark' },
};

test('sets the given fields, and resets all others to their defaults', async () => {
  const { id, call } = await getSite();

  const response = await call('/customization', {
    method: 'PUT',
    body: { ...settings, socialAccounts: [{ platform: 'github', handle: 'octavo' }] },
  });
  const changed = (await response.json()) as SiteCustomization;

  expect(response.status).toBe(200);
  const defaults = createDefaultCustomization();
  expect(changed).toEqual({
    ...defaults,
    ...settings,
    styling: { ...defaults.styling, ...settings.styling, sidebar: { background: 'default', list: 'pill' } },
    header: { preset: 'default', ...settings.header },
    themes: { default: 'dark', toggeable: true },
    socialAccounts: [{ platform: 'github', handle: 'octavo', display: { footer: true, header: false } }],
    updatedAt: expect.any(String),
  });
  expect(listFieldsMissingForAnyVersion('updateSiteCustomizationById', changed)).toEqual([]);
  expect(await (await call('/customization')).json()).toEqual(changed);
  expect(query('SELECT data FROM outbox WHERE type = ?', 'site.customized')).toContainEqual({
    data: `{"site":"${id}"}`,
  });
});

test('replaces the former customization', async () => {
  const { call } = await getSite();
  await call('/customization', { method: 'PUT', body: settings });

  const response = await call('/customization', { method: 'PUT', body: { themes: { default: 'dark' } } });

  const { updatedAt, ...rest } = (await response.json()) as SiteCustomization;
  expect(rest).toEqual({ ...createDefaultCustomization(), themes: { default: 'dark', toggeable: true } });
});

test('accepts its own response as a request', async () => {
  const { call } = await getSite();
  const { updatedAt: first, ...before } = (await (
    await call('/customization', { method: 'PUT', body: settings })
  ).json()) as SiteCustomization;

  const response = await call('/customization', { method: 'PUT', body: before });

  const { updatedAt, ...after } = (await response.json()) as SiteCustomization;
  expect(after).toEqual(before);
});

test('keeps the list of page actions consistent with the boolean fields of older clients', async () => {
  const { call } = await getSite();
  const put = async (body: CustomizationChanges) => {
    const response = await call('/customization', { method: 'PUT', body });
    const { pageActions, pdf, git } = (await response.json()) as SiteCustomization;
    return { ...pageActions, pdf: pdf.enabled, git: git.showEditLink };
  };

  expect(await put({ pageActions: { items: ['pdf', 'markdown'] } })).toEqual({
    ...{ items: ['pdf', 'markdown'], markdown: true, externalAI: false, pdf: true, git: false },
  });
  const whole = (await (await call('/customization')).json()) as SiteCustomization;
  expect(await put({ ...whole, pdf: { enabled: false }, git: { showEditLink: true } })).toEqual({
    ...{ items: ['markdown', 'git'], markdown: true, externalAI: false, pdf: false, git: true },
  });
  expect(await put({ pageActions: { markdown: false } })).toMatchObject({ items: ['external-ai'], markdown: false });
  expect(await put({ pageActions: null, pdf: { enabled: true } })).toMatchObject({
    items: ['markdown', 'external-ai', 'pdf'],
  });
});

test.each<[string, unknown]>([
  ['an invalid color', { styling: { primaryColor: { light: 'red', dark: '#fff' } } }],
  ['a color followed by other text', { styling: { primaryColor: { light: '#fff;x:y', dark: '#fff' } } }],
  ['an unknown theme', { styling: { theme: 'loud' } }],
  ['an incomplete color', { styling: { tint: { color: { light: '#fff' } } } }],
  [
    'a link that runs code',
    { header: { links: [{ title: 'x', to: { kind: 'url', url: 'javascript:alert(1)' }, links: [] }] } },
  ],
  [
    'a nested link that runs code',
    { footer: { groups: [{ title: 'x', links: [{ title: 'x', to: { kind: 'url', url: 'data:text/html,x' } }] }] } },
  ],
  ['a link of the logo that runs code', { header: { primaryLink: { kind: 'url', url: ' JavaScript:alert(1)' } } }],
  [
    'a link of the announcement that runs code',
    {
      announcement: {
        enabled: true,
        message: 'Hello',
        style: 'info',
        link: { title: 'x', to: { kind: 'url', url: 'vbscript:x' } },
      },
    },
  ],
  ['a privacy policy link that runs code', { privacyPolicy: { url: 'javascript:alert(1)' } }],
  ['an image in a data URL', { favicon: { icon: { light: 'data:image/svg+xml,<svg/>', dark: 'https://a.example' } } }],
  ['an image without https', { header: { logo: { light: 'http://example.com/a.png', dark: 'https://a.example' } } }],
  ['a preview image without https', { socialPreview: { url: 'http://example.com/a.png' } }],
  [
    'a font without https',
    { styling: { font: { ...font, fontFaces: [{ weight: 1, sources: [{ url: 'http://example.com/a.woff' }] }] } } },
  ],
  ['a font name that contains CSS', { styling: { font: { ...font, fontFamily: 'x;}body{display:none' } } }],
  ['a favicon with both an icon and an emoji', { favicon: { emoji: '🐙', icon: images } }],
  ['an invalid emoji', { favicon: { emoji: 'octopus' } }],
  [
    'an invalid condition',
    { header: { links: [{ title: 'x', to: null, links: [], condition: 'visitor.claims.x(' }] } },
  ],
  [
    'a condition with an unknown name',
    { header: { links: [{ title: 'x', to: null, links: [], condition: 'process.env' }] } },
  ],
  ['too many links', { header: { links: Array(51).fill({ title: 'x', to: null, links: [] }) } }],
  ['a title that is too long', { title: 'x'.repeat(129) }],
  ['a value that is not an object', []],
])('rejects %s', async (_, body) => {
  const { call } = await getSite();

  expect((await call('/customization', { method: 'PUT', body })).status).toBe(400);
  expect(await (await call('/customization')).json()).toEqual(createDefaultCustomization());
});

test('accepts images of this server, even over HTTP', async () => {
  const { call } = await getSite();

  const url = new URL('/files/logo.png', platform().url).href;
  const response = await call('/customization', { method: 'PUT', body: { socialPreview: { url } } });

  expect(response.status).toBe(200);
});

test('rejects more than 64 KiB', async () => {
  const { call } = await getSite();
  const links = Array.from({ length: 50 }, () => ({
    title: 'x',
    to: { kind: 'url', url: `https://example.com/${'x'.repeat(1500)}` },
    links: [],
  }));

  expect((await call('/customization', { method: 'PUT', body: { header: { links } } })).status).toBe(400);
});

test('stores no unknown settings', async () => {
  const { id, call } = await getSite();

  const body = { ai: { instructions: 'secret' }, updatedAt: 'x', title: 'Own' };
  const response = await call('/customization', { method: 'PUT', body });
  for (const unknown of [{ published: true }, { site: 'site_other' }, { ai: { model: 'x' } }])
    expect((await call('/customization', { method: 'PUT', body: { ...body, ...unknown } })).status).toBe(400);

  expect(response.status).toBe(200);
  expect(query('SELECT settings FROM site_customizations WHERE site = ?', id)).toEqual([
    { settings: JSON.stringify({ title: 'Own', ai: {} }) },
  ]);
});
