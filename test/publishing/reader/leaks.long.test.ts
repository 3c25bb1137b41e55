import type { ShareLink, Site } from '@octavo/schema';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { getClient, insertPage, writePage } from '../../content/space-client.ts';
import { json } from '../../support/content.ts';
import { type OwnPlatform, startOwnPlatform } from '../../support/own-platform.ts';
import { drawValues } from '../../support/random.ts';
import { requestWithHost } from '../../support/with-host.ts';
import { signClaims } from './reads.ts';

/*
 * Isolates share pages in the cache of the data center, which ignores hosts and cookies. All sites of this test have the
 * same paths, titles and conditions, so a page is cached for the wrong audience as soon as a part of the key is missing.
 */

const requests = 2000;
/** After this number of requests, the isolate restarts, and then finds pages in the cache of the data center. */
const requestsPerIsolate = 1000;

const groups = ['staff', 'guest'] as const;
const plans = ['pro', 'free'] as const;
const paths = ['', 'second', 'second.md', 'llms-full.txt'];
const visibilities = ['public', 'visitor-auth', 'share-link'] as const;

interface LeakSite {
  name: string;
  visibility: (typeof visibilities)[number];
  id: string;
  address: string;
  key: string;
  shareKeys: string[];
  write: () => Promise<unknown>;
  /** Changes the title of the first page. Rendered texts stay valid after this change and are reused. */
  rename: () => Promise<unknown>;
  /** The number of edits so far. The text of the second page contains this number. */
  edits: number;
}

interface Visit {
  site: number;
  path: string;
  group: (typeof groups)[number] | undefined;
  plan: (typeof plans)[number] | undefined;
  /** The index of the site whose key signed the token. */
  signer: number;
  shareKey: number | undefined;
  /** Whether a text of the site is edited before the request. */
  isEdited: boolean;
  /** Whether a title of the site is edited before the request. */
  isRenamed: boolean;
}

let server: OwnPlatform;
const sites: LeakSite[] = [];

const post = <Body>(path: string, token: string, body?: object) =>
  json<Body>(path, { token, method: 'POST', ...(body && { body }) }, server);

const getWord = (site: string, audience: string): string => `word-of-${site}-for-${audience}.`;

const write = (name: string, edits: number): string =>
  [
    getWord(name, 'all'),
    `edit-${edits}-of-${name}.`,
    ...groups.map((group) => `{% if visitor.claims.group == "${group}" %}\n\n${getWord(name, group)}\n\n{% endif %}`),
    ...plans.map(
      (plan) => `{% if visitor.claims.unsigned.plan == "${plan}" %}\n\n${getWord(name, plan)}\n\n{% endif %}`,
    ),
  ].join('\n\n');

async function makeSite(name: string, visibility: LeakSite['visibility'], hostname?: string): Promise<LeakSite> {
  const organization = await server.makeOrganization();
  const { id, token } = organization;
  const space = await server.makeSpace({ organization });
  const client = getClient(server, space);
  let titles = 0;
  const [first = '', second = ''] = await client.change(
    ['Start', 'Second'].map((title) => insertPage(title, { document: { markdown: write(name, 0) } })),
  );
  const path = `/v1/orgs/${id}/sites`;
  const site = await post<Site>(path, token, { title: 'Docs', spaces: [space.id], visibility });
  if (hostname !== undefined) await json(`${path}/${site.id}`, { token, method: 'PATCH', body: { hostname } }, server);
  const { privateKey } = await post<{ privateKey: string }>(`${path}/${site.id}/publishing/auth/regenerate`, token);
  const links = await Promise.all(
    ['One', 'Two'].map((link) => post<ShareLink>(`${path}/${site.id}/share-links`, token, { name: link })),
  );
  const { urls } = await post<Site>(`${path}/${site.id}/publish`, token);
  const leakSite: LeakSite = {
    ...{ name, visibility, id: site.id, key: privateKey, edits: 0 },
    address: urls.published ?? `https://${hostname ?? ''}/`,
    shareKeys: visibility === 'share-link' ? links.map(({ urls: { published } }) => getShareKey(published)) : [],
    write: async () => {
      leakSite.edits += 1;
      await client.change([writePage(second, write(name, leakSite.edits))]);
    },
    rename: () => {
      titles += 1;
      return client.change([{ operation: 'update_page', page: first, title: `Start ${titles}` }]);
    },
  };
  return leakSite;
}

const getShareKey = (address: string | undefined): string => (address ?? '').replace(/\/$/, '').split('/').at(-1) ?? '';

