import { CustomizationChanges, createDefaultCustomization } from '@octavo/schema';
import { beforeAll, expect, test } from 'vitest';
import type { OpenSite } from '../publishing/audiences/open-site.ts';
import { openSite } from '../publishing/audiences/open-site.ts';
import { toUncachedUrl } from '../publishing/reader/reads.ts';
import { platform } from '../support/platform.ts';

/** Hosts that a hostile text tries to allow. */
const hostile = [
  'https://a.example;script-src-elem https://evil.example',
  'https://a.example;script-src-elem/font.woff2',
  'https://a.example,evil.example/x',
  'https://*.evil.example/x',
  "https://'unsafe-inline'/x",
  "https://a.example/ 'unsafe-inline'",
  'https://x.example\nset-cookie: evil=1',
  'https://x.example/\r\nset-cookie: evil=1',
  'https://x.example/\u2028y',
  '\thttps://x.example',
  "#fff;}</style><script src='https://evil.example'>",
  `x"; script-src *, default-src 'unsafe-inline' https://evil.example`,
  '"><script>alert(1)</script>',
];

const fontFaces = [{ weight: 400, sources: [{ url: 'https://font.example/x.woff2' }] }];
const linkTo = { title: 'Link', to: { kind: 'url' as const, url: 'https://link.example/' } };
const image = { light: 'https://image.example/l.png', dark: 'https://image.example/d.png' };
const full = {
  ...createDefaultCustomization(),
  title: 'Docs',
  favicon: { icon: image },
  announcement: { enabled: true, message: 'News', style: 'info' as const, link: linkTo },
  socialAccounts: [{ platform: 'github' as const, handle: 'octavo', display: { footer: true, header: true } }],
  styling: {
    ...createDefaultCustomization().styling,
    tint: { color: { light: '#123456', dark: '#123456' } },
    font: { id: 'own', custom: true, fontFamily: 'Own', fontFaces },
    headingFont: { id: 'head', custom: true, fontFamily: 'Head', fontFaces },
  },
  header: { preset: 'custom' as const, logo: image, primaryLink: linkTo.to, links: [{ ...linkTo, links: [linkTo] }] },
  footer: { logo: image, copyright: 'Us', groups: [{ title: 'More', links: [linkTo] }] },
  privacyPolicy: { url: 'https://privacy.example/' },
  socialPreview: { url: 'https://image.example/p.png' },
};

type Path = (string | number)[];

/** Returns the paths of all texts in a value. */
const findTextPaths = (value: unknown, at: Path = []): Path[] => {
  if (typeof value === 'string') return [at];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, each]) => findTextPaths(each, [...at, name]));
};

function replaceText<Value>(value: Value, [name, ...rest]: Path, text: string): Value {
  if (name === undefined) return text as Value;
  const copy = (Array.isArray(value) ? [...value] : { ...value }) as Record<string | number, unknown>;
  copy[name] = replaceText(copy[name], rest, text);
  return copy as Value;
}

const texts = findTextPaths(full);
const isAllowed = (settings: unknown) => CustomizationChanges.safeParse(settings).success;

const ownSource = /^(?:'(?:self|none|unsafe-inline)'|'sha256-[\w+/]{43}='|data:|blob:|https:|allow-[a-z-]+)$/;
const origin = /^https?:\/\/(?:[\w.-]+|\[[\da-f:]+\])(?::\d+)?$/;
const directives =
  /^(?:(?:default|script|style|img|font|media|connect|frame)-src|form-action|base-uri|frame-ancestors|sandbox)$/;

function expectSafe(address: string, { headers }: Response): void {
  for (const policy of (headers.get('content-security-policy') ?? '').split(/[;,] */).filter((each) => each !== '')) {
    const [name = '', ...sources] = policy.split(' ');
    expect([address, name]).toEqual([address, expect.stringMatching(directives)]);
    for (const source of sources) {
      expect([address, name, source, ownSource.test(source) || origin.test(source)]).toEqual([
        ...[address, name, source, true],
      ]);
      expect(source).not.toMatch(/evil|\*/);
    }
    if (/^(?:script|default|connect)-src$/.test(name)) expect(policy).not.toContain('://');
  }
  for (const [name, value] of headers)
    expect([name, value]).toEqual([name, expect.not.stringMatching(/[^\x20-\x7e]|evil=1|<script/)]);
  expect(headers.has('set-cookie')).toBe(false);
}

let site: OpenSite;
beforeAll(async () => {
  site = await openSite('public');
});

const manage = (path: string, method: string, body: unknown) =>
  platform().request(`${site.path}${path}`, { token: site.organization.token, method, body });

const addresses = ['/start', '/start.md', '/llms.txt', '/sitemap.xml', '/~/search?q=x', '/nothing', '/there'];

async function expectSafeSite(): Promise<void> {
  for (const path of addresses) {
    const [plain = '', query = ''] = path.split('?');
    const address = `${toUncachedUrl(`${site.base}${plain}`)}?${query}`;
    const response = await platform().request(address);
    expect([path, response.status]).toEqual([path, expect.toSatisfy((status) => status < 500)]);
    expectSafe(path, response);
    await response.body?.cancel();
  }
}

test.each(hostile)('stored text cannot inject a header: %j', async (text) => {
  const accepted = texts.filter((path) => isAllowed(replaceText(full, path, text)));
  const settings = accepted.reduce((before, path) => replaceText(before, path, text), full);
  const destination = { kind: 'external', url: text };
  const space = { id: site.ids.spaceId ?? '', token: site.organization.token };
  const results = [
    await manage('/customization', 'PUT', settings),
    await manage('', 'PATCH', { title: text }),
    await manage('/redirects', 'PUT', { redirects: [{ source: '/there', destination }] }),
    await manage('/publishing/auth', 'PATCH', { fallbackURL: text }),
    await manage('/external-links', 'POST', { title: text, url: text, description: text }),
    await platform().request(`/v1/spaces/${space.id}/content`, {
      token: space.token,
      body: {
        changes: [{ operation: 'insert_page', title: text, document: { markdown: `![x](<${text}>)\n\n${text}\n` } }],
      },
    }),
  ];

  expect(results[0]?.status).toBe(200);
  for (const { status } of results) expect([200, 201, 400]).toContain(status);
  await expectSafeSite();
});

test.each(hostile)('rejects a URL in a customization, redirect or fallback if it is %j', async (text) => {
  const url = /^https:/.test(text) ? text : `https://${text}`;
  const addressesOf = texts.filter(
    (path) => path.at(-1) === 'url' && !path.includes('to') && !path.includes('primaryLink'),
  );

  for (const path of addressesOf) expect([path, isAllowed(replaceText(full, path, url))]).toEqual([path, false]);
  expect((await manage('/redirects', 'POST', { source: '/a', destination: { kind: 'external', url } })).status).toBe(
    400,
  );
  expect((await manage('/publishing/auth', 'PATCH', { fallbackURL: url })).status).toBe(400);
});

test.each([
  'https://{path}.example/a',
  'https://example.com:{path}/',
  'https://{path}@example.com/',
  'javascript:alert(1)//{path}',
  'https://*.example/{path}',
  'https://example.com/{path}/{path}',
])('rejects the edit URL %j, because a path could change its host', (editURL) => {
  expect(isAllowed({ git: { showEditLink: true, editURL } })).toBe(false);
  expect(isAllowed({ git: { showEditLink: true, editURL: 'https://example.com/edit/{path}' } })).toBe(true);
});
