import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { edit, json, makeChangeRequest } from '../../support/content.ts';
import type { TestOrganization } from '../../support/platform.ts';
import { platform } from '../../support/platform.ts';
import { holdsAsync } from '../../support/random.ts';
import type { Resolved } from './site-world.ts';
import { createPublishedSite, makeSpaceWithPages } from './site-world.ts';

/** A site whose addresses are resolved, and the words that no response may contain. */
interface SiteAddresses {
  /** The URLs of the site, without a path. */
  bases: string[];
  segments: string[];
  hidden: string[];
}

const condition = 'visitor.claims.staff';

/** Creates a site with two sections, a variant, a hidden section, nested pages, old addresses and redirects. */
async function createKnownSite(organization: TestOrganization, visibility: string): Promise<SiteAddresses> {
  const { token } = organization;
  const make = (title: string) => makeSpaceWithPages(organization, title, ['Start', 'Größe & mehr', 'Hidden page']);
  const [guides, reference, variant, secret] = [await make('G'), await make('R'), await make('V'), await make('S')];
  const { base, path } = await createPublishedSite({ organization, visibility, title: `A ${visibility} site` });
  const send = <Body>(at: string, method: string, body: object) => json<Body>(`${path}${at}`, { token, method, body });
  const add = (spaceId: string, title: string) => send<{ id: string }>('/sections', 'POST', { spaceId, title });
  await add(guides.id, 'Guides');
  const second = await add(reference.id, 'Reference');
  const shut = await add(secret.id, 'Secret section');
  const space = { spaceId: variant.id, sectionId: second.id };
  const { id } = await send<{ id: string }>('/site-spaces', 'POST', space);
  await send(`/sections/${shut.id}`, 'PATCH', { condition });
  const [start = '', size, gone = ''] = guides.pages;
  await edit(guides, [
    { operation: 'insert_page', title: 'Below', into: start, document: { markdown: '' } },
    { operation: 'update_page', page: gone, condition },
    { operation: 'update_page', page: size, slug: 'grösse' },
  ]);
  await send('/redirects', 'POST', {
    ...{ source: '/old/*', captureWildcard: true },
    destination: { kind: 'site-space', siteSpaceId: id },
  });
  const link =
    visibility === 'share-link'
      ? await send<{ urls: { published: string } }>('/share-links', 'POST', { name: 'K' })
      : undefined;
  const open = link?.urls.published.replace(/\/$/, '') ?? base;
  const changeRequest = (await makeChangeRequest(guides)).id;
  return {
    bases: [base, open],
    segments: [
      ...[
        'guides',
        'reference',
        'v',
        'start',
        'below',
        'gr%C3%B6sse',
        'groesse-mehr',
        'grosse-mehr',
        'hidden-page',
        'old',
      ],
      ...[
        'secret-section',
        'g',
        's',
        open.split('/').at(-1) ?? '',
        '~',
        'changes',
        'revisions',
        changeRequest,
        guides.revision,
      ],
    ],
    hidden: [shut.id, secret.id, gone],
  };
}

const strange = [
  ...[
    '',
    '.',
    '..',
    '%2e%2e',
    '%2E',
    '%00',
    '%',
    '%ff',
    '%zz',
    'a%2Fb',
    '..%2f..',
    '\\',
    '%5c',
    'ünïcode',
    '\u0000',
    '\ud83d\ude00',
  ],
  ...[
    'START',
    'Start',
    ' ',
    '%20',
    'start.md',
    '\'";--',
    '{{x}}',
    '*',
    '\u202e',
    'x'.repeat(3000),
    `${'a/'.repeat(400)}b`,
    '~gitbook',
  ],
];

let worlds: SiteAddresses[];
beforeAll(async () => {
  const organization = await platform().makeOrganization();
  worlds = [await createKnownSite(organization, 'public'), await createKnownSite(organization, 'share-link')];
});