beforeAll(async () => {
  server = await startOwnPlatform({
    ...{ shape: 'workers', env: { OCTAVO_SITE_MAX_AGE: '600' } },
    ...{ sitesUrl: 'https://{organization}.docs.example.com', publicUrl: 'https://octavo.example.com' },
  });
  for (const [index, visibility] of [...visibilities, ...visibilities].entries())
    sites.push(await makeSite(`site${index}`, visibility, `docs${index}.acme.test`));
}, 180_000);

afterAll(() => server?.remove());

const someVisit: fc.Arbitrary<Visit> = fc.record({
  site: fc.nat(visibilities.length * 2 - 1),
  path: fc.constantFrom(...paths),
  group: fc.option(fc.constantFrom(...groups), { nil: undefined }),
  plan: fc.option(fc.constantFrom(...plans), { nil: undefined }),
  signer: fc.nat(visibilities.length * 2 - 1),
  shareKey: fc.option(fc.nat(1), { nil: undefined }),
  isEdited: fc.nat(199).map((number) => number === 0),
  isRenamed: fc.nat(99).map((number) => number === 0),
});

/** Sends a request with the cookies of a visitor for all sites. Returns the response and the words that it may have. */
async function request({ site: index, path, group, plan, signer, shareKey }: Visit, bookmark: string) {
  const site = sites[index];
  const signingSite = sites[signer];
  if (site === undefined || signingSite === undefined) throw new Error('There is no such site.');
  const token = group && signClaims(signingSite.key, { group });
  const cookies = sites.flatMap(({ id }) => [
    ...(token === undefined ? [] : [`octavo-visitor-${id}=${token}`]),
    ...(plan === undefined ? [] : [`octavo-claims-${id}=${encodeURIComponent(JSON.stringify({ plan }))}`]),
  ]);
  const key = shareKey === undefined ? undefined : (site.shareKeys[shareKey] ?? 'wrong');
  const prefix = site.visibility === 'share-link' && key !== undefined ? `${key}/` : '';
  const headers = { cookie: cookies.join('; '), 'octavo-bookmark': bookmark };
  const response = await requestWithHost(server.url, `${site.address}${prefix}${path}`, { headers });
  const isSigned = token !== undefined && signingSite === site;
  const isAdmitted =
    site.visibility === 'public' || (site.visibility === 'visitor-auth' ? isSigned : prefix !== '' && key !== 'wrong');
  const audiences = ['all', ...(isSigned && group ? [group] : []), ...(plan === undefined ? [] : [plan])];
  const words = audiences.map((audience) => getWord(site.name, audience));
  return { ...response, isAdmitted, expected: isAdmitted ? words.toSorted() : [], edits: site.edits };
}

test(`${requests} requests show no visitor the content of another site or audience`, async () => {
  const visits = drawValues(someVisit, requests);
  let bookmark = '';
  const readBookmark = async () => {
    const user = await server.makeUser();
    const response = await server.request('/v1/user', { token: user.token });
    return response.headers.get('octavo-bookmark') ?? '';
  };
  bookmark = await readBookmark();
  let served = 0;
  for (let start = 0; start < visits.length; start += 20) {
    if (start > 0 && start % requestsPerIsolate === 0) {
      await server.kill('SIGTERM');
      await server.restart();
    }
    const part = visits.slice(start, start + 20);
    for (const { site, isEdited, isRenamed } of part) {
      if (isEdited) await sites[site]?.write();
      if (isRenamed) await sites[site]?.rename();
    }
    if (part.some(({ isEdited, isRenamed }) => isEdited || isRenamed)) bookmark = await readBookmark();
    const responses = await Promise.all(part.map((visit) => request(visit, bookmark)));
    for (const [index, { status, text, isAdmitted, expected, edits }] of responses.entries()) {
      const visit = JSON.stringify(part[index]);
      expect(status === 200, visit).toBe(isAdmitted);
      expect([...new Set(text.match(/word-of-site\d-for-\w+\./g))].toSorted(), visit).toEqual(expected);
      const visibleEdits = new Set(text.match(/edit-\d+-of-site\d/g)?.filter((each) => !each.startsWith('edit-0-')));
      const isEdited = isAdmitted && part[index]?.path !== '' && edits > 0;
      expect([...visibleEdits], visit).toEqual(
        isEdited ? [`edit-${edits}-of-${sites[part[index]?.site ?? 0]?.name}`] : [],
      );
      if (status === 200) served += 1;
    }
  }

  expect(served).toBeGreaterThan(requests / 3);
}, 600_000);