const drawn = fc.record({
  world: fc.nat(1),
  base: fc.nat(1),
  path: fc.array(
    fc.oneof({ weight: 3, arbitrary: fc.nat(40) }, { weight: 1, arbitrary: fc.constantFrom(...strange) }),
    { maxLength: 6 },
  ),
  separator: fc.constantFrom('/', '/', '/', '//', '/./', '%2F'),
  end: fc.constantFrom('', '', '/', '//', '?a=1&jwt_token=x', '#b', '?', '/?x=%00'),
  as: fc.constantFrom('same', 'same', 'same', 'host in capitals', 'user', 'other port', 'other host', 'https'),
});
type Drawn = typeof drawn extends fc.Arbitrary<infer Value> ? Value : never;

const changes: Record<Drawn['as'], (url: string) => string> = {
  same: (url) => url,
  'host in capitals': (url) => url.replace(/^http:\/\/[^/]*/, (start) => start.toUpperCase()),
  user: (url) => url.replace('://', '://name:word@'),
  'other port': (url) => url.replace(/:\d+\//, ':1/'),
  'other host': (url) => url.replace('127.0.0.1', 'example.test'),
  https: (url) => url.replace('http:', 'https:'),
};

function getAddress({ world, base, path, separator, end, as }: Drawn): string {
  const { bases, segments } = worlds[world] as SiteAddresses;
  const parts = path.map((part) => (typeof part === 'string' ? part : (segments[part % segments.length] ?? '')));
  return changes[as](`${[bases[base], ...parts].join(separator).replace(/%2F/, '/')}${end}`);
}

async function resolveUrl(url: string): Promise<{ status: number; text: string }> {
  const started = performance.now();
  const response = await platform().request('/v1/urls/published', { body: { url } });
  const text = await response.text();
  expect([url, performance.now() - started]).toEqual([url, expect.toSatisfy((time: number) => time < 30_000)]);
  return { status: response.status, text };
}

/** Resolves a URL from a response and expects it to exist. */
async function followUrl(url: string): Promise<Resolved> {
  const { status, text } = await resolveUrl(url);
  expect([url, status]).toEqual([url, 200]);
  return JSON.parse(text);
}

test('resolves any URL without a server error, only to visible content, and to a canonical URL', {
  timeout: 300_000,
}, async () => {
  const seen = { complete: 0, found: 0, redirects: 0 };
  const property = fc.asyncProperty(drawn, async (choices) => {
    const url = getAddress(choices);
    const { status, text } = await resolveUrl(url);
    expect([url, status]).toEqual([url, expect.toSatisfy((code) => [200, 400, 404].includes(code))]);
    const { hidden } = worlds[choices.world] as SiteAddresses;
    expect([url, hidden.filter((id) => text.includes(id))]).toEqual([url, []]);
    if (status !== 200) return;
    const { target, redirect = '', ...content } = JSON.parse(text) as Resolved;
    if (target !== undefined) {
      seen.redirects += 1;
      return void expect([url, (await followUrl(redirect)).target]).toEqual([url, undefined]);
    }
    seen.found += 1;
    if (content.complete) seen.complete += 1;
    const { site, siteSpace, space, canonicalUrl, apiToken, complete, pathname } = content;
    const same = { site, siteSpace, space, canonicalUrl, apiToken };
    const isPage = complete && pathname !== '/';
    expect([url, await followUrl(canonicalUrl)]).toMatchObject([url, isPage ? { ...same, complete } : same]);
  });
  const plain = { world: 0, base: 0, separator: '/', end: '', as: 'same' } as const;
  const always = ['', 'guides/start', 'old/x'].map((path): [Drawn] => [{ ...plain, path: path.split('/') }]);
  await holdsAsync(property, { numRuns: 500, always });

  expect(Math.min(seen.complete, seen.found - seen.complete, seen.redirects)).toBeGreaterThan(0);
});
